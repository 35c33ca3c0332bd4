package difficulty_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/limit/limittest"
)

// sloppy is a metric whose matchings and reference tokens are changed.
type sloppy struct {
	mteval.MatchScorer
	matching func(*mteval.Matching)
	refs     func([][]mteval.Token) [][]mteval.Token
	none     bool
}

func (s *sloppy) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	m, err := s.MatchScorer.PrepareMatch(ctx, refs)
	if s.none {
		return nil, err
	}
	return &sloppyMatcher{m, s}, err
}

type sloppyMatcher struct {
	mteval.Matcher
	s *sloppy
}

func (m *sloppyMatcher) RefTokens(segment int) [][]mteval.Token {
	refs := m.Matcher.RefTokens(segment)
	if m.s.refs != nil {
		own := make([][]mteval.Token, len(refs))
		for r := range refs {
			own[r] = append([]mteval.Token(nil), refs[r]...)
		}
		return m.s.refs(own)
	}
	return refs
}

func (m *sloppyMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	err := m.Matcher.Match(ctx, out, segs, hyps)
	if err == nil && m.s.matching != nil {
		m.s.matching(&out[len(out)-1])
	}
	return err
}

// A metric that breaks the contract is an error, neither a panic nor a score.
func TestLyingMetric(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	link := func(to int32, sim float32) func(*mteval.Matching) {
		return func(m *mteval.Matching) { m.Pairings[1].Ref[1] = mteval.Link{To: to, Sim: sim} }
	}
	weight := func(w float32) func(*mteval.Matching) {
		return func(m *mteval.Matching) { m.Tokens[1].Weight = w }
	}
	base := &sloppy{MatchScorer: &exact{}}
	refs, sys := [][]string{{"a b"}, {"a c", "b c d"}}, systems("a b|b c", "a|c d e")
	for name, lie := range map[string]func(*mteval.Matching){
		"no pairings":          func(m *mteval.Matching) { m.Pairings = nil },
		"a pairing short":      func(m *mteval.Matching) { m.Pairings = m.Pairings[:1] },
		"a pairing too many":   func(m *mteval.Matching) { m.Pairings = append(m.Pairings, mteval.Pairing{}) },
		"a link short":         func(m *mteval.Matching) { m.Pairings[1].Hyp = m.Pairings[1].Hyp[1:] },
		"a link too many":      func(m *mteval.Matching) { m.Pairings[0].Ref = append(m.Pairings[0].Ref, mteval.Link{}) },
		"no tokens":            func(m *mteval.Matching) { m.Tokens = nil },
		"to past the end":      link(99, 1),
		"to -2":                link(-2, 1),
		"similarity NaN":       link(0, nan),
		"similarity above 1":   link(0, 1.5),
		"similarity infinite":  link(0, -inf),
		"to what weighs 0":     func(m *mteval.Matching) { m.Tokens[0].Weight = 0; m.Pairings[1].Ref[1].To = 0 },
		"a hypothesis link":    func(m *mteval.Matching) { m.Pairings[1].Hyp[0].To = 3 },
		"weight negative":      weight(-1),
		"weight NaN":           weight(nan),
		"weight infinite":      weight(inf),
		"weight above the sum": weight(1e10),
	} {
		base.matching = nil
		w := estimate(t, base, refs, sys)
		s := newScorer(t, base, w, difficulty.Options{Novel: difficulty.Matched})
		p, err := s.Prepare(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		base.matching = lie
		var at *mteval.SegmentError
		check := func(what string, err error) {
			t.Helper()
			if !errors.As(err, &at) || at.Segment != 1 || at.Side != mteval.HypothesisSide {
				t.Errorf("%s: %s: error %v", name, what, err)
			}
		}
		dst, err := p.Append(t.Context(), []float64{7}, nil, sys[1].Hyps)
		if check("Append", err); len(dst) != 1 || at.Index != 1 {
			t.Errorf("%s: Append left %v, error %+v", name, dst, at)
		}
		_, err = mteval.Systems(t.Context(), s, refs, sys)
		check("Systems", err)
		m, err := base.PrepareMatch(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		_, err = difficulty.Estimate(t.Context(), m, sys)
		check("Estimate", err)
		ms, err := mteval.MatchSystems(t.Context(), m, sys)
		if err != nil {
			t.Fatal(err)
		}
		_, err = difficulty.EstimateFrom(ms, []int{0}, difficulty.Function{})
		check("EstimateFrom", err)
		_, err = difficulty.NewField(base, ms, difficulty.Options{}, difficulty.Function{})
		check("NewField", err)
	}
	base.matching = nil

	for name, refTokens := range map[string]func([][]mteval.Token) [][]mteval.Token{
		"a reference short": func(r [][]mteval.Token) [][]mteval.Token { return r[1:] },
		"no references":     func([][]mteval.Token) [][]mteval.Token { return nil },
		"a token short":     func(r [][]mteval.Token) [][]mteval.Token { r[0] = r[0][1:]; return r },
		"weight negative":   func(r [][]mteval.Token) [][]mteval.Token { r[0][0].Weight = -1; return r },
		"weight NaN":        func(r [][]mteval.Token) [][]mteval.Token { r[0][0].Weight = nan; return r },
	} {
		base.refs = nil
		ms := matchings(t, base, refs, sys)
		f, err := difficulty.NewField(base, ms, difficulty.Options{}, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scorer(nil)
		if err != nil {
			t.Fatal(err)
		}
		base.refs = refTokens
		if _, err := s.Prepare(t.Context(), refs); !errors.Is(err, difficulty.ErrReferences) {
			t.Errorf("%s: Prepare: error %v", name, err)
		}
		// Matchings keep what was said when they were made.
		ms = matchings(t, base, refs, sys)
		if f, err = difficulty.NewField(base, ms, difficulty.Options{}, difficulty.Function{}); err == nil {
			_, err = f.Scores(t.Context(), []int{0}, nil)
		}
		if err == nil {
			t.Errorf("%s: NewField and Scores: no error", name)
		}
		if _, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{}); err == nil {
			t.Errorf("%s: EstimateFrom: no error", name)
		}
	}
	base.refs = nil
	s := newScorer(t, base, estimate(t, base, refs, sys), difficulty.Options{})
	base.none = true
	if _, err := s.Prepare(t.Context(), refs); err == nil || !strings.Contains(err.Error(), "exact") {
		t.Errorf("no matcher: error %v", err)
	}
}

// AppendMatch has no error to return: what it can't score panics.
func TestUnfinitePanics(t *testing.T) {
	base := &exact{}
	refs, sys := [][]string{{"a b"}}, systems("a")
	s := newScorer(t, base, estimate(t, base, refs, sys), difficulty.Options{})
	ms := matchings(t, base, refs, sys)
	m := *ms.At(0, 0)
	m.Pairings[0].Ref[0].Sim = float32(math.NaN())
	if !panics(func() { s.AppendMatch(nil, 0, ms.RefTokens(0), &m) }) {
		t.Error("a similarity of NaN does not panic")
	}
	m.Pairings[0].Ref[0].Sim = 1
	m.Pairings[0].Hyp = nil
	if !panics(func() { s.AppendMatch(nil, 0, ms.RefTokens(0), &m) }) {
		t.Error("a link short does not panic")
	}
}

// Calls that make no sense are errors, or what they are documented to be.
func TestOddCalls(t *testing.T) {
	base := &exact{}
	refs, sys := [][]string{{"a b"}}, systems("a", "b")
	ms := matchings(t, base, refs, sys)
	w := estimate(t, base, refs, sys)
	field, err := difficulty.NewField(base, ms, difficulty.Options{}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	described, err := difficulty.NewField(base, nil, difficulty.Options{}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, f := range map[string]func() error{
		"New without a metric": func() error { _, err := difficulty.New(nil, w, difficulty.Options{}); return err },
		"New without weights":  func() error { _, err := difficulty.New(base, nil, difficulty.Options{}); return err },
		"New with zero weights": func() error {
			_, err := difficulty.New(base, new(difficulty.Weights), difficulty.Options{})
			return err
		},
		"Estimate without matcher": func() error { _, err := difficulty.Estimate(ctx, nil, sys); return err },
		"EstimateFrom nothing":     func() error { _, err := difficulty.EstimateFrom(nil, nil, difficulty.Function{}); return err },
		"EstimateFrom no systems": func() error {
			_, err := difficulty.EstimateFrom(new(mteval.Matchings), nil, difficulty.Function{})
			return err
		},
		"NewField without metric": func() error {
			_, err := difficulty.NewField(nil, ms, difficulty.Options{}, difficulty.Function{})
			return err
		},
		"Scorer of a zero Field":    func() error { _, err := new(difficulty.Field).Scorer(nil); return err },
		"Scores of a zero Field":    func() error { _, err := new(difficulty.Field).Scores(ctx, nil, nil); return err },
		"Scores without matchings":  func() error { _, err := described.Scores(ctx, nil, nil); return err },
		"Scores of system 2 of 2":   func() error { _, err := field.Scores(ctx, []int{2}, nil); return err },
		"Scores of system -1":       func() error { _, err := field.Scores(ctx, []int{-1}, nil); return err },
		"Scores by voter 2 of 2":    func() error { _, err := field.Scores(ctx, []int{0}, []int{2}); return err },
		"Scores by no voter":        func() error { _, err := field.Scores(ctx, []int{0}, []int{}); return err },
		"Prepare of a zero Scorer":  func() error { _, err := new(difficulty.Scorer).Prepare(ctx, refs); return err },
		"Marshal zero weights":      func() error { _, err := json.Marshal(new(difficulty.Weights)); return err },
		"Marshal a zero value":      func() error { _, err := json.Marshal(difficulty.Weights{}); return err },
		"Exponent too large":        func() error { _, err := difficulty.New(base, w, difficulty.Options{Exponent: 2}); return err },
		"no such Novel":             func() error { _, err := difficulty.New(base, w, difficulty.Options{Novel: -1}); return err },
		"no such Smoothing":         func() error { _, err := difficulty.New(base, w, difficulty.Options{Smoothing: 99}); return err },
		"no such Average":           func() error { _, err := difficulty.New(base, w, difficulty.Options{Average: -3}); return err },
		"Unmarshal into zero value": func() error { return new(difficulty.Weights).UnmarshalJSON(nil) },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, s := range []interface{ Info() mteval.Info }{new(difficulty.Field), new(difficulty.Scorer), described} {
		if info := s.Info(); info.Scale != 1 {
			t.Errorf("Info %+v", info)
		}
	}
	zero := new(difficulty.Weights)
	if zero.Len() != 0 || len(zero.Systems()) != 0 || len(zero.All()) != 0 || zero.Hash() == "" {
		t.Error("zero weights have something")
	}
	var poll difficulty.Poll
	if poll.Len() != 0 || len(poll.Systems()) != 0 || poll.Weights().Len() != 0 || poll.Scorer().Info().Scale != 1 {
		t.Error("a zero poll has something")
	}
	if got, err := poll.Scores(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "difficulty: ") || got != nil {
		t.Errorf("a zero poll's scores: %v, error %v", got, err)
	}
	if got, err := poll.Table(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "difficulty: ") || got != nil {
		t.Errorf("a zero poll's table: %v, error %v", got, err)
	}
	// The value is saved as the pointer is.
	byValue, err := json.Marshal(*w)
	if err != nil {
		t.Fatal(err)
	}
	if byPointer, err := json.Marshal(w); err != nil || string(byValue) != string(byPointer) {
		t.Errorf("%s, error %v, want %s", byValue, err, byPointer)
	}
	// Very large options do not overflow.
	for _, o := range []difficulty.Options{
		{Beta: math.MaxFloat64}, {Beta: math.SmallestNonzeroFloat64}, {Smoothing: difficulty.Power, Exponent: math.MaxFloat64},
		{Smoothing: difficulty.Power, Exponent: math.SmallestNonzeroFloat64}, {Baseline: -1}, {Baseline: 1 - 1e-16},
	} {
		s, err := difficulty.New(base, w, o)
		if err != nil {
			continue
		}
		for _, x := range scoresOf(t, s, refs, sys) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%+v: score %v", o, x)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	var words strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&words, "w%d ", i)
	}
	long := words.String()
	b, err := lexical.New(lexical.Options{Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	base := bertScore(t, b, bertscore.Options{})
	limittest.Cancel(t, newScorer(t, base, estimate(t, base, [][]string{{long}}, systems("b")), difficulty.Options{}), long, "c "+long)

	// Weights and scores of many segments end, too.
	refs, hyps := make([][]string, 300), make([]string, 300)
	for i := range refs {
		refs[i], hyps[i] = []string{"a b"}, "a"
	}
	sys := []mteval.System{{Name: "x", Hyps: hyps}, {Name: "y", Hyps: hyps}}
	e := &exact{}
	field, err := difficulty.NewField(e, matchings(t, e, refs, sys), difficulty.Options{}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.PrepareMatch(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int64{0, 1, 10, 301, 350, 700, 900} {
		if _, err := field.Scores(kit.NewCountdown(after), []int{0, 1}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Scores, after %d looks: error %v", after, err)
		}
		if _, err := difficulty.Estimate(kit.NewCountdown(after), m, sys); !errors.Is(err, context.Canceled) {
			t.Errorf("Estimate, after %d looks: error %v", after, err)
		}
	}
}

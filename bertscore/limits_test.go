package bertscore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/limit/limittest"
)

func TestMaxTokens(t *testing.T) {
	special := backendtest.FakeOptions{Special: true}
	for _, tt := range []struct {
		name  string
		b     backend.Backend
		fixed int
	}{
		{"lexical", newLexical(t), 0},
		{"special tokens", backendtest.NewFake(special), 2},
		{"a backend that matches", backendtest.NewFakeMatcher(special), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limittest.Test(t, "word", tt.fixed, func(maxTokens int) mteval.Scorer {
				return newScorer(t, tt.b, bertscore.Options{MaxTokens: maxTokens})
			})
		})
	}
}

// An error names the text that is too long, or cut off, also where it comes in a later
// chunk, more than once, or was embedded for another place.
func TestErrorsNameTheText(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    backend.Backend
		opt  bertscore.Options
		want error
	}{
		{"too long", backendtest.NewFake(backendtest.FakeOptions{}), bertscore.Options{MaxTokens: 3}, mteval.ErrTooLong},
		{"cut off", backendtest.NewFake(backendtest.FakeOptions{MaxTokens: 3}), bertscore.Options{}, backend.ErrTruncated},
		{"refused", refusing(t), bertscore.Options{}, mteval.ErrTooLong},
		{"refused behind a cache", cached(t, refusing(t)), bertscore.Options{}, mteval.ErrTooLong},
		{"refused by one that matches", refusingMatcher{backendtest.NewFakeMatcher(backendtest.FakeOptions{})}, bertscore.Options{}, mteval.ErrTooLong},
		{"cut off by one that matches", backendtest.NewFakeMatcher(backendtest.FakeOptions{MaxTokens: 3}), bertscore.Options{}, backend.ErrTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScorer(t, tt.b, tt.opt)
			check := func(what string, err error, want mteval.SegmentError) {
				t.Helper()
				var at *mteval.SegmentError
				if !errors.Is(err, tt.want) || !errors.As(err, &at) || at.Segment != want.Segment || at.Side != want.Side || at.Index != want.Index {
					t.Errorf("%s: error %v (%+v), want one at %+v", what, err, at, want)
				}
			}
			const long = "one two three four"
			_, err := s.Prepare(t.Context(), [][]string{{"a"}, {"b", "a", long}, {long}})
			check("a reference", err, mteval.SegmentError{Segment: 1, Side: mteval.ReferenceSide, Index: 2})
			p, err := s.Prepare(t.Context(), [][]string{{"a"}, {"b"}})
			if err != nil {
				t.Fatal(err)
			}
			var segs []int
			var hyps []string
			for i := range 600 {
				segs, hyps = append(segs, i%2), append(hyps, strings.Repeat(" ", i)) // all different
			}
			hyps[555], hyps[580] = long, long
			_, err = p.Append(t.Context(), nil, segs, hyps)
			check("a hypothesis", err, mteval.SegmentError{Segment: 1, Side: mteval.HypothesisSide, Index: 555})
		})
	}
}

// refusing is a model that refuses texts of more than three letters.
func refusing(t *testing.T) backend.Backend {
	layer := 1
	b, err := transformer.Open(filepath.Join("..", "backend", "transformer", "testdata", "bert"), transformer.Options{Layer: &layer, MaxTokens: 5, RefuseLong: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func cached(t *testing.T, b backend.Backend) backend.Backend {
	c, err := cache.New(b, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refusingMatcher refuses texts of four words.
type refusingMatcher struct{ backendtest.FakeMatcher }

func refuse(texts []string) error {
	for _, text := range texts {
		if len(strings.Fields(text)) > 3 {
			return fmt.Errorf("fake: %w", &backend.TextError{Text: text, Err: mteval.ErrTooLong})
		}
	}
	return nil
}

func (m refusingMatcher) Store(ctx context.Context, dst *backend.Batch, texts []string) (backend.TextStore, error) {
	if err := refuse(texts); err != nil {
		return nil, err
	}
	s, err := m.FakeMatcher.Store(ctx, dst, texts)
	return refusingStore{s}, err
}

type refusingStore struct{ backend.TextStore }

func (s refusingStore) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	if err := refuse(texts); err != nil {
		return err
	}
	return s.TextStore.Match(ctx, dst, texts, pairs, out)
}

// Long texts are embedded apart from others, so that what is in memory does not go with how
// many there are.
func TestLongTextsAreChunksOfTheirOwn(t *testing.T) {
	b := byWord(map[string][]float32{"a": {1}})
	long := strings.Repeat("a ", 50) + strings.Repeat(" ", 200_000)
	hyps := []string{"a", long, long + " ", "a ", "a  ", "a"}
	s := newScorer(t, b, bertscore.Options{})
	rows := segments(t, s, hyps, [][]string{{"a"}, {"a"}, {"a"}, {"a"}, {"a"}, {"a"}})
	for i, row := range rows {
		if row[2] != 1 {
			t.Errorf("row %d: %v", i, row)
		}
	}
	if n := len(b.calls) - 1; n != 2 {
		t.Errorf("%d chunks, want 2", n)
	}
}

// A text that a backend cuts has more tokens than are left, which is enough to know that it is
// above a limit that is the backend's own.
func TestMaxTokensOfACutText(t *testing.T) {
	for _, b := range []backend.Backend{backendtest.NewFake(backendtest.FakeOptions{MaxTokens: 3}), backendtest.NewFakeMatcher(backendtest.FakeOptions{MaxTokens: 3})} {
		for limit, want := range map[int]error{2: mteval.ErrTooLong, 3: mteval.ErrTooLong, 4: nil} {
			cut := 0
			s := newScorer(t, b, bertscore.Options{MaxTokens: limit, Workers: 1, OnTruncated: func(string) { cut++ }})
			p, err := s.Prepare(t.Context(), [][]string{{"one two"}})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Append(t.Context(), nil, nil, []string{"one two three four"})
			if !errors.Is(err, want) || (cut == 0) != (want != nil) {
				t.Errorf("limit %d: error %v, want %v; OnTruncated called %d times", limit, err, want, cut)
			}
		}
	}
}

// However a call is cut, each different text is embedded once in it, at most 256 at a time;
// a backend that keeps the vectors gets the call whole.
func TestCalls(t *testing.T) {
	hyps := make([]string, 1200)
	segs := make([]int, len(hyps))
	for k := range hyps {
		hyps[k], segs[k] = "east"+strings.Repeat(" ", k%700), k%2
	}
	refs := [][]string{{"east"}, {"west"}}
	match := func(b backend.Backend) []mteval.Matching {
		m, err := newScorer(t, b, bertscore.Options{}).PrepareMatch(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]mteval.Matching, len(hyps))
		if err := m.Match(t.Context(), out, segs, hyps); err != nil {
			t.Fatal(err)
		}
		return out
	}
	b := byWord(plane)
	for k, m := range match(b) {
		if l := m.Pairings[0].Hyp[0]; l.To != 0 || l.Sim != float32(1-2*segs[k]) {
			t.Errorf("hypothesis %d: %+v", k, l)
		}
	}
	seen := make(map[string]bool)
	for _, texts := range b.calls[1:] {
		if len(texts) > 256 {
			t.Errorf("%d texts in a call of Embed", len(texts))
		}
		for _, text := range texts {
			if seen[text] {
				t.Errorf("text %q is embedded again", text)
			}
			seen[text] = true
		}
	}
	if len(seen) != 700 {
		t.Errorf("%d texts are embedded, want 700", len(seen))
	}
	f := backendtest.NewFakeMatcher(backendtest.FakeOptions{})
	match(f)
	if f.Calls() != 2 || f.Texts() != 2+700 {
		t.Errorf("%d calls of a backend that matches with %d texts, want 2 with 702", f.Calls(), f.Texts())
	}
}

// allDifferent returns a text of so many different words.
func allDifferent(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%d ", i)
	}
	return b.String()
}

// A text that says the same over and over is matched in no time that goes with the product
// of the lengths, which would be minutes here.
func TestRepetitions(t *testing.T) {
	b, err := lexical.New(lexical.Options{Dim: 64})
	if err != nil {
		t.Fatal(err)
	}
	ref, hyp := strings.Repeat("the cat sat on the mat ", 10_000), strings.Repeat("a cat sat on a mat ", 8_000)
	rows := segments(t, newScorer(t, b, bertscore.Options{}), []string{hyp, ref}, [][]string{{ref}, {ref}})
	if row := rows[0]; !(row[0] > .5 && row[0] < 1 && row[1] > .5 && row[1] < 1) {
		t.Errorf("row %v", row)
	}
	if row := rows[1]; math.Abs(row[2]-1) > 1e-6 {
		t.Errorf("row %v of equal texts", row)
	}
}

func TestCancel(t *testing.T) {
	long := allDifferent(100_000)
	b, err := lexical.New(lexical.Options{Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	limittest.Cancel(t, newScorer(t, b, bertscore.Options{}), long, long)

	// One word, of which all n-grams would take hours.
	if b, err = lexical.New(lexical.Options{Dim: 16, MaxN: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	limittest.CancelPrepare(t, newScorer(t, b, bertscore.Options{}), strings.Repeat("a", 1<<17))
}

// sloppy is a backend whose answers are changed.
type sloppy struct {
	backend.Backend
	info  func(*backend.Info)
	batch func(*backend.Batch)
	pairs func([]mteval.Pairing)
}

func (b *sloppy) Info() backend.Info {
	info := b.Backend.Info()
	info.Name = "sloppy"
	if b.info != nil {
		b.info(&info)
	}
	return info
}

func (b *sloppy) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	err := b.Backend.Embed(ctx, dst, texts)
	if err == nil && b.batch != nil {
		b.batch(dst)
	}
	return err
}

// sloppyMatcher is a backend that matches, whose answers are changed.
type sloppyMatcher struct{ *sloppy }

func (b sloppyMatcher) Store(ctx context.Context, dst *backend.Batch, texts []string) (backend.TextStore, error) {
	store, err := b.Backend.(backend.Matcher).Store(ctx, dst, texts)
	if err == nil && b.batch != nil {
		b.batch(dst)
	}
	return sloppyStore{store, b.sloppy}, err
}

type sloppyStore struct {
	backend.TextStore
	b *sloppy
}

func (h sloppyStore) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	err := h.TextStore.Match(ctx, dst, texts, pairs, out)
	if err == nil && h.b.batch != nil {
		h.b.batch(dst)
	}
	if err == nil && h.b.pairs != nil {
		h.b.pairs(out)
	}
	return err
}

// batchLies are what the batches of a backend of MaxTokens 9 can have wrong, of texts of
// two tokens at least and two special ones.
func batchLies() map[string]func(*backend.Batch) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	weight := func(w float32) func(*backend.Batch) {
		return func(b *backend.Batch) { b.Tokens[len(b.Tokens)-2].Weight = w }
	}
	token := func(start, end int) func(*backend.Batch) {
		return func(b *backend.Batch) { b.Tokens[2].Start, b.Tokens[2].End = start, end }
	}
	offset := func(i, x int) func(*backend.Batch) {
		return func(b *backend.Batch) { b.Offsets[(i+len(b.Offsets))%len(b.Offsets)] = x }
	}
	truncated := func(list ...int) func(*backend.Batch) {
		return func(b *backend.Batch) { b.Truncated = list }
	}
	return map[string]func(*backend.Batch){
		"nothing":                      func(b *backend.Batch) { *b = backend.Batch{} },
		"another Dim":                  func(b *backend.Batch) { b.Dim++ },
		"no Dim":                       func(b *backend.Batch) { b.Dim = 0 },
		"a negative Dim":               func(b *backend.Batch) { b.Dim = -b.Dim },
		"no Offsets":                   func(b *backend.Batch) { b.Offsets = nil },
		"an offset short":              func(b *backend.Batch) { b.Offsets = b.Offsets[:len(b.Offsets)-1] },
		"an offset too many":           func(b *backend.Batch) { b.Offsets = append(b.Offsets, len(b.Tokens)) },
		"first offset 2":               offset(0, 2),
		"first offset negative":        offset(0, -1),
		"an offset that falls":         offset(1, 100),
		"a huge offset":                offset(1, math.MaxInt),
		"a negative offset":            offset(1, -1),
		"last offset too small":        offset(-1, 1),
		"last offset too large":        offset(-1, 1000),
		"a token short":                func(b *backend.Batch) { b.Tokens = b.Tokens[:len(b.Tokens)-1] },
		"a token too many":             func(b *backend.Batch) { b.Tokens = append(b.Tokens, mteval.Token{}) },
		"a number too many":            func(b *backend.Batch) { b.Data = append(b.Data, 1) },
		"truncated past the end":       truncated(99),
		"truncated negative":           truncated(-1),
		"truncated twice":              truncated(0, 0),
		"truncated in no order":        truncated(1, 0),
		"weight NaN":                   weight(nan),
		"weight infinite":              weight(inf),
		"weight negative":              weight(-1),
		"weight of a half":             weight(.5),
		"weight 2":                     weight(2),
		"a token past the end":         token(2, 1000),
		"a token before the beginning": token(-1, 3),
		"a token from end to start":    token(3, 2),
		"a token before another":       func(b *backend.Batch) { b.Tokens[3].Start, b.Tokens[3].End = 0, 1 },
		"a token that ends before another": func(b *backend.Batch) {
			b.Tokens[1].End, b.Tokens[2].End = 5, 4
		},
	}
}

// A backend that breaks its contract is an error that names it, neither a panic nor a
// score.
func TestLyingBackend(t *testing.T) {
	nan := float32(math.NaN())
	vectors := batchLies()
	for name, x := range map[string]float32{"NaN": nan, "infinite": float32(math.Inf(1)), "minus infinite": float32(math.Inf(-1))} {
		vectors["a vector with "+name] = func(b *backend.Batch) { b.Data[len(b.Data)-2] = x }
	}
	vectors["a vector short"] = func(b *backend.Batch) { b.Data = b.Data[:len(b.Data)-b.Dim] }
	vectors["no vectors"] = func(b *backend.Batch) { b.Data = nil }
	tokens := batchLies()
	links := func(change func(p *mteval.Pairing)) func([]mteval.Pairing) {
		return func(out []mteval.Pairing) { change(&out[len(out)-1]) }
	}
	pairs := map[string]func([]mteval.Pairing){
		"a link short":           links(func(p *mteval.Pairing) { p.Ref = p.Ref[1:] }),
		"a link too many":        links(func(p *mteval.Pairing) { p.Hyp = append(p.Hyp, mteval.Link{}) }),
		"no links":               links(func(p *mteval.Pairing) { *p = mteval.Pairing{} }),
		"spans":                  links(func(p *mteval.Pairing) { p.Spans = make([]mteval.Span, 1) }),
		"to past the end":        links(func(p *mteval.Pairing) { p.Hyp[0].To = 99 }),
		"to -2":                  links(func(p *mteval.Pairing) { p.Hyp[0].To = -2 }),
		"to none":                links(func(p *mteval.Pairing) { p.Ref[1].To = -1 }),
		"to a special token":     links(func(p *mteval.Pairing) { p.Ref[1].To = 0 }),
		"similarity NaN":         links(func(p *mteval.Pairing) { p.Ref[1].Sim = nan }),
		"similarity above 1":     links(func(p *mteval.Pairing) { p.Ref[1].Sim = 1.5 }),
		"similarity below -1":    links(func(p *mteval.Pairing) { p.Hyp[1].Sim = -1.5 }),
		"similarity of infinity": links(func(p *mteval.Pairing) { p.Hyp[1].Sim = float32(math.Inf(-1)) }),
	}
	refs, hyps := [][]string{{"a b c", "b c"}, {"c d e"}}, []string{"a b d", "d e f"}
	try := func(name string, b backend.Backend, lie *sloppy, batch func(*backend.Batch), pairs func([]mteval.Pairing)) {
		// What is cut off is no error here, so that nothing else finds it.
		s := newScorer(t, b, bertscore.Options{IDF: true, OnTruncated: func(string) {}})
		p, err := s.Prepare(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		lie.batch, lie.pairs = batch, pairs
		if batch != nil {
			if _, err := s.Prepare(t.Context(), refs); err == nil || !strings.Contains(err.Error(), "sloppy") {
				t.Errorf("%s in references: error %v", name, err)
			}
		}
		dst := []float64{7}
		if dst, err = p.Append(t.Context(), dst, nil, hyps); err == nil || !strings.Contains(err.Error(), "sloppy") || len(dst) != 1 {
			t.Errorf("%s in hypotheses: %v, error %v", name, dst, err)
		}
	}
	o := backendtest.FakeOptions{Special: true, MaxTokens: 9}
	for name, lie := range vectors {
		b := &sloppy{Backend: backendtest.NewFake(o)}
		try(name, b, b, lie, nil)
	}
	for name, lie := range tokens {
		b := &sloppy{Backend: backendtest.NewFakeMatcher(o)}
		try(name+", in a store", sloppyMatcher{b}, b, lie, nil)
	}
	for name, lie := range pairs {
		b := &sloppy{Backend: backendtest.NewFakeMatcher(o)}
		try(name, sloppyMatcher{b}, b, nil, lie)
	}
	// A token that other tokens weigh nothing beside, or an empty side, is linked to none.
	b := &sloppy{Backend: backendtest.NewFakeMatcher(backendtest.FakeOptions{})}
	s := newScorer(t, sloppyMatcher{b}, bertscore.Options{})
	p, err := s.Prepare(t.Context(), [][]string{{""}})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []mteval.Link{{To: 0}, {To: -1, Sim: .5}} {
		b.pairs = links(func(p *mteval.Pairing) { p.Hyp[0] = l })
		if _, err := p.Append(t.Context(), nil, nil, []string{"a"}); err == nil {
			t.Errorf("no error for the link %+v to an empty side", l)
		}
	}
}

func TestLyingInfo(t *testing.T) {
	for name, change := range map[string]func(*backend.Info){
		"no Dim":             func(i *backend.Info) { i.Dim = 0 },
		"a negative Dim":     func(i *backend.Info) { i.Dim = -3 },
		"negative MaxTokens": func(i *backend.Info) { i.MaxTokens = -1 },
	} {
		b := &sloppy{Backend: backendtest.NewFake(backendtest.FakeOptions{}), info: change}
		if _, err := bertscore.New(b, bertscore.Options{}); err == nil || !strings.Contains(err.Error(), "sloppy") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// One that changes does not change the scorer's signature, and can't change what
	// batches are held against.
	b := &sloppy{Backend: backendtest.NewFake(backendtest.FakeOptions{})}
	s := newScorer(t, b, bertscore.Options{})
	want := s.Info().Signature.String()
	b.info = func(i *backend.Info) { i.Dim, i.Signature = 3, nil }
	if got := s.Info().Signature.String(); got != want {
		t.Errorf("signature %s, was %s", got, want)
	}
	b.batch = func(b *backend.Batch) { b.Dim, b.Data = 3, b.Data[:3*len(b.Tokens)] }
	if _, err := s.Prepare(t.Context(), [][]string{{"a"}}); err == nil {
		t.Error("no error for vectors of another Dim")
	}
}

// Calls that make no sense are errors, or what they are documented to be.
func TestOddCalls(t *testing.T) {
	var zero bertscore.Scorer
	if _, err := zero.Prepare(t.Context(), [][]string{{"a"}}); err == nil {
		t.Error("no error for a zero Scorer")
	}
	if info := zero.Info(); info.Name != "bertscore" || zero.Width() != 4 {
		t.Errorf("Info of a zero Scorer: %+v", info)
	}
	s := newScorer(t, newLexical(t), bertscore.Options{Workers: -5, MaxTokens: -1, Beta: math.MaxFloat64})
	for _, refs := range [][][]string{nil, {}} {
		p, err := s.Prepare(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := p.Append(t.Context(), nil, nil, nil); err != nil || len(rows) != 0 {
			t.Errorf("rows %v of nothing, error %v", rows, err)
		}
	}
	for _, row := range segments(t, s, []string{"a b", ""}, [][]string{{"a c"}, {""}}) {
		for _, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("row %v", row)
			}
		}
	}
	none := &storesNothing{backendtest.NewFakeMatcher(backendtest.FakeOptions{})}
	if _, err := newScorer(t, none, bertscore.Options{}).Prepare(t.Context(), [][]string{{"a"}}); err == nil {
		t.Error("no error for a backend that stores nothing")
	}
}

type storesNothing struct{ backendtest.FakeMatcher }

func (storesNothing) Store(context.Context, *backend.Batch, []string) (backend.TextStore, error) {
	return nil, nil
}

package multilevel_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/tokenize"
)

func errorOf[T any](_ T, err error) error { return err }

// What no constructor made, and what makes no sense, is an error.
func TestMisuse(t *testing.T) {
	ctx := t.Context()
	refs := [][]string{{"a b"}}
	base := newMeteor(t, meteor.Options{})
	words := multilevel.WordsBy(tokenize.V13a, false)
	f := wordF(t, words)
	steps := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(i+1)/float64(n+1))
		}
		return out
	}
	for name, err := range map[string]error{
		"zero Words":               errorOf(multilevel.NewWordF(multilevel.Words{})),
		"words by nil":             errorOf(multilevel.NewWordF(multilevel.WordsBy(nil, true))),
		"words of nil":             errorOf(multilevel.NewWordF(multilevel.WordsOf(nil))),
		"triples of nil":           errorOf(multilevel.NewTripleF(nil, true)),
		"zero F":                   errorOf(new(multilevel.F).Prepare(ctx, refs)),
		"zero Mix":                 errorOf(new(multilevel.Mix).Prepare(ctx, refs)),
		"mix of nil":               errorOf(multilevel.NewMix(f, nil, .5)),
		"lambda NaN":               errorOf(multilevel.NewMix(f, f, math.NaN())),
		"zero Scorer, Prepare":     errorOf(new(multilevel.Scorer).Prepare(ctx, refs)),
		"zero Scorer, statistics":  errorOf(new(multilevel.Scorer).Statistics().Prepare(ctx, []string{"a"})),
		"zero Scorer, parameters":  errorOf(new(multilevel.Scorer).WithParameters(nil)),
		"no metric":                errorOf(multilevel.New(nil, multilevel.Options{})),
		"no levels":                errorOf(multilevel.New(base, multilevel.Options{Levels: []multilevel.Level{}})),
		"too many levels":          errorOf(multilevel.New(base, multilevel.Options{Levels: make([]multilevel.Level, 101), Thresholds: steps(100)})),
		"a million levels":         errorOf(multilevel.New(base, multilevel.Options{Levels: make([]multilevel.Level, 1_000_000)})),
		"thresholds of no levels":  errorOf(multilevel.New(base, multilevel.Options{Levels: make([]multilevel.Level, 3), Thresholds: steps(1)})),
		"thresholds that fall":     errorOf(multilevel.New(base, multilevel.Options{Thresholds: []float64{.5, .4}})),
		"threshold NaN":            errorOf(multilevel.New(base, multilevel.Options{Thresholds: []float64{.5, math.NaN()}})),
		"Lambda negative":          errorOf(multilevel.New(base, multilevel.Options{Lambda: -1})),
		"no parameters":            errorOf(newScorer(t, base, multilevel.Options{}).WithParameters(nil)),
		"thresholds of no scores":  errorOf(multilevel.Thresholds(nil, .5)),
		"thresholds of NaN":        errorOf(multilevel.Thresholds([]float64{1, math.NaN()}, .5)),
		"a share of NaN":           errorOf(multilevel.Thresholds([]float64{1}, math.NaN())),
		"negative share":           errorOf(multilevel.Thresholds([]float64{1}, -1)),
		"100 shares":               errorOf(multilevel.Thresholds([]float64{1}, steps(100)...)),
		"segments of another base": errorOf(newScorer(t, base, multilevel.Options{}).Prepare(ctx, [][]string{{}})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := newScorer(t, base, multilevel.Options{Levels: make([]multilevel.Level, multilevel.MaxLevels), Thresholds: steps(multilevel.MaxLevels - 1)})
	if n := len(s.Levels()); n != multilevel.MaxLevels {
		t.Errorf("%d levels", n)
	}
	// These have nothing to return an error with.
	zero := new(multilevel.Scorer)
	_, _, _, _, _ = zero.Info(), zero.Parameters(), zero.Levels(), zero.Score(make([]float64, 3)), zero.Counts(make([]float64, 3))
	_, _, _ = new(multilevel.Mix).Info(), new(multilevel.Mix).Score(nil), new(multilevel.Mix).Parameters()
	_ = new(multilevel.F).Info()
}

// A text that is too long for the metric is its error.
func TestMaxTokens(t *testing.T) {
	limittest.Test(t, "a", 0, func(most int) mteval.Scorer {
		return newScorer(t, newMeteor(t, meteor.Options{MaxTokens: most}), multilevel.Options{})
	})
	limittest.Test(t, "a", 0, func(most int) mteval.Scorer {
		s, err := dreem.New(dreem.Options{MaxTokens: most})
		if err != nil {
			t.Fatal(err)
		}
		return newScorer(t, s, multilevel.Options{Words: multilevel.WordsBy(tokenize.V13a, true)})
	})
}

func TestCancel(t *testing.T) {
	long := func(n int) string { return strings.TrimSpace(strings.Repeat("the ", n)) }
	limittest.Cancel(t, newScorer(t, newMeteor(t, meteor.Options{}), multilevel.Options{}), long(59_999), long(60_000))
}

// A failingParser can't parse the text "bad".
type failingParser struct{ err error }

func (p failingParser) Parse(_ context.Context, text string) ([]conllu.Sentence, error) {
	if text == "bad" {
		return nil, p.err
	}
	return nil, nil
}

// An error of a text names the text that it is of, on whichever side and in whichever block.
func TestTextErrors(t *testing.T) {
	bad := errors.New("bad")
	const n = 1500
	refs, hyps := make([][]string, n), make([]string, n)
	for i := range refs {
		refs[i] = []string{"a", "b"}
	}
	check := func(err error, want mteval.SegmentError) {
		t.Helper()
		var at *mteval.SegmentError
		if !errors.Is(err, bad) || !errors.As(err, &at) || at.Segment != want.Segment || at.Side != want.Side || at.Index != want.Index {
			t.Errorf("error %v (%+v), want one of %+v", err, at, want)
		}
	}
	s := tripleF(t, failingParser{bad}, false)
	p, err := s.Prepare(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	hyps[1234] = "bad"
	_, err = p.Append(t.Context(), nil, nil, hyps)
	check(err, mteval.SegmentError{Segment: 1234, Side: mteval.HypothesisSide, Index: 1234})
	refs[1001] = []string{"a", "bad"}
	_, err = s.Prepare(t.Context(), refs)
	check(err, mteval.SegmentError{Segment: 1001, Side: mteval.ReferenceSide, Index: 1})
}

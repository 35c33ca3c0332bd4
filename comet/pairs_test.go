package comet_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/comet"
)

// drawn are texts that the tiny models know, some of which are equal.
var drawn = rapid.SampledFrom([]string{
	"", " ", "Der Koch verkaufte neun Birnen.", "Der Koch zählt.", "Ein kalter Morgen", "und und und", "Birnen <pad>", "?",
	"The cook counts bread", "The cook sold nine pears, and the cook counts, and the cook counts.",
})

// append1 is the rows of hypotheses against one reference, by PrepareSources and Append.
func append1(t *rapid.T, s *comet.Scorer, source, ref string, hyps []string) []float64 {
	p, err := s.PrepareSources(context.Background(), []string{source}, [][]string{{ref}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Append(context.Background(), nil, make([]int, len(hyps)), hyps)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Pairs have the rows of Append, to the last bit, whatever they were set to before.
func TestPairs(t *testing.T) {
	for _, name := range []string{"wmt21", "max", "no-dropout"} {
		s := model(t, name, comet.Options{Workers: 2, OnCut: func(string) {}})
		p := s.NewPairs().(mteval.SourcePairs)
		rapid.Check(t, func(t *rapid.T) {
			source, texts := drawn.Draw(t, "source"), rapid.SliceOfN(drawn, 1, 6).Draw(t, "texts")
			if err := p.SetSource(context.Background(), source, texts); err != nil {
				t.Fatal(err)
			}
			hyps := rapid.SliceOf(rapid.IntRange(0, len(texts)-1)).Draw(t, "hypotheses")
			list := make([]string, len(hyps))
			for k, h := range hyps {
				list[k] = texts[h]
			}
			before := []float64{7}
			for ref, text := range texts {
				got, err := p.Append(context.Background(), before, ref, hyps)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(append(before, append1(t, s, source, text, list)...), got); d != "" {
					t.Fatalf("%s, reference %q (-want +got):\n%s", name, text, d)
				}
			}
		})
	}
	for _, name := range []string{"qe", "kiwi", "unified", "unified-ref"} {
		if p := model(t, name, comet.Options{}).NewPairs(); p != nil {
			t.Errorf("%s: pairs %v, want none", name, p)
		}
	}
	if p := new(comet.Scorer).NewPairs(); p != nil {
		t.Errorf("a zero Scorer: pairs %v, want none", p)
	}
}

// What is wrong with a text says which one, and leaves no text there.
func TestPairErrors(t *testing.T) {
	p := model(t, "wmt22", comet.Options{}).NewPairs().(mteval.SourcePairs)
	long := strings.Repeat("pears and ", 30)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		set  func() error
		want error
		side mteval.Side
		at   int
	}{
		{name: "no source", set: func() error { return p.Set(t.Context(), []string{"a"}) }, want: mteval.ErrNoSource},
		{name: "long text", set: func() error { return p.SetSource(t.Context(), "a", []string{"a", long}) }, want: backend.ErrTruncated, side: mteval.HypothesisSide, at: 1},
		{name: "long source", set: func() error { return p.SetSource(t.Context(), long, []string{"a", "b"}) }, want: backend.ErrTruncated, side: mteval.SourceSide},
		{name: "cancelled", set: func() error { return p.SetSource(cancelled, "a", []string{"a"}) }, want: context.Canceled},
	} {
		if err := p.SetSource(t.Context(), "x", []string{"y", "z"}); err != nil {
			t.Fatal(err)
		}
		err := tt.set()
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
		var at *mteval.SegmentError
		if tt.want == backend.ErrTruncated && (!errors.As(err, &at) || at.Side != tt.side || at.Segment != tt.at || at.Index != tt.at) {
			t.Errorf("%s: error %v", tt.name, err)
		}
		if rows, err := p.Append(t.Context(), nil, 0, nil); err == nil {
			t.Errorf("%s: rows %v, and there should be no text", tt.name, rows)
		}
	}
	if err := p.SetSource(t.Context(), "x", []string{"y", "z"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ref  int
		hyps []int
	}{{-1, nil}, {2, nil}, {0, []int{-1}}, {0, []int{1, 2}}} {
		if _, err := p.Append(t.Context(), nil, tt.ref, tt.hyps); err == nil {
			t.Errorf("reference %d, hypotheses %v: no error", tt.ref, tt.hyps)
		}
	}
	if _, err := p.Append(cancelled, nil, 0, []int{0, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// aggregate1 is the rows of hypotheses against a mean.
func aggregate1(t *rapid.T, s *comet.Scorer, source string, refs []string, weights []float64, hyps []string) []float64 {
	p, err := s.PrepareSourcesAggregate(context.Background(), []string{source}, [][]string{refs}, [][]float64{weights})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Append(context.Background(), nil, make([]int, len(hyps)), hyps)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Of one reference, of equal ones, and of one that alone weighs something, the mean is the
// reference. Of weights the ratios count.
func TestAggregate(t *testing.T) {
	s := model(t, "wmt22", comet.Options{OnCut: func(string) {}})
	rapid.Check(t, func(t *rapid.T) {
		source, ref, other := drawn.Draw(t, "source"), drawn.Draw(t, "reference"), drawn.Draw(t, "other")
		hyps := rapid.SliceOfN(drawn, 1, 4).Draw(t, "hypotheses")
		want := append1(t, s, source, ref, hyps)
		for name, got := range map[string][]float64{
			"one":      aggregate1(t, s, source, []string{ref}, nil, hyps),
			"equal":    aggregate1(t, s, source, []string{ref, ref, ref}, nil, hyps),
			"weighted": aggregate1(t, s, source, []string{ref, ref}, []float64{.3, .9}, hyps),
			"alone":    aggregate1(t, s, source, []string{other, ref}, []float64{0, 3}, hyps),
		} {
			for i := range want {
				if len(got) != len(want) || !(math.Abs(got[i]-want[i]) <= 1e-6) {
					t.Fatalf("%s: %v, want %v", name, got, want)
				}
			}
		}
		a := aggregate1(t, s, source, []string{ref, other}, []float64{1, 3}, hyps)
		b := aggregate1(t, s, source, []string{ref, other}, []float64{2, 6}, hyps)
		if !slices.Equal(a, b) {
			t.Fatalf("weights 1, 3: %v, and 2, 6: %v", a, b)
		}
	})
}

func TestAggregateErrors(t *testing.T) {
	one := [][]string{{"a", "b"}}
	for _, tt := range []struct {
		name, model string
		sources     []string
		refs        [][]string
		weights     [][]float64
		want        string
	}{
		{"class without references", "qe", []string{"s"}, one, nil, "reads no references"},
		{"class that joins", "unified", []string{"s"}, one, nil, "has no mean of references"},
		{"sources", "wmt22", []string{"s", "s"}, one, nil, "2 sources for 1 segments"},
		{"no reference", "wmt22", []string{"s"}, [][]string{{}}, nil, mteval.ErrNoReference.Error()},
		{"weights of segments", "wmt22", []string{"s"}, one, [][]float64{nil, nil}, "weights of 2 segments for 1"},
		{"weights", "wmt22", []string{"s"}, one, [][]float64{{1}}, "segment 1"},
		{"negative", "wmt22", []string{"s"}, one, [][]float64{{1, -1}}, "segment 1"},
		{"all 0", "wmt22", []string{"s"}, one, [][]float64{{0, 0}}, "segment 1"},
		{"not a number", "wmt22", []string{"s"}, one, [][]float64{{1, math.NaN()}}, "segment 1"},
	} {
		_, err := model(t, tt.model, comet.Options{}).PrepareSourcesAggregate(t.Context(), tt.sources, tt.refs, tt.weights)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := new(comet.Scorer).PrepareSourcesAggregate(t.Context(), []string{"s"}, one, nil); err == nil {
		t.Error("a zero Scorer: no error")
	}
}

package mteval_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// What a loop calls: hypotheses, one or some hundred at a time, against references that were
// prepared once.

// loopReferences are those of eight segments, two each.
func loopReferences() [][]string {
	one := []string{
		"The ferryman tied his boat to the willow before the storm came up.",
		"Nobody had told the baker that the mill was closed on Thursdays.",
		"Three grey herons stood in the shallow water and didn't move at all.",
		"She wrote the date on the first page, then closed the book again.",
		"Der Müller hörte das Rad und wusste, dass der Bach gestiegen war.",
		"The new bridge, which cost 4.5 million, opens at 10 o'clock.",
		"We walked as far as the weir & turned back when it grew dark.",
		"What the clerk had mislaid was found in the drawer of another desk.",
	}
	refs := make([][]string, len(one))
	for i, r := range one {
		refs[i] = []string{r, strings.Replace(r, "the", "that old", 1)}
	}
	return refs
}

// loopHypotheses are n different ones, and the segment of each.
func loopHypotheses(n int) (segs []int, hyps []string) {
	refs := loopReferences()
	for k := range n {
		i := k % len(refs)
		words := strings.Fields(refs[i][0])
		at := k / len(refs) % len(words)
		words[at], words[(at+3)%len(words)] = words[(at+3)%len(words)], words[at]
		words = slices.Insert(words, at, fmt.Sprintf("number%d", k))
		segs, hyps = append(segs, i), append(hyps, strings.Join(words, " "))
	}
	return segs, hyps
}

// loopMetric is a metric against prepared references.
type loopMetric struct {
	name     string
	prepared mteval.Prepared
}

// loopMetrics are all metrics of the library, on one goroutine a call or, where it can be told,
// on more.
func loopMetrics(tb testing.TB, workers int) []loopMetric {
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	ctx, refs := context.Background(), loopReferences()
	var out []loopMetric
	add := func(name string, s mteval.Scorer) {
		tb.Helper()
		p, err := s.Prepare(ctx, refs)
		must(err)
		out = append(out, loopMetric{name, p})
	}
	add("bleu", new(bleu.Scorer))
	add("chrf", new(chrf.Scorer))
	add("ter", new(ter.Scorer))
	add("overlap f", new(overlap.FScorer))
	add("overlap wer", new(overlap.RateScorer))
	m, err := meteor.New(meteor.Options{Workers: workers})
	must(err)
	add("meteor", m)
	d, err := dreem.New(dreem.Options{})
	must(err)
	add("dreem", d)
	l, err := multilevel.New(m, multilevel.IntoEnglish(nil))
	must(err)
	add("multilevel", l)

	over := func(name string, b backend.Backend) *bertscore.Scorer {
		tb.Helper()
		tb.Cleanup(func() { b.Close() })
		s, err := bertscore.New(b, bertscore.Options{Workers: workers, OnTruncated: func(string) {}})
		must(err)
		add("bertscore "+name, s)
		return s
	}
	words := func() backend.Backend {
		b, err := lexical.New(lexical.Options{Workers: workers})
		must(err)
		return b
	}
	model := func(name string) backend.Backend {
		layer := 2
		b, err := transformer.Open(filepath.Join("backend", "transformer", "testdata", name), transformer.Options{Layer: &layer, Workers: workers})
		must(err)
		return b
	}
	cached := func(b backend.Backend) backend.Backend {
		c, err := cache.New(b, cache.Options{})
		must(err)
		return c
	}
	base := over("lexical", words())
	over("bert", model("bert"))
	over("lexical, cached", cached(words()))
	over("bert, cached", cached(model("bert")))

	matcher, err := base.PrepareMatch(ctx, refs)
	must(err)
	_, hyps := loopHypotheses(len(refs))
	w, err := difficulty.Estimate(ctx, matcher, []mteval.System{{Name: "a", Hyps: hyps}, {Name: "b", Hyps: hyps}})
	must(err)
	s, err := difficulty.New(base, w, difficulty.Paper())
	must(err)
	add("difficulty", s)

	var sources []string
	for _, r := range refs {
		sources = append(sources, r[1])
	}
	for _, c := range []struct{ name, model string }{{"comet", "wmt21"}, {"comet joined", "unified"}} {
		s, err := comet.Open(filepath.Join("comet", "testdata", c.model), comet.Options{Workers: workers, OnCut: func(string) {}})
		must(err)
		tb.Cleanup(func() { s.Close() })
		p, err := s.PrepareSources(ctx, sources, refs)
		must(err)
		out = append(out, loopMetric{c.name, p})
	}
	return out
}

// loopCalls are how many hypotheses are given in a call: one, one a segment, a hundred, a corpus.
var loopCalls = []int{1, 8, 100, 1000}

// A loop that calls a metric again and again makes no work for the garbage collector, however
// many hypotheses it gives, and on however many goroutines they are scored.
func TestLoopAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	for _, workers := range []int{1, 3} {
		for _, m := range loopMetrics(t, workers) {
			allocatesNothing(t, m, workers, loopCalls)
		}
	}
}

// allocatesNothing checks calls of so many hypotheses.
func allocatesNothing(t *testing.T, m loopMetric, workers int, calls []int) {
	t.Helper()
	for _, n := range calls {
		segs, hyps := loopHypotheses(n)
		if n == len(loopReferences()) {
			segs = nil
		}
		if got := loopAllocations(t, m.prepared, segs, hyps); got != 0 {
			t.Errorf("%s, workers %d, %d hypotheses: %v allocations", m.name, workers, n, got)
		}
	}
}

// loopAllocations are those of one call of Append.
func loopAllocations(t *testing.T, p mteval.Prepared, segs []int, hyps []string) float64 {
	t.Helper()
	var rows []float64
	var err error
	got := kit.Allocations(func() { rows, err = p.Append(t.Context(), rows[:0], segs, hyps) })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Goroutines that share what was prepared get the rows that one alone gets.
func TestLoopShared(t *testing.T) {
	const goroutines, calls = 8, 3
	segs, hyps := loopHypotheses(24)
	for _, m := range loopMetrics(t, 2) {
		want, err := m.prepared.Append(t.Context(), nil, segs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				var rows []float64
				for k := range calls {
					// Each has other hypotheses in its calls.
					lo := (g + k) % len(hyps)
					rows, err := m.prepared.Append(t.Context(), rows[:0], segs[lo:], hyps[lo:])
					if from := len(want) / len(hyps) * lo; err != nil || !slices.Equal(rows, want[from:]) {
						t.Errorf("%s, goroutine %d: rows %v, error %v, want %v", m.name, g, rows, err, want[from:])
					}
				}
			})
		}
		wg.Wait()
	}
}

// BenchmarkLoop scores one and some hundred hypotheses, on one goroutine and on as many as
// there are processors, which share what was prepared.
func BenchmarkLoop(b *testing.B) {
	for _, m := range loopMetrics(b, 1) {
		for _, n := range []int{1, 100} {
			segs, hyps := loopHypotheses(n)
			name := fmt.Sprintf("%s/%d", strings.ReplaceAll(m.name, ", ", "-"), n)
			b.Run(name+"/alone", func(b *testing.B) {
				b.ReportAllocs()
				var rows []float64
				for b.Loop() {
					var err error
					if rows, err = m.prepared.Append(b.Context(), rows[:0], segs, hyps); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/shared", func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					var rows []float64
					for pb.Next() {
						var err error
						if rows, err = m.prepared.Append(b.Context(), rows[:0], segs, hyps); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}

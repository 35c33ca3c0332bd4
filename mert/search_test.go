package mert

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/kit"
)

// Fixed weights stay as they are, to the last bit, whatever is found for the others, and what
// is found is no worse along any axis that is free.
func TestSearchFixed(t *testing.T) {
	start := []float64{.7, -2.5, .3, 40}
	l := lists(t, newBLEU(t))
	got, err := l.Search(t.Context(), start, Options{Restarts: 5, Directions: 2, Fixed: []int{3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Weights[1] != start[1] || got.Weights[3] != start[3] {
		t.Errorf("weights %v, of %v the second and the fourth are fixed", got.Weights, start)
	}
	if got.Score <= got.Start || got.Weights[0] == start[0] && got.Weights[2] == start[2] {
		t.Errorf("%+v: nothing gained from %v", got, start)
	}
	chosen, err := l.First(got.Weights)
	if err != nil {
		t.Fatal(err)
	}
	total := totalOf(l, chosen)
	if total.score() != got.Score {
		t.Errorf("%+v, its weights have %v", got, total.score())
	}
	for _, j := range []int{0, 2} {
		axis := make([]float64, 4)
		axis[j] = 1
		if x, err := l.Line(t.Context(), got.Weights, axis); err != nil || x.Score-got.Score > 1e-4 {
			t.Errorf("feature %d leads from %v to %+v, %v", j, got.Score, x, err)
		}
	}
}

// Wherever a search is cancelled it ends with the context's error and no result, and lists can
// be searched again.
func TestSearchCancelled(t *testing.T) {
	l := lists(t, newBLEU(t))
	start := []float64{.25, .25, .25, .25}
	o := Options{Restarts: 3, Directions: 1}
	want, err := l.Search(t.Context(), start, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		o.Workers = workers
		for _, after := range append(kit.Looks(func(ctx context.Context) { _, _ = l.Search(ctx, start, o) }), 50, 200) {
			if got, err := l.Search(kit.NewCountdown(after), start, o); !errors.Is(err, context.Canceled) || got != nil {
				t.Errorf("%d workers, after %d looks: %+v, error %v, want Canceled", workers, after, got, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		// Cancelled by what watches it, when the first of many has ended.
		watched := mteval.WithProgress(ctx, func(done, _ int) { cancel() })
		if got, err := l.Search(watched, start, Options{Restarts: 200, Workers: workers}); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("%d workers, cancelled by progress: %+v, error %v, want Canceled", workers, got, err)
		}
		got, err := l.Search(t.Context(), start, o)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%d workers, after cancelled ones: %v, %s", workers, err, d)
		}
	}
}

// A total of BERTScore's rows is what the corpus scores of the candidates chosen are, whatever
// was chosen before, and a search gains.
func TestTotalBERTScore(t *testing.T) {
	words, err := lexical.New(lexical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	layer := 2
	bert, err := transformer.Open(filepath.Join("..", "backend", "transformer", "testdata", "bert"), transformer.Options{Layer: &layer})
	if err != nil {
		t.Fatal(err)
	}
	refs, candidates := read(t)
	for name, b := range map[string]backend.Backend{"lexical": words, "bert": bert} {
		defer b.Close()
		s, err := bertscore.New(b, bertscore.Options{OnTruncated: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := New(t.Context(), s, refs, candidates)
		if err != nil {
			t.Fatal(err)
		}
		total := totalOf(l, make([]int, l.Len()))
		for round := range 4 {
			hyps := make([]string, l.Len())
			for i := range hyps {
				c := (i*7 + round*5) % l.Candidates(i)
				total.replace(i, c)
				hyps[i] = candidates[i][c].Text
			}
			want, err := mteval.Corpus(t.Context(), s, refs, hyps)
			if err != nil {
				t.Fatal(err)
			}
			// Corpus adds plainly, in another order.
			if d := total.score() - want.Score; !(d < 1e-12 && d > -1e-12) {
				t.Errorf("%s: total %v, the corpus %v", name, total.score(), want.Score)
			}
		}
		got, err := l.Search(t.Context(), []float64{.25, .25, .25, .25}, Options{Restarts: -1})
		if err != nil || got.Score < got.Start {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

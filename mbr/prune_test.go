package mbr_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/mbr"
	"github.com/mteval/mteval/ter"
)

// counted is a scorer, without pairs of its own, that counts hypotheses.
type counted struct {
	mteval.Scorer
	n int
}

func (c *counted) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	p, err := c.Scorer.Prepare(ctx, refs)
	return countedPrepared{p, c}, err
}

type countedPrepared struct {
	mteval.Prepared
	c *counted
}

func (p countedPrepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	p.c.n += len(hyps)
	return p.Prepared.Append(ctx, dst, segs, hyps)
}

func decode(t rapid.TB, s mteval.Scorer, o mbr.Options, seg mbr.Segment) *mbr.Result {
	t.Helper()
	d, err := mbr.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Decode(context.Background(), seg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drawSegment is a segment of short texts, with weights or not.
func drawSegment(t *rapid.T) mbr.Segment {
	text := rapid.StringMatching(`[ab .,]{0,12}`)
	seg := mbr.Segment{Candidates: rapid.SliceOfN(text, 1, 20).Draw(t, "candidates")}
	n := len(seg.Candidates)
	if rapid.Bool().Draw(t, "own references") {
		seg.References = rapid.SliceOfN(text, 1, 30).Draw(t, "references")
		n = len(seg.References)
	}
	if rapid.Bool().Draw(t, "weighted") {
		seg.Weights = rapid.SliceOfN(rapid.Float64Range(0, 3), n, n).Draw(t, "weights")
		seg.Weights[rapid.IntRange(0, n-1).Draw(t, "one")] = 1
	}
	return seg
}

// used is how many references weigh something.
func used(seg mbr.Segment) int {
	n := 0
	for _, w := range seg.Weights {
		if w > 0 {
			n++
		}
	}
	if seg.Weights != nil {
		return n
	}
	return max(len(seg.References), len(seg.Candidates)*(1-min(1, len(seg.References))))
}

// With all references in the first step, or a confidence of 1, nothing is given up, and all is
// as without pruning, to the last bit.
func TestPruneNothing(t *testing.T) {
	for name, s := range scorers(t) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				seg := drawSegment(t)
				want := decode(t, s, mbr.Options{}, seg)
				for _, p := range []*mbr.Pruning{
					{Samples: []int{30}},
					{Alpha: 1, Samples: []int{1, 2, 5, 30}, Draws: 20, Seed: rapid.Uint64().Draw(t, "seed")},
				} {
					got := decode(t, s, mbr.Options{Prune: p}, seg)
					for i, n := range got.Samples {
						if n != used(seg) {
							t.Errorf("candidate %d has %d references, want %d", i, n, used(seg))
						}
					}
					got.Samples = nil
					if d := cmp.Diff(want, got); d != "" {
						t.Fatalf("%+v: %s", p, d)
					}
				}
			})
		})
	}
}

// A text that has no weight where it first stands, and has some later.
func TestPruneWeightLater(t *testing.T) {
	seg := mbr.Segment{
		Candidates: []string{"", "", ",.", "", "", "ab.", ",", "ab."},
		Weights:    []float64{1, 1.25, 1, 0.75, 1.125, 0, 1.015625, 1.0000000102445483},
	}
	for name, s := range scorers(t) {
		want := decode(t, s, mbr.Options{}, seg)
		got := decode(t, s, mbr.Options{Prune: &mbr.Pruning{Samples: []int{30}}}, seg)
		if d := cmp.Diff(want.Utilities, got.Utilities); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Those that are kept have the utilities that they have without pruning, no more pairs are
// scored than Samples say, and the number of workers and the segment before don't matter.
func TestPrune(t *testing.T) {
	for name, s := range scorers(t) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				seg := drawSegment(t)
				p := &mbr.Pruning{Alpha: rapid.Float64Range(0.01, 1).Draw(t, "alpha"), Samples: []int{2, 4, 9, 30}, Draws: 50, Seed: rapid.Uint64().Draw(t, "seed")}
				want := decode(t, s, mbr.Options{}, seg)
				c := &counted{Scorer: s}
				got := decode(t, c, mbr.Options{Prune: p, Workers: 1}, seg)
				pairs := 0
				for k, i := range got.Order {
					pairs += got.Samples[i]
					if kept := k < got.Kept; kept != (got.Samples[i] == used(seg)) {
						t.Errorf("candidate %d is kept: %v, with %d of %d references", i, kept, got.Samples[i], used(seg))
					} else if kept && got.Utilities[i] != want.Utilities[i] {
						t.Errorf("candidate %d is worth %v, want %v", i, got.Utilities[i], want.Utilities[i])
					}
					if k > 0 && got.Samples[got.Order[k-1]] < got.Samples[i] {
						t.Errorf("order %v of samples %v", got.Order, got.Samples)
					}
				}
				if got.Kept < 1 || c.n > pairs {
					t.Errorf("%d kept; %d pairs scored, %d said", got.Kept, c.n, pairs)
				}
				d, err := mbr.New(s, mbr.Options{Prune: p, Workers: 3})
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					again, err := d.Decode(context.Background(), seg)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(got, again); diff != "" {
						t.Fatal(diff)
					}
				}
			})
		})
	}
}

// What mbrs chooses when it prunes is kept and chosen here too, whatever the draws, and many
// pairs are not scored; see scripts/record_mbr_prune.py.
func TestPruneMbrs(t *testing.T) {
	data, err := os.ReadFile("testdata/pruned.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Candidates []string
		Cases      []struct {
			Weights []float64
			Best    int
			Utility float64
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Cases) == 0 {
		t.Fatal("nothing recorded")
	}
	for _, c := range recorded.Cases {
		seg := mbr.Segment{Candidates: recorded.Candidates, Weights: c.Weights}
		for seed := range uint64(5) {
			s := &counted{Scorer: &chrf.Scorer{}}
			r := decode(t, s, mbr.Options{Prune: &mbr.Pruning{Seed: seed}}, seg)
			if best := r.Order[0]; best != c.Best || math.Abs(r.Utilities[best]-c.Utility) > 1e-4 {
				t.Errorf("seed %d: %d is best, worth %v, want %d, %v", seed, best, r.Utilities[best], c.Best, c.Utility)
			}
			// No text is there twice, so that what is said is what was done.
			pairs := 0
			for _, n := range r.Samples {
				pairs += n
			}
			if n := len(recorded.Candidates); s.n != pairs || pairs > n*n*2/3 || r.Kept == n {
				t.Errorf("seed %d: %d pairs scored, %d said, of %d, and %d kept", seed, s.n, pairs, n*n, r.Kept)
			}
		}
	}
}

// Where less is better it is the worst that are given up.
func TestPruneErrors(t *testing.T) {
	// TER of "a b c d" against itself is 0, of the others against it 100 or more.
	seg := mbr.Segment{
		Candidates: []string{"x y z w", "a b c d", "p", "a b c d e f g h i"},
		References: slices.Repeat([]string{"a b c d"}, 40),
	}
	r := decode(t, ter.New(ter.Options{}), mbr.Options{Prune: &mbr.Pruning{}}, seg)
	// After 8 references nobody but the best wins a draw. Of the others, 100, 100 and 125, "x y z w"
	// is the first.
	want := &mbr.Result{Order: []int{1, 0, 2, 3}, Utilities: []float64{100, 0, 100, 125}, Kept: 1, Samples: []int{8, 40, 8, 8}}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
}

func TestPruneBad(t *testing.T) {
	for name, o := range map[string]mbr.Options{
		"mean":              {Aggregate: true, Prune: &mbr.Pruning{}},
		"alpha below 0":     {Prune: &mbr.Pruning{Alpha: -0.5}},
		"alpha above 1":     {Prune: &mbr.Pruning{Alpha: 1.01}},
		"alpha NaN":         {Prune: &mbr.Pruning{Alpha: math.NaN()}},
		"draws":             {Prune: &mbr.Pruning{Draws: -1}},
		"many draws":        {Prune: &mbr.Pruning{Draws: 1e7}},
		"no samples":        {Prune: &mbr.Pruning{Samples: []int{}}},
		"samples of 0":      {Prune: &mbr.Pruning{Samples: []int{0, 8}}},
		"samples twice":     {Prune: &mbr.Pruning{Samples: []int{8, 8}}},
		"samples the wrong": {Prune: &mbr.Pruning{Samples: []int{16, 8}}},
	} {
		if _, err := mbr.New(&chrf.Scorer{}, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Wherever it is cancelled it ends with the context's error, and the Decoder can be used again.
func TestPruneCancelled(t *testing.T) {
	seg := mbr.Segment{Candidates: candidates(40)}
	d, err := mbr.New(&chrf.Scorer{}, mbr.Options{Prune: &mbr.Pruning{Alpha: 0.5}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want, err := d.Decode(t.Context(), seg)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range append(kit.Looks(func(ctx context.Context) { _, _ = d.Decode(ctx, seg) }), 40, 100, 300) {
		if _, err := d.Decode(kit.NewCountdown(after), seg); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: error %v, want Canceled", after, err)
		}
		got, err := d.Decode(t.Context(), seg)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Fatalf("after %d looks: error %v, %s", after, err, d)
		}
	}
}

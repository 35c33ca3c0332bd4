package significance

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/metaeval"
)

func TestPairwiseP(t *testing.T) {
	for i, g := range readGolden(t).Pairwise {
		for _, workers := range []int{1, 3} {
			got, err := PairwiseP(ctx, metric("", numbered(g.Systems, g.Items, g.Scores)), Options{Samples: g.Samples, Seed: g.Seed, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(g.P, got); d != "" {
				t.Errorf("case %d, %d workers (-NumPy +got):\n%s", i, workers, d)
			}
		}
	}
}

// By hand: three items, on which a is better by 3, by 1, and by −1. Of the 8 ways to swap, 3 leave
// a sum of 3 or more: (3, 1, −1), (3, 1, 1) and (3, −1, 1).
func TestPairwisePExact(t *testing.T) {
	a, b := 3.0, 0.0
	one := 1.0
	s := numbered(2, 3, []*float64{&a, &one, &b, &b, &b, &one})
	got, err := PairwiseP(ctx, metric("", s), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]float64{{1, 3. / 8}, {7. / 8, 1}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	error := metaeval.Metric{Scores: s, LowerIsBetter: true}
	if got, err = PairwiseP(ctx, error, Options{}); err != nil || got[1][0] != 3./8 {
		t.Errorf("of an error metric: %v, %v", got, err)
	}
}

// Sums of all systems and those of each pair are the same; as good is as good either way.
func TestPairwisePProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems, items := rapid.IntRange(1, 5).Draw(t, "systems"), rapid.IntRange(1, 140).Draw(t, "items")
		s, wider := numbered(systems, items, nil), numbered(systems+1, items, nil)
		for i := range s.Values {
			s.Values[i] = float64(rapid.IntRange(-20, 20).Draw(t, "score")) / 8
		}
		copy(wider.Values, s.Values)
		if items > 1 { // one that lacks a score
			copy(wider.Values[len(s.Values)+1:], s.Values)
		} else {
			wider.Values[len(s.Values)] = 1
		}
		o := Options{Samples: 100, Seed: 3}
		p, err := PairwiseP(ctx, metric("", s), o)
		if err != nil {
			t.Fatal(err)
		}
		q, err := PairwiseP(ctx, metric("", wider), o)
		if err != nil {
			t.Fatal(err)
		}
		for a := range p {
			if d := cmp.Diff(p[a], q[a][:systems]); d != "" {
				t.Fatalf("(-shared sums +of pairs):\n%s", d)
			}
			for b := range p {
				if !(p[a][b] >= 0 && p[a][b] <= 1) || p[a][b]+p[b][a] < 1-1e-12 {
					t.Fatalf("%v and %v", p[a][b], p[b][a])
				}
			}
		}
	})
}

func TestPairwisePErrors(t *testing.T) {
	one := 1.0
	apart := numbered(2, 2, []*float64{&one, nil, nil, &one})
	if _, err := PairwiseP(ctx, metric("m", apart), Options{}); !errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("no item of both: error %v", err)
	}
	if _, err := PairwiseP(ctx, metric("m", numbered(2, 0, nil)), Options{}); !errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("no items: error %v", err)
	}
	huge := math.MaxFloat64
	if _, err := PairwiseP(ctx, metric("m", numbered(2, 2, []*float64{&huge, &huge, &one, &one})), Options{}); err == nil {
		t.Error("no error where sums overflow")
	}
	if got, err := PairwiseP(ctx, metric("m", numbered(1, 2, []*float64{&one, nil})), Options{}); err != nil || got[0][0] != 1 {
		t.Errorf("one system: %v, %v", got, err)
	}
	if _, err := PairwiseP(ctx, metric("m", apart), Options{Samples: -1}); err == nil {
		t.Error("no error for -1 samples")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	x, _, _ := large(3, 30, 0)
	if _, err := PairwiseP(cancelled, x, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// 1,000 permutations of all pairs of 20 systems on 2,000 items.
func BenchmarkPairwiseP(b *testing.B) {
	x, _, _ := large(20, 2000, 0)
	for b.Loop() {
		if _, err := PairwiseP(ctx, x, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

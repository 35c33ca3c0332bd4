package significance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
)

func TestPermutationTest(t *testing.T) {
	cases := 0
	for _, g := range readGolden(t).Permutations {
		x, y := metric("x", numbered(g.Systems, g.Items, g.X)), metric("y", numbered(g.Systems, g.Items, g.Y))
		human := numbered(g.Systems, g.Items, g.Z)
		for _, c := range g.Cases {
			name := fmt.Sprintf("%d systems, %s, %s, %s", g.Systems, c.Coefficient, c.Level, c.Swap)
			m, swap := at(levels[c.Level], coefficients[c.Coefficient]), swaps[c.Swap]
			for _, workers := range []int{1, 3} {
				got, err := PermutationTest(ctx, human, x, y, m, swap, Options{Samples: c.Samples, Seed: c.Seed, Workers: workers})
				if err != nil {
					t.Fatal(name, err)
				}
				if near(got.X, c.Want.X) && near(got.Y, c.Want.Y) {
					got.X, got.Y = c.Want.X, c.Want.Y
				}
				if d := cmp.Diff(c.Want, got); d != "" {
					t.Errorf("%s, %d workers (-want +got):\n%s", name, workers, d)
				}
			}
			cases++
			// Each difference, not only how many are large.
			on, zx, zy, err := standardize(human, x, y, m)
			if err != nil {
				t.Fatal(err)
			}
			p := newPermutations(swap, on.systems, on.items, Options{Samples: c.Samples, Seed: c.Seed})
			f, err := p.draw(ctx, 0, len(c.Differences), 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.differences(ctx, on, zx, zy, p).of(ctx, f, math.NaN(), 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.Differences {
				if math.Abs(got[i]-want) > 1e-12 {
					t.Errorf("%s, permutation %d: %v, want %v", name, i+1, got[i], want)
				}
			}
		}
	}
	if cases != 3*4*3*3 {
		t.Errorf("%d cases", cases)
	}
}

// The estimate of a difference of rank correlations is as far off as it says, at most.
func TestEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems, items := rapid.IntRange(1, 4).Draw(t, "systems"), rapid.IntRange(2, 70).Draw(t, "items")
		levels := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "levels")
		scores := func(name string) *metaeval.Scores {
			s := numbered(systems, items, nil)
			for i := range s.Values {
				s.Values[i] = float64(rapid.IntRange(0, levels).Draw(t, name))
			}
			return s
		}
		human, x, y := scores("human"), metric("x", scores("x")), metric("y", scores("y"))
		m := Measure{rapid.SampledFrom([]Coefficient{Spearman, Kendall}).Draw(t, "coefficient"), true, rapid.SampledFrom([]metaeval.Grouping{metaeval.NoGrouping, metaeval.BySystem}).Draw(t, "grouping")}
		on, zx, zy, err := standardize(human, x, y, m)
		if errors.Is(err, metaeval.ErrUndefined) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := newPermutations(rapid.SampledFrom([]Swap{SwapOutputs, SwapItems, SwapSystems}).Draw(t, "swap"), systems, items, Options{Samples: 20, Seed: 1})
		f, err := p.draw(ctx, 0, p.n, 1)
		if err != nil {
			t.Fatal(err)
		}
		d := newRankDifferences(ctx, on, m, zx, zy, p)
		exact, err := d.of(ctx, f, math.NaN(), 1)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := f.sums(ctx, d.swings, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range exact {
			about, off := d.estimate(f.of(i), sums[i*systems:(i+1)*systems])
			if math.Abs(about-want) > off+tolerance {
				t.Fatalf("%v ± %v for %v", about, off, want)
			}
		}
	})
}

// A measure of one's own is tested as the same one of the package is.
func TestPermutationTestOf(t *testing.T) {
	x, y, human := large(5, 40, 2)
	for level, l := range levels {
		for swap, s := range swaps {
			of := func(m metaeval.Metric) (float64, error) {
				if !l.Segments {
					a, err := metaeval.SystemLevel(human, m, metaeval.Pearson)
					return a.Value, err
				}
				a, err := metaeval.SegmentLevel(human, m, l.Grouping, metaeval.Pearson)
				return a.Value, err
			}
			got, err := PermutationTestOf(ctx, x, y, of, s, Options{Samples: 50, Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			want, err := PermutationTest(ctx, human, x, y, at(l, Pearson), s, Options{Samples: 50})
			if err != nil {
				t.Fatal(err)
			}
			if near(got.X, want.X) && near(got.Y, want.Y) {
				got.X, got.Y = want.X, want.Y
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %s (-PermutationTest +PermutationTestOf):\n%s", level, swap, d)
			}
		}
	}
}

// By hand: x agrees with people, y says the opposite. Of the four ways to swap, two leave
// them so or change their roles, and two make all scores of a metric equal.
func TestPermutationTestUndefinedAfterSwapping(t *testing.T) {
	zero, one := 0.0, 1.0
	up, down := numbered(2, 1, []*float64{&zero, &one}), numbered(2, 1, []*float64{&one, &zero})
	want := Difference{X: 1, Y: -1, P: .5, Greater: .25, Less: 1, Permutations: 4, Exact: true}
	for coefficient, c := range coefficients {
		for _, level := range []string{"system", "segment", "item"} {
			got, err := PermutationTest(ctx, up, metric("x", up), metric("y", down), at(levels[level], c), SwapSystems, Options{})
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" || err != nil {
				t.Errorf("%s, %s (-want +got):\n%s%v", coefficient, level, d, err)
			}
		}
	}
	of := func(m metaeval.Metric) (float64, error) {
		a, err := metaeval.SystemLevel(up, m, metaeval.Kendall)
		return a.Value, err
	}
	got, err := PermutationTestOf(ctx, metric("x", up), metric("y", down), of, SwapSystems, Options{})
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("PermutationTestOf (-want +got):\n%s%v", d, err)
	}
}

// An error metric is one whose scores are negated.
func TestPermutationTestDirection(t *testing.T) {
	x, y, human := large(6, 50, 0)
	negated := metaeval.Metric{Name: "−y", Scores: numbered(6, 50, nil), LowerIsBetter: true}
	for i, v := range y.Scores.Values {
		negated.Scores.Values[i] = -v
	}
	for level, l := range levels {
		want, err := PermutationTest(ctx, human, x, y, at(l, Kendall), SwapOutputs, Options{Samples: 60})
		if err != nil {
			t.Fatal(err)
		}
		got, err := PermutationTest(ctx, human, x, negated, at(l, Kendall), SwapOutputs, Options{Samples: 60})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-accuracy +error):\n%s", level, d)
		}
		// The other way round, above is below.
		back, err := PermutationTest(ctx, human, y, x, at(l, Kendall), SwapOutputs, Options{Samples: 60})
		if err != nil {
			t.Fatal(err)
		}
		if back.P != want.P || back.Greater != want.Less || back.Less != want.Greater {
			t.Errorf("%s: %+v, other way round %+v", level, want, back)
		}
	}
}

func TestPermutationTestErrors(t *testing.T) {
	x, y, human := large(3, 4, 0)
	with := func(m metaeval.Metric, change func(*metaeval.Scores)) metaeval.Metric {
		s, err := m.Scores.Select(m.Scores.Systems, m.Scores.Items)
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		return metaeval.Metric{Name: "changed", Scores: s}
	}
	constant := with(y, func(s *metaeval.Scores) {
		for i := range s.Values {
			s.Values[i] = .1
		}
	})
	renamed := with(y, func(s *metaeval.Scores) { s.Systems = []string{"1", "3", "2"} })
	gap := with(y, func(s *metaeval.Scores) { s.Values[5] = math.NaN() })
	infinite := with(y, func(s *metaeval.Scores) { s.Values[5] = math.Inf(1) })
	for _, tt := range []struct {
		name  string
		human *metaeval.Scores
		y     metaeval.Metric
		m     Measure
		swap  Swap
		o     Options
		want  error // nil: any
	}{
		{"constant", human, constant, Measure{}, SwapOutputs, Options{}, metaeval.ErrUndefined},
		{"constant people", constant.Scores, y, Measure{}, SwapOutputs, Options{}, metaeval.ErrUndefined},
		{"constant people, by item", constant.Scores, y, Measure{Kendall, true, metaeval.ByItem}, SwapOutputs, Options{}, metaeval.ErrUndefined},
		{"no people", numbered(3, 4, nil), y, Measure{Kendall, true, metaeval.NoGrouping}, SwapOutputs, Options{}, metaeval.ErrUndefined},
		{"other systems", human, renamed, Measure{}, SwapOutputs, Options{}, metaeval.ErrMismatch},
		{"other items", numbered(3, 5, nil), y, Measure{Segments: true}, SwapOutputs, Options{}, metaeval.ErrMismatch},
		{"missing", human, gap, Measure{}, SwapOutputs, Options{}, ErrMissing},
		{"missing, by item", human, gap, Measure{Spearman, true, metaeval.ByItem}, SwapOutputs, Options{}, ErrMissing},
		{"infinite", human, infinite, Measure{}, SwapOutputs, Options{}, nil},
		{"samples", human, y, Measure{}, SwapOutputs, Options{Samples: -1}, nil},
		{"swap", human, y, Measure{}, 3, Options{}, nil},
		{"grouping", human, y, Measure{Segments: true, Grouping: 3}, SwapOutputs, Options{}, nil},
		{"coefficient", human, y, Measure{Coefficient: -1}, SwapOutputs, Options{}, nil},
	} {
		got, err := PermutationTest(ctx, tt.human, x, tt.y, tt.m, tt.swap, tt.o)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	failed := errors.New("failed")
	if _, err := PermutationTestOf(ctx, x, y, func(metaeval.Metric) (float64, error) { return 0, failed }, SwapOutputs, Options{}); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := PermutationTest(cancelled, human, x, y, Measure{}, SwapOutputs, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// Huge and tiny scores have the p-values that they have at a scale of 1.
func TestPermutationTestScale(t *testing.T) {
	x, y, human := large(4, 20, 3)
	for coefficient, c := range coefficients {
		for level, l := range levels {
			var first Difference
			for _, scale := range []float64{1, 0x1p900, 0x1p-900} {
				scaled := metric("x", numbered(4, 20, nil))
				for i, v := range x.Scores.Values {
					scaled.Scores.Values[i] = v * scale
				}
				got, err := PermutationTest(ctx, human, scaled, y, at(l, c), SwapOutputs, Options{Samples: 50})
				if err != nil {
					t.Fatal(err)
				}
				if scale == 1 {
					first = got
				}
				if !near(got.X, first.X) || got.P != first.P || got.Greater != first.Greater || got.Less != first.Less {
					t.Errorf("%s, %s, times %v: %+v, want %+v", coefficient, level, scale, got, first)
				}
			}
		}
	}
}

func TestPermutationProgress(t *testing.T) {
	x, y, human := large(3, 4, 0)
	var got [][2]int
	ctx := mteval.WithProgress(ctx, func(done, total int) { got = append(got, [2]int{done, total}) })
	if _, err := PermutationTest(ctx, human, x, y, Measure{}, SwapOutputs, Options{Samples: 2500}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][2]int{{1024, 2500}, {2048, 2500}, {2500, 2500}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// large are scores of two metrics and of people, so many to the unit if that is not 0.
func large(systems, items int, levels float64) (x, y metaeval.Metric, human *metaeval.Scores) {
	r := rand.New(rand.NewPCG(1, 2))
	s := [3]*metaeval.Scores{}
	for i := range s {
		s[i] = numbered(systems, items, nil)
	}
	for at := range systems * items {
		quality := r.NormFloat64() + float64(at/items)/5
		for _, s := range s {
			v := quality + r.NormFloat64()
			if levels != 0 {
				v = math.Round(v*levels) / levels
			}
			s.Values[at] = v
		}
	}
	return metric("x", s[0]), metric("y", s[1]), s[2]
}

// PERM-BOTH, 1,000 permutations of 20 systems on 2,000 items.
func BenchmarkPermutationTest(b *testing.B) {
	for _, ties := range []float64{0, 10} {
		x, y, human := large(20, 2000, ties)
		for level, l := range levels {
			for coefficient, c := range coefficients {
				b.Run(fmt.Sprintf("%s/%s/levels=%v", level, coefficient, ties), func(b *testing.B) {
					for b.Loop() {
						if _, err := PermutationTest(ctx, human, x, y, at(l, c), SwapOutputs, Options{}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

package significance

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
)

// anyFinite are all numbers, and now and then those at the ends.
func anyFinite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
		rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{0, .1, 33.3, 5e-324, -5e-324, 1e-310, 1e308, -1e308, math.MaxFloat64}),
	)
}

// grids are scores of which the first's gaps are those of the others.
func grids(t *rapid.T, names ...string) map[string]*metaeval.Scores {
	systems, items := rapid.IntRange(1, 4).Draw(t, "systems"), rapid.IntRange(1, 4).Draw(t, "items")
	out := make(map[string]*metaeval.Scores)
	for _, name := range names {
		out[name] = numbered(systems, items, make([]*float64, systems*items))
	}
	for i := range systems * items {
		if rapid.IntRange(0, 4).Draw(t, "missing") > 0 {
			for _, name := range names {
				out[name].Values[i] = anyFinite().Draw(t, name)
			}
		}
	}
	return out
}

// constant makes all scores there are the same.
func constant(s *metaeval.Scores, v float64) {
	for i, old := range s.Values {
		if old == old {
			s.Values[i] = v
		}
	}
}

func measures() (out []Measure) {
	for c := Pearson; c <= Kendall; c++ {
		for _, level := range levels {
			out = append(out, at(level, c))
		}
	}
	return out
}

// What is the same throughout agrees with nothing, wherever it lacks scores.
func TestConstantsAreUndefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grids(t, "human", "x", "y")
		constant(g[rapid.SampledFrom([]string{"human", "x"}).Draw(t, "constant")], anyFinite().Draw(t, "value"))
		x, y := metric("x", g["x"]), metric("y", g["y"])
		o := Options{Samples: 5}
		for _, m := range measures() {
			if a, err := BootstrapAgreement(ctx, g["human"], []metaeval.Metric{x}, m, SampleBoth, o); !errors.Is(err, metaeval.ErrUndefined) && !errors.Is(err, ErrNoSegments) {
				t.Errorf("%+v: %v, %v", m, a, err)
			}
			if d, err := PermutationTest(ctx, g["human"], x, y, m, SwapOutputs, o); !errors.Is(err, metaeval.ErrUndefined) {
				t.Errorf("%+v: %v, %v", m, d, err)
			}
		}
	})
}

// Of anything else there are numbers in their ranges, or none.
func TestAgreementOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grids(t, "human", "x", "y")
		x, y := metric("x", g["x"]), metric("y", g["y"])
		o := Options{Samples: 5}
		in := func(low, high float64, values ...float64) {
			for _, v := range values {
				if !(v >= low-1e-9 && v <= high+1e-9) {
					t.Errorf("%v is not in %v to %v", v, low, high)
				}
			}
		}
		for _, m := range measures() {
			for s := SampleItems; s <= SampleBoth; s++ {
				a, err := BootstrapAgreement(ctx, g["human"], []metaeval.Metric{x, y}, m, s, o)
				if err != nil {
					if !errors.Is(err, metaeval.ErrUndefined) {
						t.Errorf("%+v: %v", m, err)
					}
					continue
				}
				in(-1, 1, a.Values...)
				in(-1, 1, a.Samples[0]...)
				d, i, p := a.Difference(0, 1)
				in(-2, 2, d, i.Low, i.Mean, i.High)
				in(0, 1, p)
			}
			for s := SwapOutputs; s <= SwapSystems; s++ {
				d, err := PermutationTest(ctx, g["human"], x, y, m, s, o)
				if err != nil {
					if !errors.Is(err, metaeval.ErrUndefined) {
						t.Errorf("%+v: %v", m, err)
					}
					continue
				}
				in(-1, 1, d.X, d.Y)
				in(0, 1, d.P, d.Greater, d.Less)
			}
		}
		if p, err := PairwiseP(ctx, x, o); err == nil {
			for _, row := range p {
				in(0, 1, row...)
			}
		}
		r := rapid.Float64Range(-1, 1)
		rx, ry, rxy, n := r.Draw(t, "rx"), r.Draw(t, "ry"), r.Draw(t, "rxy"), rapid.IntRange(-5, math.MaxInt).Draw(t, "n")
		d, err := Williams(rx, ry, rxy, n)
		if err != nil && !errors.Is(err, metaeval.ErrUndefined) {
			t.Error(err)
		}
		in(0, 1, d.P, d.Greater)
		in(-math.MaxFloat64, math.MaxFloat64, d.Statistic)
	})
}

// Zero values, nil, negative and huge ones are errors, and ask for no memory.
func TestMisuse(t *testing.T) {
	one := 1.0
	good := metric("good", numbered(2, 2, []*float64{&one, &one, nil, &one}))
	people := numbered(2, 2, []*float64{&one, &one, nil, &one})
	none := metaeval.Metric{Name: "none"}
	short := metric("short", &metaeval.Scores{Systems: []string{"a", "b"}, Items: []string{"1"}, Values: []float64{1}})
	table := mteval.NewTable(numbers{}, []string{"a", "b"}, 3)
	nothing := func(draws []uint32, out []float64) error { return nil }
	of := func(metaeval.Metric) (float64, error) { return 0, nil }
	resample := func(n int, o Options, values int, f func([]uint32, []float64) error) error {
		_, err := Resample(ctx, n, o, values, f)
		return err
	}
	errs := map[string]error{
		"Resample of -1":             resample(-1, Options{}, 1, nothing),
		"Resample of 0":              resample(0, Options{}, 1, nothing),
		"Resample of too many":       resample(maxThings+1, Options{}, 1, nothing),
		"Resample of MaxInt":         resample(math.MaxInt, Options{}, 1, nothing),
		"-1 numbers":                 resample(1, Options{}, -1, nothing),
		"MaxInt numbers":             resample(1, Options{}, math.MaxInt, nothing),
		"2^20 numbers of 10^6":       resample(1, Options{Samples: 1e6}, 1<<20, nothing),
		"nil":                        resample(1, Options{}, 1, nil),
		"no sampling":                errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{good}, Measure{}, 3, Options{})),
		"no measure":                 errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{good}, Measure{Segments: true, Grouping: -1}, 0, Options{})),
		"no metric":                  errorOf(BootstrapAgreement(ctx, people, nil, Measure{}, 0, Options{})),
		"nil scores":                 errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{none}, Measure{}, 0, Options{})),
		"nil scores, second":         errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{good, none}, Measure{}, 0, Options{})),
		"short scores":               errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{short}, Measure{}, 0, Options{})),
		"nil people":                 errorOf(BootstrapAgreement(ctx, nil, []metaeval.Metric{good}, Measure{}, 0, Options{})),
		"zero people":                errorOf(BootstrapAgreement(ctx, &metaeval.Scores{}, []metaeval.Metric{good}, Measure{}, 0, Options{})),
		"zero scores":                errorOf(BootstrapAgreement(ctx, &metaeval.Scores{}, []metaeval.Metric{metric("", &metaeval.Scores{})}, Measure{}, 0, Options{})),
		"permutation, nil":           errorOf(PermutationTest(ctx, people, good, none, Measure{}, 0, Options{})),
		"permutation, short":         errorOf(PermutationTest(ctx, people, short, good, Measure{}, 0, Options{})),
		"permutation, zero":          errorOf(PermutationTest(ctx, &metaeval.Scores{}, metric("", &metaeval.Scores{}), metric("", &metaeval.Scores{}), Measure{}, 0, Options{})),
		"permutation of nothing":     errorOf(PermutationTestOf(ctx, good, good, nil, 0, Options{})),
		"permutation of nil":         errorOf(PermutationTestOf(ctx, none, good, of, 0, Options{})),
		"permutation of nil, second": errorOf(PermutationTestOf(ctx, good, none, of, 0, Options{})),
		"permutation of short":       errorOf(PermutationTestOf(ctx, short, short, of, 0, Options{})),
		"PairwiseP of nil":           errorOf(PairwiseP(ctx, none, Options{})),
		"PairwiseP of short":         errorOf(PairwiseP(ctx, short, Options{})),
		"bootstrap of nil":           errorOf(Bootstrap(ctx, nil, Options{})),
		"bootstrap of zero":          errorOf(Bootstrap(ctx, &mteval.Table{}, Options{})),
		"paired, nil":                errorOf(PairedBootstrap(ctx, nil, 0, Options{})),
		"paired, -1":                 errorOf(PairedBootstrap(ctx, table, -1, Options{})),
		"randomization, nil":         errorOf(PairedRandomization(ctx, nil, 0, Options{})),
		"randomization, 2":           errorOf(PairedRandomization(ctx, table, 2, Options{})),
		"clusters, NaN":              errorOf(Clusters(nil, nil, math.NaN())),
		"clusters, -1":               errorOf(RankClusters(nil, nil, -1)),
		"clusters, ragged":           errorOf(Clusters([]int{1, 0}, [][]float64{{0, 0}, nil}, .05)),
		"clusters, out of range":     errorOf(Clusters([]int{1, 2}, [][]float64{{0, 0}, {0, 0}}, .05)),
		"Holm":                       errorOf(Holm([]float64{.1, math.NaN()})),
		"sign test":                  errorOf(SignTest(-1, 0, 0)),
		"sign test, overflow":        errorOf(SignTest(math.MaxInt, 0, 1)),
		"Williams":                   errorOf(Williams(0, 0, 0, math.MinInt)),
	}
	for _, n := range []int{-1, math.MinInt, maxSamples + 1, math.MaxInt32, math.MaxInt} {
		o := Options{Samples: n}
		errs["samples: Resample"] = resample(1, o, 1, nothing)
		errs["samples: Bootstrap"] = errorOf(Bootstrap(ctx, table, o))
		errs["samples: PairedBootstrap"] = errorOf(PairedBootstrap(ctx, table, 0, o))
		errs["samples: PairedRandomization"] = errorOf(PairedRandomization(ctx, table, 0, o))
		errs["samples: BootstrapAgreement"] = errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{good}, Measure{}, 0, o))
		errs["samples: PermutationTest"] = errorOf(PermutationTest(ctx, people, good, good, Measure{}, 0, o))
		errs["samples: PermutationTestOf"] = errorOf(PermutationTestOf(ctx, good, good, of, 0, o))
		errs["samples: PairwiseP"] = errorOf(PairwiseP(ctx, good, o))
		for call, err := range errs {
			if err == nil {
				t.Errorf("%d samples, %s: no error", n, call)
			}
		}
	}
	// What has no error has a documented result.
	for _, s := range []*metaeval.Scores{{}, numbered(0, 2, nil), numbered(1, 0, nil), numbered(1, 2, []*float64{nil, nil})} {
		if p, err := PairwiseP(ctx, metric("", s), Options{}); err != nil || len(p) != len(s.Systems) || len(p) > 0 && p[0][0] != 1 {
			t.Errorf("%+v: %v, %v", s, p, err)
		}
	}
	if i := Interval95(nil); i != (Interval{}) {
		t.Error(i)
	}
	if i := Interval95([]float64{.1, .1, .1}); i != (Interval{.1, .1, .1}) {
		t.Error(i)
	}
	if i := Interval95([]float64{1e308, 1e308}); i.Mean != 1e308 {
		t.Error(i)
	}
	if s, err := SignTest(0, 0, 0); err != nil || s.P != 1 {
		t.Error(s, err)
	}
	if p, err := Holm(nil); err != nil || len(p) != 0 {
		t.Error(p, err)
	}
}

// A metric whose rows have no numbers has the same score on all samples.
func TestBootstrapWithoutNumbers(t *testing.T) {
	got, err := Bootstrap(ctx, mteval.NewTable(constantScorer{}, []string{"a", "b"}, 3), Options{Samples: 2})
	if diff := cmp.Diff([][]float64{{7, 7}, {7, 7}}, got); diff != "" || err != nil {
		t.Errorf("error %v, scores (-want +got):\n%s", err, diff)
	}
}

type constantScorer struct{ mteval.Scorer }

func (constantScorer) Width() int { return 0 }

func (constantScorer) Info() mteval.Info           { return mteval.Info{} }
func (constantScorer) Score(row []float64) float64 { return 7 }

func errorOf[T any](_ T, err error) error { return err }

// Cancelled while they work, calls that would take minutes end. What the context says is
// looked at within samples and permutations, so that a few large ones end too.
func TestCancelled(t *testing.T) {
	x, y, people := large(10, 20_000, 0)
	table := mteval.NewTable(numbers{}, []string{"a", "b"}, 200_000)
	for k := range table.Systems {
		for i := range table.Len() {
			table.Row(k, i)[0] = float64(i*(k+7)) / 3
		}
	}
	o := Options{Samples: 1e6}
	for name, call := range map[string]func(ctx context.Context) error{
		"Resample": func(ctx context.Context) error {
			return errorOf(Resample(ctx, 1<<24, Options{Samples: 1e6}, 1, func([]uint32, []float64) error { return nil }))
		},
		"Bootstrap":           func(ctx context.Context) error { return errorOf(Bootstrap(ctx, table, o)) },
		"PairedBootstrap":     func(ctx context.Context) error { return errorOf(PairedBootstrap(ctx, table, 0, o)) },
		"PairedRandomization": func(ctx context.Context) error { return errorOf(PairedRandomization(ctx, table, 0, o)) },
		"PairwiseP":           func(ctx context.Context) error { return errorOf(PairwiseP(ctx, x, o)) },
		"PermutationTest": func(ctx context.Context) error {
			return errorOf(PermutationTest(ctx, people, x, y, Measure{Kendall, true, metaeval.NoGrouping}, SwapOutputs, o))
		},
		"PermutationTest by item": func(ctx context.Context) error {
			return errorOf(PermutationTest(ctx, people, x, y, Measure{Pearson, true, metaeval.ByItem}, SwapItems, o))
		},
		"PermutationTestOf": func(ctx context.Context) error {
			return errorOf(PermutationTestOf(ctx, x, y, func(m metaeval.Metric) (float64, error) { return m.Scores.Values[0], nil }, SwapSystems, Options{Samples: 1e9}))
		},
		"BootstrapAgreement": func(ctx context.Context) error {
			return errorOf(BootstrapAgreement(ctx, people, []metaeval.Metric{x, y}, Measure{}, SampleBoth, o))
		},
	} {
		ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		start := time.Now()
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 20*time.Second { // it would take minutes
			t.Errorf("%s ended after %v", name, d)
		}
		t.Log(name, time.Since(start))
		cancel()
	}
}

package metaeval

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyFinite are all numbers, and now and then those at the ends.
func anyFinite() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
		rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{0, .1, 33.3, 5e-324, -5e-324, 1e-310, 1e308, -1e308, math.MaxFloat64}),
	)
}

var correlations = map[string]Correlation{
	"Pearson": Pearson, "Spearman": Spearman, "Kendall": Kendall, "KendallA": KendallA, "KendallC": KendallC,
}

// drawGrid draws scores of this many systems and items, of which some are missing.
func drawGrid(t *rapid.T, name string, systems, items int, value *rapid.Generator[float64]) *Scores {
	s := NewScores(make([]string, systems), make([]string, items))
	for i := range s.Values {
		if s.Values[i] = value.Draw(t, name); rapid.IntRange(0, 4).Draw(t, "missing") == 0 {
			s.Values[i] = math.NaN()
		}
	}
	return s
}

// What is the same throughout has no correlation, wherever it lacks scores: the mean of
// three times .1 is not .1, and that of three times 1e308 is infinite.
func TestConstantsAreUndefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems, items := rapid.IntRange(0, 5).Draw(t, "systems"), rapid.IntRange(0, 5).Draw(t, "items")
		constant := drawGrid(t, "constant", systems, items, rapid.Just(anyFinite().Draw(t, "value")))
		other := drawGrid(t, "other", systems, items, anyFinite())
		human, m := constant, Metric{Name: "m", Scores: other, LowerIsBetter: rapid.Bool().Draw(t, "lower")}
		if rapid.Bool().Draw(t, "the metric's are constant") {
			human, m.Scores = other, constant
		}
		for name, f := range correlations {
			if a, err := SystemLevel(human, m, f); !errors.Is(err, ErrUndefined) {
				t.Errorf("%s at system level: %v, %v", name, a, err)
			}
			for g := NoGrouping; g <= BySystem; g++ {
				if a, err := SegmentLevel(human, m, g, f); !errors.Is(err, ErrUndefined) {
					t.Errorf("%s grouped by %s: %v, %v", name, g, a, err)
				}
			}
		}
		for name, test := range map[string]func(x, y []float64) (CorrelationTest, error){"Pearson": PearsonTest, "Spearman": SpearmanTest,
			"Kendall": func(x, y []float64) (CorrelationTest, error) { return KendallTest(x, y, KendallAuto) }} {
			x, y, _ := paired(human.Values, m.Scores.Values)
			if c, err := test(x, y); !errors.Is(err, ErrUndefined) {
				t.Errorf("test of %s: %v, %v", name, c, err)
			}
		}
		if out, err := Outliers(constantOnly(constant.Values), 0); !errors.Is(err, ErrUndefined) {
			t.Errorf("outliers: %v, %v", out, err)
		}
	})
}

func constantOnly(values []float64) []float64 {
	x, _, _ := paired(values, values)
	return x
}

// Of anything else measures are numbers in their range, or undefined, and powers of two as
// factors do not change them.
func TestMeasuresOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems, items := rapid.IntRange(1, 5).Draw(t, "systems"), rapid.IntRange(1, 5).Draw(t, "items")
		human, scores := drawGrid(t, "human", systems, items, anyFinite()), drawGrid(t, "metric", systems, items, anyFinite())
		if unit := rapid.SampledFrom([]int{0, -1074, -1060, -990, 900, 1020}).Draw(t, "unit"); unit != 0 {
			// Of a size, so that there is a mean of the smallest beside the largest.
			for i, v := range drawGrid(t, "metric", systems, items, rapid.Map(rapid.IntRange(-8, 8), func(i int) float64 { return float64(i) })).Values {
				scores.Values[i] = math.Ldexp(v, unit)
			}
		}
		exp, exact := rapid.IntRange(-2100, 2100).Draw(t, "exponent"), true
		scaled := NewScores(human.Systems, human.Items)
		least, most := math.Inf(1), 0.0
		for i, v := range scores.Values {
			if v != 0 && v == v {
				least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
			}
			w := math.Ldexp(v, exp)
			exact = exact && (v != v || math.Ldexp(w, -exp) == v) && least*1e16 >= most
			scaled.Values[i] = w
		}
		measures := map[string]func(*Scores) (Agreement, error){
			"acc_eq": func(s *Scores) (Agreement, error) { return AccEq(human, Metric{Scores: s}, NoGrouping, 0) },
			"calibrated": func(s *Scores) (Agreement, error) {
				epsilon, a, err := CalibrateTies(human, Metric{Scores: s}, ByItem)
				if err == nil && !(epsilon >= 0 && epsilon <= math.MaxFloat64) {
					t.Errorf("epsilon %v", epsilon)
				}
				return a, err
			},
			"pairwise": func(s *Scores) (Agreement, error) {
				a, err := PairwiseAccuracy(human, Metric{Scores: s}, nil)
				if err != nil {
					return Agreement{}, err
				}
				v, err := a.Value()
				return Agreement{Value: v}, err
			},
		}
		for name, f := range correlations {
			measures["system "+name] = func(s *Scores) (Agreement, error) { return SystemLevel(human, Metric{Scores: s}, f) }
			measures["segment "+name] = func(s *Scores) (Agreement, error) { return SegmentLevel(human, Metric{Scores: s}, NoGrouping, f) }
			measures["item "+name] = func(s *Scores) (Agreement, error) { return SegmentLevel(human, Metric{Scores: s}, ByItem, f) }
		}
		for name, of := range measures {
			a, err := of(scores)
			if name == "acc_eq" || name == "calibrated" {
				if err != nil && !errors.Is(err, ErrUndefined) {
					continue // too large for differences
				}
			}
			if err != nil && !errors.Is(err, ErrUndefined) || !(a.Value >= -1 && a.Value <= 1) {
				t.Fatalf("%s: %v, %v", name, a, err)
			}
			if !exact {
				continue
			}
			b, after := of(scaled)
			if after != nil && !errors.Is(after, ErrUndefined) {
				continue
			}
			if (err == nil) != (after == nil) || math.Abs(a.Value-b.Value) > 1e-9 {
				t.Errorf("%s: %v, %v became %v, %v times 2^%d", name, a, err, b, after, exp)
			}
		}
		if out, err := Outliers(constantOnly(scores.Values), 0); err != nil && !errors.Is(err, ErrUndefined) {
			t.Errorf("outliers: %v, %v", out, err)
		}
	})
}

// Zero values, nil and what does not fit are errors.
func TestMisuse(t *testing.T) {
	good := &Scores{Systems: []string{"a", "b"}, Items: []string{"1"}, Values: []float64{1, 2}}
	bad := map[string]*Scores{
		"nil":                nil,
		"short":              {Systems: []string{"a", "b"}, Items: []string{"1"}, Values: []float64{1}},
		"long":               {Systems: []string{"a", "b"}, Items: []string{"1"}, Values: []float64{1, 2, 3}},
		"Inf":                {Systems: []string{"a", "b"}, Items: []string{"1"}, Values: []float64{1, math.Inf(-1)}},
		"no system, a value": {Values: []float64{1}},
	}
	pairs := []Pair{{A: 1}}
	for name, s := range bad {
		m := Metric{Name: "m", Scores: s}
		for call, err := range map[string]error{
			"Check":            s.Check(),
			"Select":           errorOf(s.Select([]string{"a"}, nil)),
			"SystemLevel":      errorOf(SystemLevel(good, m, Pearson)),
			"SystemLevel, h":   errorOf(SystemLevel(s, Metric{Scores: good}, Pearson)),
			"SegmentLevel":     errorOf(SegmentLevel(good, m, ByItem, Pearson)),
			"SegmentLevel, h":  errorOf(SegmentLevel(s, Metric{Scores: good}, ByItem, Pearson)),
			"AccEq":            errorOf(AccEq(good, m, ByItem, 0)),
			"AccEq, h":         errorOf(AccEq(s, Metric{Scores: good}, ByItem, 0)),
			"CalibrateTies":    func() error { _, _, err := CalibrateTies(good, m, ByItem); return err }(),
			"CalibrateTiesTau": func() error { _, _, err := CalibrateTiesTau(good, m, ByItem); return err }(),
			"GroupMeans":       errorOf(s.GroupMeans([]string{"d"}, nil)),
			"Permutations":     errorOf(PermutationPValues(t.Context(), s, 10, 1)),
			"PairwiseAccuracy": errorOf(PairwiseAccuracy(good, m, nil)),
			"CountPairs":       func() error { _, _, err := CountPairs(pairs, s, 0); return err }(),
			"CountJudgements":  errorOf(CountJudgements(s)),
			"DARR":             errorOf(DARR(s, 0, DARROptions{})),
			"Sweep":            errorOf(Sweep(good, []float64{0}, []SweepMetric{{Metric: m}}, KendallForms(), DARROptions{})),
			"Sweep, h":         errorOf(Sweep(s, []float64{0}, nil, KendallForms(), DARROptions{})),
		} {
			if err == nil {
				t.Errorf("%s scores: no error of %s", name, call)
			}
		}
	}
	huge := make([]float64, 5000)
	for i := range huge {
		huge[i] = float64(i * 7919 % 5000)
	}
	order := make([]float64, 5000)
	for i := range order {
		order[i] = float64(i)
	}
	for call, err := range map[string]error{
		"no correlation":               errorOf(SystemLevel(good, Metric{Scores: good}, nil)),
		"no correlation of segments":   errorOf(SegmentLevel(good, Metric{Scores: good}, ByItem, nil)),
		"grouping":                     errorOf(SegmentLevel(good, Metric{Scores: good}, 7, Pearson)),
		"negative epsilon":             errorOf(AccEq(good, Metric{Scores: good}, ByItem, -1)),
		"differences":                  errorOf(AccEq(good, Metric{Scores: &Scores{good.Systems, good.Items, []float64{1e308, -1e308}}}, ByItem, 0)),
		"threshold NaN":                errorOf(DARR(good, math.NaN(), DARROptions{})),
		"lengths":                      errorOf(Pearson([]float64{1, 2}, nil)),
		"NaN":                          errorOf(Spearman([]float64{1, math.NaN()}, []float64{1, 2})),
		"method":                       errorOf(KendallTest([]float64{1, 2}, []float64{1, 2}, 9)),
		"exact, of many":               errorOf(KendallTest(order, huge, KendallExact)),
		"pair out of range":            func() error { _, _, err := CountPairs([]Pair{{Item: -1}}, good, 0); return err }(),
		"human relation":               func() error { _, _, err := CountPairs([]Pair{{A: 1, Human: -128}}, good, 0); return err }(),
		"negative count":               errorOf(Table4c().Tau(Counts{{-1}}, false)),
		"no counts":                    errorOf(Table4c().Tau(Counts{}, false)),
		"no form":                      errorOf(KendallForm{}.Tau(Counts{{1}}, true)),
		"a cell of 1e308":              errorOf(Matrix{{{1e308, true}}}.Tau(Counts{{2}})),
		"negative agreement":           errorOf(PairAccuracy{-1, 2}.Value()),
		"agreement on more than pairs": errorOf(PairAccuracy{3, 2}.Value()),
		"no pair":                      errorOf(PairAccuracy{}.Value()),
		"negative judgements":          errorOf(CountJudgements(&Scores{good.Systems, good.Items, []float64{1, -1}})),
		"p-values, ragged":             errorOf(SoftPairwiseAccuracy([][]float64{{0, 0}, nil}, [][]float64{{0, 0}, {0, 0}})),
		"p-values, none":               errorOf(SoftPairwiseAccuracy(nil, nil)),
		"p-values, unequal":            errorOf(SoftPairwiseAccuracy(nil, [][]float64{{1}})),
		"no outliers":                  errorOf(Outliers(nil, 0)),
		"cutoff":                       errorOf(Outliers([]float64{1, 2, 3}, math.Inf(1))),
	} {
		if err == nil {
			t.Errorf("%s: no error", call)
		}
	}
	// What has no error has a documented result.
	if out := (&Scores{}).SystemMeans(); len(out) != 0 {
		t.Error(out)
	}
	if out := bad["short"].SystemMeans(); len(out) != 2 || out[0] != 1 || out[1] == out[1] {
		t.Error(out)
	}
	if s := (Judgements{}).Warning(); s != "" {
		t.Error(s)
	}
	if s := Grouping(-1).String(); s == "" {
		t.Error("no name")
	}
	if _, err := (&Scores{}).Select([]string{"a"}, []string{"1"}); err != nil {
		t.Error(err)
	}
	if err := (&Scores{}).Check(); err != nil {
		t.Error(err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

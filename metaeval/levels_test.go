package metaeval

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestScores(t *testing.T) {
	s := NewScores([]string{"a", "b", "c"}, []string{"1", "2"})
	for k := range s.Systems {
		for i := range s.Items {
			if !math.IsNaN(s.At(k, i)) {
				t.Errorf("%d, %d: %v", k, i, s.At(k, i))
			}
		}
	}
	s.Set(0, 0, 1)
	s.Set(0, 1, 4)
	s.Set(1, 1, 7)
	got := s.SystemMeans()
	if got[0] != 2.5 || got[1] != 7 || !math.IsNaN(got[2]) {
		t.Errorf("means %v", got)
	}
	picked, err := s.Select([]string{"b", "x", "a"}, []string{"2", "9"})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	want := &Scores{[]string{"b", "x", "a"}, []string{"2", "9"}, []float64{7, nan, nan, nan, 4, nan}}
	if diff := cmp.Diff(want, picked, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]*Scores{
		"value":  {[]string{"a"}, []string{"1"}, []float64{math.Inf(-1)}},
		"number": {[]string{"a"}, []string{"1"}, nil},
		"system": {[]string{"a", "a"}, []string{"1"}, []float64{1, 2}},
		"item":   {[]string{"a"}, []string{"1", "1"}, []float64{1, 2}},
	} {
		if err := bad.Check(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := bad.Select(nil, nil); err == nil {
			t.Errorf("%s: no error of Select", name)
		}
	}
}

func TestLevelErrors(t *testing.T) {
	human := scores([][]*float64{{ptr(1), ptr(2)}, {ptr(2), ptr(1)}, {ptr(3), ptr(3)}})
	constant := scores([][]*float64{{ptr(1), ptr(1)}, {ptr(1), ptr(1)}, {ptr(1), ptr(1)}})
	missing := NewScores(human.Systems, human.Items)
	other := &Scores{[]string{"x", "y", "z"}, human.Items, human.Values}
	short := &Scores{human.Systems, human.Items, human.Values[1:]}
	for name, tt := range map[string]struct {
		metric *Scores
		want   error
	}{
		"constant": {constant, ErrUndefined},
		"missing":  {missing, ErrUndefined},
		"other":    {other, ErrMismatch},
		"short":    {short, nil},
	} {
		m := Metric{Name: "m", Scores: tt.metric}
		for _, g := range []Grouping{NoGrouping, ByItem, BySystem} {
			if a, err := SegmentLevel(human, m, g, Pearson); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s, by %s: %+v, %v", name, g, a, err)
			}
			if name == "constant" {
				continue
			}
			if a, err := AccEq(human, m, g, 0); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s, by %s: acc_eq %+v, %v", name, g, a, err)
			}
			if _, a, err := CalibrateTies(human, m, g); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s, by %s: calibrated %+v, %v", name, g, a, err)
			}
		}
		if a, err := SystemLevel(human, m, Pearson); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	m := Metric{Name: "m", Scores: human}
	if _, err := SegmentLevel(human, m, Grouping(9), Pearson); err == nil {
		t.Error("no such grouping")
	}
	own := errors.New("own")
	failing := func(x, y []float64) (float64, error) { return 0, own }
	if _, err := SegmentLevel(human, m, ByItem, failing); !errors.Is(err, own) {
		t.Errorf("a function's own error: %v", err)
	}
	if _, err := AccEq(human, m, ByItem, -1); err == nil {
		t.Error("epsilon -1")
	}
	if Grouping(9).String() != "Grouping(9)" || ByItem.String() != "item" {
		t.Error(Grouping(9), ByItem)
	}
}

// A metric's scores of systems need not be of people's items.
func TestSystemLevelOtherItems(t *testing.T) {
	human := scores([][]*float64{{ptr(1), nil}, {nil, ptr(2)}, {ptr(4), ptr(2)}, {nil, nil}})
	metric := &Scores{human.Systems, []string{"corpus"}, []float64{30, 20, 10, 5}}
	a, err := SystemLevel(human, Metric{Scores: metric, LowerIsBetter: true}, Kendall)
	if diff := cmp.Diff(Agreement{Value: 1, Groups: 1, Missing: 1}, a); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestPairwiseAccuracy(t *testing.T) {
	human := scores([][]*float64{{ptr(1)}, {ptr(2)}, {ptr(2)}, {ptr(3)}, {nil}})
	metric := Metric{Scores: scores([][]*float64{{ptr(5)}, {ptr(6)}, {ptr(6)}, {ptr(4)}, {ptr(1)}})}
	got, err := PairwiseAccuracy(human, metric, nil)
	if want := (PairAccuracy{3, 6}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	metric.LowerIsBetter = true
	got, err = PairwiseAccuracy(human, metric, nil)
	if want := (PairAccuracy{4, 6}); err != nil || got != want { // a tie of both agrees either way
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	// Only pairs that people tell apart.
	apart, err := PairwiseAccuracy(human, metric, func(a, b int) bool { return human.At(a, 0) != human.At(b, 0) })
	if want := (PairAccuracy{3, 5}); err != nil || apart != want {
		t.Errorf("%+v, %v, want %+v", apart, err, want)
	}
	if v, err := got.Plus(apart).Value(); err != nil || v != 7./11 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := (PairAccuracy{}).Value(); !errors.Is(err, ErrUndefined) {
		t.Errorf("no pairs: %v", err)
	}
	if _, err := PairwiseAccuracy(human, Metric{Scores: &Scores{Systems: []string{"x"}}}, nil); !errors.Is(err, ErrMismatch) {
		t.Errorf("other systems: %v", err)
	}
}

func TestSoftPairwiseAccuracy(t *testing.T) {
	p := [][]float64{{.5, .1, 0}, {.9, .5, .3}, {1, .7, .5}}
	if v, err := SoftPairwiseAccuracy(p, p); err != nil || v != 1 {
		t.Errorf("of itself: %v, %v", v, err)
	}
	turned := [][]float64{{.5, .9, 1}, {.1, .5, .7}, {0, .3, .5}}
	if v, err := SoftPairwiseAccuracy(p, turned); err != nil || math.Abs(v-(.2+0+.6)/3) > 1e-15 {
		t.Errorf("of its opposite: %v, %v", v, err)
	}
	// Of certain p-values it is pairwise accuracy.
	sure := [][]float64{{0, 0, 1}, {0, 0, 1}, {0, 0, 0}}
	other := [][]float64{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}}
	if v, err := SoftPairwiseAccuracy(sure, other); err != nil || v != 2./3 {
		t.Errorf("%v, %v", v, err)
	}
	for _, bad := range [][][]float64{p[:2], {p[0], p[1][:2], p[2]}, {{0, 2, 0}, p[1], p[2]}, {{0, math.NaN(), 0}, p[1], p[2]}} {
		if v, err := SoftPairwiseAccuracy(p, bad); err == nil || errors.Is(err, ErrUndefined) {
			t.Errorf("%v: %v, %v", bad, v, err)
		}
	}
	if _, err := SoftPairwiseAccuracy([][]float64{{0}}, [][]float64{{0}}); !errors.Is(err, ErrUndefined) {
		t.Errorf("one system: %v", err)
	}
}

// The figures of mt-metrics-eval's own tests of its tie calibration, and those of the
// public case kendall-variants.
func TestAccEqFigures(t *testing.T) {
	none := math.NaN()
	grid := func(values ...float64) *Scores {
		n := len(values) / 5
		s := NewScores([]string{"a", "b", "c", "d", "e"}[:n], []string{"1", "2", "3", "4", "5"})
		s.Values = values
		return s
	}
	human := grid(
		1, 5, 2, 1, 1,
		4, 2, 2, 1, 4,
		5, 9, 2, 8, 7,
		7, 6, none, 3, 2,
		none, none, none, none, none)
	metric := grid(
		0, 5, 2, 3, 2,
		none, 2, 1, 5, 3,
		9, 1, 5, 3, 8,
		9, 3, 4, 4, 1,
		none, none, none, none, none)
	m := Metric{Name: "m", Scores: metric}
	for epsilon, want := range []float64{.4666666666666667, .4916666666666668, .38333333333333347, .29166666666666674, .2666666666666667, .2, .15833333333333335, .15833333333333335, .1166666666666667} {
		a, err := AccEq(human, m, BySystem, float64(epsilon))
		if err != nil || math.Abs(a.Value-want) > 1e-15 || a.Groups != 4 || !slices.Equal(a.Undefined, []int{4}) {
			t.Errorf("epsilon %d: %+v, %v, want %v", epsilon, a, err, want)
		}
	}
	if epsilon, a, err := CalibrateTies(human, m, BySystem); err != nil || epsilon != 1 || math.Abs(a.Value-.4916666666666668) > 1e-15 {
		t.Errorf("%v, %+v, %v", epsilon, a, err)
	}

	human, m.Scores = grid(0, 0, 1, 2, 2), grid(.3, .5, .5, .5, .9)
	for epsilon, want := range map[float64]float64{0: .5, .2: .4} {
		if a, err := AccEq(human, m, NoGrouping, epsilon); err != nil || a.Value != want {
			t.Errorf("epsilon %v: %+v, %v, want %v", epsilon, a, err, want)
		}
	}
	human, m.Scores = grid(1, 2, 2, 3, 4), grid(2, 1, 1.5, 5, 3)
	if _, a, err := CalibrateTies(human, m, NoGrouping); err != nil || a.Value != .7 {
		t.Errorf("%+v, %v", a, err)
	}
}

// Calibration finds what trying every difference of scores finds, the least that is so good
// where there is no running sum over groups.
func TestCalibrateTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		human := drawScores(t, 3)
		metric := NewScores(human.Systems, human.Items)
		for i := range metric.Values {
			metric.Values[i] = float64(rapid.IntRange(0, 20).Draw(t, "metric")) / 7
		}
		m := Metric{Name: "m", Scores: metric, LowerIsBetter: rapid.Bool().Draw(t, "lower")}
		g := Grouping(rapid.IntRange(0, 2).Draw(t, "grouping"))
		epsilon, a, err := CalibrateTies(human, m, g)
		if err != nil {
			if !errors.Is(err, ErrUndefined) {
				t.Fatal(err)
			}
			return
		}
		for i, v := range metric.Values {
			for _, w := range metric.Values[:i] {
				e := math.Abs(v - w)
				b, err := AccEq(human, m, g, e)
				if err != nil {
					t.Fatal(err)
				}
				if b.Value > a.Value+1e-12 || b.Value > a.Value-1e-12 && e < epsilon && g == NoGrouping {
					t.Fatalf("%v at %v, %v at %v", a.Value, epsilon, b.Value, e)
				}
			}
		}
		if _, tau, err := CalibrateTiesTau(human, m, g); err != nil || math.Abs(tau.Value-(2*a.Value-1)) > 1e-12 {
			t.Fatalf("tau %v, %v, for %v", tau.Value, err, a.Value)
		}
	})
}

// Pairs that are sorted in parts give what those that are sorted at once do.
func TestCalibrationInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		human := drawScores(t, 3)
		metric := NewScores(human.Systems, human.Items)
		for i := range metric.Values {
			metric.Values[i] = float64(rapid.IntRange(-200, 20).Draw(t, "metric")) / 7
		}
		if rapid.Bool().Draw(t, "at a bound") { // of parts
			for i := range metric.Values {
				metric.Values[i] = rapid.SampledFrom([]float64{0, math.Nextafter(1, 0), 1}).Draw(t, "metric")
			}
		}
		g := Grouping(rapid.IntRange(0, 2).Draw(t, "grouping"))
		groups, err := differing(human, Metric{Scores: metric}, g)
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(0, 9).Draw(t, "most")
		if whole, parts := bestEpsilon(groups, false, 1e6), bestEpsilon(groups, false, most); whole != parts {
			t.Fatalf("%v, %v in parts of %d", whole, parts, most)
		}
	})
}

// Many scores are sorted to be compared. Where differences are halves, the least epsilon that
// is not 0 has them compared pair by pair, and makes no other tie.
func TestAccEqOfManyScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(sortedFrom, 3*sortedFrom).Draw(t, "n")
		half := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-9, 9).Draw(t, "twice")) / 2 })
		s := group{human: rapid.SliceOfN(half, n, n).Draw(t, "human"), metric: rapid.SliceOfN(half, n, n).Draw(t, "metric")}
		sorted, pairs := s.agreeing(0)
		if compared, all := s.agreeing(math.SmallestNonzeroFloat64); sorted != compared || pairs != all {
			t.Fatalf("%d of %d, %d of %d", sorted, pairs, compared, all)
		}
	})
}

func TestOutlierErrors(t *testing.T) {
	for _, tt := range []struct {
		x         []float64
		cutoff    float64
		undefined bool
	}{
		{nil, 0, true},
		{[]float64{1, 1, 1, 2}, 0, true},
		{[]float64{1, 2, math.NaN()}, 0, false},
		{[]float64{1, 2, math.Inf(1)}, 0, false},
		{[]float64{1, 2}, -1, false},
		{[]float64{1, 2}, math.NaN(), false},
	} {
		if got, err := Outliers(tt.x, tt.cutoff); err == nil || errors.Is(err, ErrUndefined) != tt.undefined {
			t.Errorf("%v, %v: %v, %v", tt.x, tt.cutoff, got, err)
		}
	}
	// 2.5 unless another is asked for.
	x := []float64{1, 2, 3, 4, 5, 9}
	a, errA := Outliers(x, 0)
	b, errB := Outliers(x, 2.5)
	if errA != nil || errB != nil || !slices.Equal(a, b) {
		t.Errorf("%v, %v, %v, %v", a, b, errA, errB)
	}
}

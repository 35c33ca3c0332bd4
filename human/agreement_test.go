package human

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/metaeval"
)

// Krippendorff's example of four observers and twelve units: Computing Krippendorff's
// Alpha-Reliability (2011), section E, prints these.
func TestKrippendorffExample(t *testing.T) {
	_x := math.NaN()
	observers := [][]float64{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, _x, _x, _x},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _x, 3},
		{_x, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _x},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _x},
	}
	units := make([][]float64, 12)
	for _, o := range observers {
		for i, v := range o {
			if !math.IsNaN(v) {
				units[i] = append(units[i], v)
			}
		}
	}
	for level, want := range []float64{.743, .815, .849, .797} {
		if got, err := Krippendorff(units, Measurement(level)); err != nil || math.Round(got*1000)/1000 != want {
			t.Errorf("level %d: %v, %v; want %v", level, got, err, want)
		}
	}
}

// Two readers of 50 grant proposals: both yes 20, both no 15, only the first yes 5, only
// the second 10, as worked out in Wikipedia's article: p_o = .7, p_e = .5.
func TestCohenExample(t *testing.T) {
	var a, b []float64
	for _, c := range [][3]int{{1, 1, 20}, {1, 0, 5}, {0, 1, 10}, {0, 0, 15}} {
		for range c[2] {
			a, b = append(a, float64(c[0])), append(b, float64(c[1]))
		}
	}
	for w := Unweighted; w <= Quadratic; w++ { // two categories: weights make no difference
		if got, err := CohenKappa(a, b, w); err != nil || !close12(got, .4) {
			t.Errorf("weights %d: %v, %v", w, got, err)
		}
	}
}

func TestAgreementErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, f := range map[string]func() (float64, error){
		"no scores":      func() (float64, error) { return CohenKappa(nil, nil, Linear) },
		"all missing":    func() (float64, error) { return CohenKappa([]float64{nan, 1}, []float64{1, nan}, 0) },
		"one category":   func() (float64, error) { return CohenKappa([]float64{3, 3}, []float64{3, 3}, Quadratic) },
		"one score each": func() (float64, error) { return Krippendorff([][]float64{{1}, {2}, nil}, Interval) },
		"the same score": func() (float64, error) { return Krippendorff([][]float64{{1, 1}, {1, 1}, {2}}, Ordinal) },
		"zeros":          func() (float64, error) { return Krippendorff([][]float64{{0, 0}, {0, 0}}, Ratio) },
	} {
		if got, err := f(); got != 0 || !errors.Is(err, metaeval.ErrUndefined) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, f := range map[string]func() (float64, error){
		"infinite":       func() (float64, error) { return CohenKappa([]float64{inf, 1}, []float64{1, 2}, 0) },
		"NaN":            func() (float64, error) { return Krippendorff([][]float64{{1, nan}}, 0) },
		"negative ratio": func() (float64, error) { return Krippendorff([][]float64{{-1, 2}}, Ratio) },
	} {
		if got, err := f(); got != 0 || err == nil || errors.Is(err, metaeval.ErrUndefined) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Alpha by its definition: all pairs of scores, by all values' counts.
func alphaByPairs(units [][]float64, level Measurement) (observed, expected float64) {
	var all []float64
	for _, u := range units {
		if len(u) > 1 {
			all = append(all, u...)
		}
	}
	difference := func(a, b float64) float64 {
		switch {
		case a == b:
			return 0
		case level == Nominal:
			return 1
		case level == Ordinal:
			lo, hi := min(a, b), max(a, b)
			sum := 0.0
			for _, v := range all {
				switch {
				case v == lo || v == hi:
					sum += .5
				case v > lo && v < hi:
					sum++
				}
			}
			return sum * sum
		case level == Interval:
			return (a - b) * (a - b)
		}
		return (a - b) / (a + b) * (a - b) / (a + b)
	}
	n := float64(len(all))
	for _, u := range units {
		for i, a := range u {
			for j, b := range u {
				if i != j {
					observed += difference(a, b) / float64(len(u)-1) / n
				}
			}
		}
	}
	for i, a := range all {
		for j, b := range all {
			if i != j {
				expected += difference(a, b) / n / (n - 1)
			}
		}
	}
	return observed, expected
}

func TestKrippendorffDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Map(rapid.IntRange(0, 6), func(i int) float64 { return float64(i) })
		units := rapid.SliceOfN(rapid.SliceOfN(score, 0, 5), 1, 12).Draw(t, "units")
		level := Measurement(rapid.IntRange(0, 3).Draw(t, "level"))
		o, e := alphaByPairs(units, level)
		got, err := Krippendorff(units, level)
		if !(e > 0) {
			if !errors.Is(err, metaeval.ErrUndefined) {
				t.Fatalf("%v, %v; want undefined", got, err)
			}
			return
		}
		if err != nil || math.Abs(got-(1-o/e)) > 1e-9 {
			t.Fatalf("%v, %v; want %v", got, err, 1-o/e)
		}
	})
}

// Huge and tiny scores neither overflow nor vanish, and no score is changed.
func TestAgreementScales(t *testing.T) {
	units := [][]float64{{1, 2}, {2, 2, 3}, {5, 4}, {1, 1}}
	for level := Nominal; level <= Ratio; level++ {
		want, err := Krippendorff(units, level)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []float64{1e-300, 3e307} {
			scaled := make([][]float64, len(units))
			for i, u := range units {
				for _, v := range u {
					scaled[i] = append(scaled[i], v*s)
				}
			}
			if got, err := Krippendorff(scaled, level); err != nil || !close12(got, want) {
				t.Errorf("level %d, scale %v: %v, %v; want %v", level, s, got, err, want)
			}
		}
	}
	a, b := []float64{1, 2, 5, 5}, []float64{2, 2, 4, 5}
	for w := Unweighted; w <= Quadratic; w++ {
		want, _ := CohenKappa(a, b, w)
		for _, s := range []float64{1e-300, 3e307, -3e307} {
			x, y := make([]float64, 4), make([]float64, 4)
			for i := range a {
				x[i], y[i] = (a[i]-3)*s, (b[i]-3)*s
			}
			if got, err := CohenKappa(x, y, w); err != nil || !close12(got, want) {
				t.Errorf("weights %d, scale %v: %v, %v; want %v", w, s, got, err, want)
			}
		}
	}
	if a[0] != 1 || units[1][2] != 3 {
		t.Error("scores were changed")
	}
}

func TestByOutputAndRepeats(t *testing.T) {
	js := []Judgement{
		{Judge: "ann", System: "a", Item: "1", Score: 10},
		{Judge: "bob", System: "a", Item: "1", Score: 20},
		{Judge: "ann", System: "a", Item: "1", Score: 12}, // again, not marked
		{Judge: "ann", System: "b", Item: "1", Score: 30},
		{Judge: "ann", System: "b", Item: "1", Score: 33, Kind: Repeat},
		{Judge: "ann", System: "b", Item: "1", Score: 5, Kind: Degraded},
		{Judge: "bob", System: "b", Item: "1", Score: 31, Kind: Repeat}, // of nothing
		{Judge: "ann", System: "a", Item: "1", Score: 14},
		{Judge: "ann", System: "a", Item: "1", Score: 99, Source: "de", Target: "en"},
	}
	units := ByOutput(js)
	if len(units) != 3 || units[0][0] != 10 || units[0][1] != 20 || len(units[0]) != 2 || len(units[1]) != 1 || units[2][0] != 99 {
		t.Errorf("units %v", units)
	}
	first, again := Repeats(js)
	if len(first) != 3 || first[0] != 10 || again[0] != 12 || first[1] != 30 || again[1] != 33 || first[2] != 10 || again[2] != 14 {
		t.Errorf("repeats %v, %v", first, again)
	}
}

package moments

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMean(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, nan},
		{[]float64{nan}, nan},
		{[]float64{.1, .1, .1}, .1}, // their sum divided by 3 is not
		{[]float64{nan, 1, 3}, 2},
		{[]float64{1e308, 1e308, 1e308}, 1e308},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64},
		{[]float64{math.MaxFloat64, -math.MaxFloat64}, 0},
		{[]float64{5e-324, 5e-324, 5e-324}, 5e-324},
		{[]float64{math.Copysign(0, -1)}, 0},
	} {
		if got := Mean(tt.values); math.Float64bits(got) != math.Float64bits(tt.want) && !(got != got && tt.want != tt.want) {
			t.Errorf("%v: %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), 1, 9).Draw(t, "values")
		low, high := slices.Min(values), slices.Max(values)
		if m := Mean(values); !(m >= low && m <= high) {
			t.Errorf("mean %v", m)
		}
		ss, u := 0.0, Unit(values)
		for _, v := range values {
			ss += (v*u - low*u) * (v*u - low*u)
		}
		if !(ss < 1e100) || (ss == 0) != (low == high) {
			t.Errorf("squares %v of %v times %v", ss, values, u)
		}
		tame := Tame(values)
		spread := slices.Max(tame) - slices.Min(tame)
		if (spread == 0) != (low == high) || math.IsInf(spread*float64(len(values)), 0) {
			t.Errorf("%v became %v", values, tame)
		}
	})
}

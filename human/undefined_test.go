package human

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

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

var levels = []Measurement{Nominal, Ordinal, Interval, Ratio}

func TestAlphaOfEqualScores(t *testing.T) {
	for _, units := range [][][]float64{
		{{.1, .1, .1}, {.1, .1, .1}},
		{{33.3, 33.3, 33.3}, {33.3, 33.3, 33.3, 33.3}, {33.3, 33.3, 33.3}},
		{{1e308, 1e308, 1e308}, {1e308, 1e308}},
		{{5e-324, 5e-324}},
		{{math.Copysign(0, -1), 0}, {0, 0}},
		{{.1, .1, .1}, {7}}, // the 7 is left out
	} {
		for _, level := range levels {
			if a, err := Krippendorff(units, level); !errors.Is(err, metaeval.ErrUndefined) {
				t.Errorf("%v at level %d: %v, %v", units, level, a, err)
			}
		}
	}
	// The ratio distance of any x > 0 and 0 is 1: as nominal.
	for _, x := range []float64{5e-324, 1e-310, 1, 1e308} {
		units := [][]float64{{x, 0}, {0, 0}}
		want, _ := Krippendorff(units, Nominal)
		if a, err := Krippendorff(units, Ratio); err != nil || a != want || want != 0 {
			t.Errorf("%v: %v, %v, want 0", units, a, err)
		}
	}
	if a, err := Krippendorff([][]float64{{1, 2}, {2, 2}}, 4); err == nil || errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("level 4: %v, %v", a, err)
	}
	if k, err := CohenKappa([]float64{1, 2}, []float64{1, 1}, 3); err == nil || errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("weights 3: %v, %v", k, err)
	}
}

// Agreement of equal scores, whatever they are, is undefined.
func TestConstantsAreUndefined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyFinite().Draw(t, "value")
		judges := rapid.IntRange(2, 7).Draw(t, "judges")
		var units [][]float64
		var flat []float64
		for range rapid.IntRange(1, 9).Draw(t, "units") {
			u := make([]float64, judges)
			for i := range u {
				u[i] = v
			}
			units, flat = append(units, u), append(flat, u...)
		}
		undefined := func(what string, got float64, err error) {
			if !errors.Is(err, metaeval.ErrUndefined) {
				t.Errorf("%s of %v: %v, %v", what, units, got, err)
			}
		}
		for _, level := range levels {
			if level == Ratio && v < 0 {
				continue
			}
			a, err := Krippendorff(units, level)
			undefined("alpha", a, err)
		}
		for w := Unweighted; w <= Quadratic; w++ {
			k, err := CohenKappa(flat, flat, w)
			undefined("Cohen", k, err)
		}
		var js []Judgement
		for _, v := range flat {
			js = append(js, Judgement{Judge: "j", System: "s", Item: "1", Score: v})
		}
		if z, dropped := Standardize(js); len(z) > 0 || len(dropped) != 1 {
			t.Errorf("standardized: %v, %v", z, dropped)
		}
		if kept, rejected := Filter(js, Quality{}); len(kept) > 0 || len(rejected) != 1 || rejected[0].Reason != NoVariance {
			t.Errorf("kept: %v, %v", kept, rejected)
		}
		if s, _, err := Average(js); err == nil && s.Values[0] != v {
			t.Errorf("the mean of %v is %v", v, s.Values[0])
		} else if math.Abs(v) <= 1e100 && err != nil {
			t.Error(err)
		}
	})
}

// What is not constant has a number, and powers of two as factors do not change it.
func TestAgreementOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := anyFinite()
		units := rapid.SliceOfN(rapid.SliceOfN(number, 3, 3), 1, 6).Draw(t, "units")
		exp := rapid.IntRange(-2100, 2100).Draw(t, "exponent")
		scaled := make([][]float64, len(units))
		exact := true
		for i, u := range units {
			for _, v := range u {
				w := math.Ldexp(v, exp)
				exact = exact && math.Ldexp(w, -exp) == v
				scaled[i] = append(scaled[i], w)
			}
		}
		same := func(what string, of func([][]float64) (float64, error)) {
			a, err := of(units)
			if err != nil && !errors.Is(err, metaeval.ErrUndefined) {
				return // negative, on a ratio scale
			}
			if err == nil && !(a <= 1 && a >= -math.MaxFloat64) {
				t.Errorf("%s of %v: %v", what, units, a)
			}
			if !exact {
				return
			}
			b, after := of(scaled)
			if (err == nil) != (after == nil) || math.Abs(a-b) > 1e-9*max(1, math.Abs(a)) {
				t.Errorf("%s of %v times 2^%d: %v, %v became %v, %v", what, units, exp, a, err, b, after)
			}
		}
		for _, level := range levels {
			same("alpha", func(u [][]float64) (float64, error) { return Krippendorff(u, level) })
		}
		for w := Unweighted; w <= Quadratic; w++ {
			same("Cohen", func(u [][]float64) (float64, error) {
				var a, b []float64
				for _, v := range u {
					a, b = append(a, v[0]), append(b, v[1])
				}
				return CohenKappa(a, b, w)
			})
		}
	})
}

// Judges' scores of any size have z scores.
func TestStandardizeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var js []Judgement
		equal := true
		for _, v := range rapid.SliceOfN(anyFinite(), 2, 6).Draw(t, "scores") {
			js = append(js, Judgement{Judge: "j", System: "s", Score: v})
			equal = equal && v == js[0].Score
		}
		z, dropped := Standardize(js)
		if equal != (len(z) == 0) || equal != (len(dropped) == 1) {
			t.Fatalf("%v, %v", z, dropped)
		}
		ss := 0.0
		for _, j := range z {
			ss += j.Score * j.Score
		}
		if n := float64(len(z) - 1); n > 0 && math.Abs(ss-n) > 1e-9*n {
			t.Errorf("z scores %v, of variance %v", z, ss/n)
		}
	})
}

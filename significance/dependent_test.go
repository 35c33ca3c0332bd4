package significance

import (
	"errors"
	"math"
	"testing"

	"github.com/mteval/mteval/internal/student"
	"github.com/mteval/mteval/metaeval"
)

func TestStudentTails(t *testing.T) {
	for _, c := range readGolden(t).Tails {
		for _, sign := range []float64{1, -1} {
			if got := student.Tails(sign*c[1], c[0]); math.Abs(got-c[2]) > 1e-12*c[2] {
				t.Errorf("df %v, t %v: %v, SciPy has %v", c[0], c[1], got, c[2])
			}
		}
	}
	// 1 degree of freedom is Cauchy's distribution, 2 have a closed form too.
	for _, x := range []float64{0, 1e-150, 1e-3, 1, 3, 1e4, 1e8} {
		if got, want := student.Tails(x, 1), 2/math.Pi*math.Atan2(1, x); math.Abs(got-want) > 1e-13*want {
			t.Errorf("df 1, t %v: %v, want %v", x, got, want)
		}
		if got, want := student.Tails(x, 2), 2/(math.Sqrt(2+x*x)*(math.Sqrt(2+x*x)+x)); math.Abs(got-want) > 1e-13*want {
			t.Errorf("df 2, t %v: %v, want %v", x, got, want)
		}
	}
}

func TestDependent(t *testing.T) {
	for _, c := range readGolden(t).Dependent {
		got, err := Williams(c.Rx, c.Ry, c.Rxy, c.N)
		if err != nil {
			t.Fatal(err)
		}
		// A statistic that is the difference of numbers close to each other has
		// fewer digits, and its tail fewer still.
		const few = 1e-10
		for i, v := range []float64{got.Statistic, got.P, got.Greater} {
			if math.Abs(v-c.Williams[i]) > few*math.Abs(c.Williams[i]) {
				t.Errorf("(%v, %v, %v, %d): %+v, want %v", c.Rx, c.Ry, c.Rxy, c.N, got, c.Williams)
			}
		}
		back, err := Williams(c.Ry, c.Rx, c.Rxy, c.N)
		if err != nil || math.Abs(back.Statistic+got.Statistic) > few*math.Abs(got.Statistic) || math.Abs(back.Greater+got.Greater-1) > few {
			t.Errorf("%+v, other way round %+v, %v", got, back, err)
		}
	}
}

// Published figures.
func TestDependentPublished(t *testing.T) {
	for _, f := range []struct {
		rx, ry, rxy float64
		n           int
		statistic   float64 // 0: not given
		p           float64
		digits      float64
	}{
		{.8, .72, .89, 26, 1.361, .187, 1e-3},                                               // Howell, Statistical Methods for Psychology, 6th edition, p. 262
		{.3, .4, .5, 100, -1.0767, .2843, 1e-4},                                             // Silver, Hittner and May, Applied Psychological Measurement 30, 2006
		{-.1741, .2015, .3734, 646, -9.0340, 0, 1e-4},                                       // cocor 1.1
		{.6, .5, .7, 30, 0, 2 * .2036245385443929, 1e-14},                                   // mt-metrics-eval
		{0.693458895410494, 0.695966022434845, 0.988475791500198, 5105, 0, 0.1000759, 1e-7}, // psych's r.test
		// psych's r.test, as in the tests of nlpstats
		{0.2858291510722974, 0.15950937602663995, 0.02655585689350244, 45, 0, .5433956, 1e-7},
		{.1, .05, .05, 9, 0, .9317423, 1e-7},
	} {
		got, err := Williams(f.rx, f.ry, f.rxy, f.n)
		if err != nil {
			t.Fatal(err)
		}
		agree := func(a, b float64) bool { return b == 0 || math.Abs(a-b) <= f.digits/2*(1+1e-9) }
		// The inputs of cocor's are rounded.
		if f.n == 646 {
			agree = func(a, b float64) bool { return b == 0 || math.Abs(a-b) < 3e-3 }
		}
		if !agree(got.Statistic, f.statistic) || !agree(got.P, f.p) {
			t.Errorf("%+v, want %+v", got, f)
		}
	}
}

func TestDependentErrors(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		rx, ry, rxy float64
		n           int
		undefined   bool
	}{
		{.6, .5, 1, 30, true},
		{.6, .6, 1, 30, true},
		{.1, .1, 1, 30, true},
		{1. / 3, 1. / 3, 1, 100, true},
		{.9, -.9, .9, 30, true}, // of no three variables
		{.6, .5, .7, 3, true},
		{.6, .5, .7, -3, true},
		{nan, .5, .7, 30, false},
		{.6, 1.1, .7, 30, false},
		{.6, .5, math.Inf(-1), 30, false},
	} {
		got, err := Williams(tt.rx, tt.ry, tt.rxy, tt.n)
		if err == nil || got != (DependentTest{}) || errors.Is(err, metaeval.ErrUndefined) != tt.undefined {
			t.Errorf("(%v, %v, %v, %d): %+v, %v", tt.rx, tt.ry, tt.rxy, tt.n, got, err)
		}
	}
}

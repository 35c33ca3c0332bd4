package compare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/compare"
)

// Scores are decimals, and these are equal, or as far apart as is said, on paper and not in
// binary. T and P are SciPy's ttest_rel where there is a spread.
func TestRounding(t *testing.T) {
	type found struct {
		First  string
		Ahead  float64
		Counts [3]int // wins, ties, losses
		T, P   float64
		Needed int
	}
	for _, c := range []struct {
		name string
		a, b []float64
		tie  float64
		want found
	}{
		// .1+.2+.3 is more than .3+.2+.1 in binary: by name, a is first all the same.
		{"b's sum rounds up", []float64{.3, .2, .1}, []float64{.1, .2, .3}, 0, found{"a", 0, [3]int{1, 1, 1}, 0, 1, 0}},
		{"a's sum rounds up", []float64{.1, .2, .3}, []float64{.3, .2, .1}, 0, found{"a", 0, [3]int{1, 1, 1}, 0, 1, 0}},
		// .1+.7+.4 = .4+.4+.4; 1.2 is rounded in both.
		{"other numbers, of one sum", []float64{.4, .4, .4}, []float64{.1, .7, .4}, 0, found{"a", 0, [3]int{1, 1, 1}, 0, 1, 0}},
		// Without the first segment .1 and −.1 are left, which is nothing.
		{"what is left is rounded", []float64{.9, .3, .7}, []float64{.8, .2, .8}, 0, found{"a", .1 / 3, [3]int{2, 0, 1}, .5, .6666666666666666, 1}},
		// The same difference on all: see TTest.
		{"one difference", []float64{.2, .3, .4, .5, .6, .7}, []float64{.1, .2, .3, .4, .5, .6}, 0, found{"a", .1, [3]int{6, 0, 0}, 6, 0, 6}},
		{"ties", []float64{.2, .3, .4, .5, .8, .9}, []float64{.1, .2, .3, .4, .7, .6}, .1, found{"a", .8 / 6, [3]int{1, 5, 0}, 4, .010323, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := metric(map[string][]float64{"a": c.a, "b": c.b})
			r := one(t, m, compare.Options{Tie: c.tie})
			d, err := compare.Decide(m, "a", "b")
			if err != nil {
				t.Fatal(err)
			}
			p := r.Pairs[0]
			got := found{r.Systems[0].Name, p.Difference, [3]int{p.Wins, p.Ties, p.Losses}, p.T.T, p.T.P.P, d.Needed}
			if diff := cmp.Diff(c.want, got, cmp.Comparer(func(x, y float64) bool { return x-y < 1e-6 && y-x < 1e-6 })); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if c.want.Ahead == 0 && p.Difference != 0 {
				t.Errorf("a difference of %v, want 0", p.Difference)
			}
		})
	}
}

// One segment shows no spread, and no difference can be significant.
func TestOneSegmentTooFew(t *testing.T) {
	m := metric(map[string][]float64{"a": {.5}, "b": {.4}})
	if !one(t, m, compare.Options{Test: compare.Student}).TooFewSamples {
		t.Error("Student's test of one segment could find something")
	}
}

package preference_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/preference"
)

var nan = math.NaN()

// Expected values are worked out by hand, logarithms by a table.
func TestCheck(t *testing.T) {
	// a above b .8, above c .9; b against c .5.
	p := [][]float64{{.5, .8, .9}, {.2, .5, .5}, {.1, .5, .5}}
	for _, tt := range []struct {
		name  string
		human []float64
		want  preference.Check
	}{
		{"as people", []float64{3, 2, 1}, preference.Check{
			// −log .8 = .223144, −log .9 = .105361, −log .5 = .693147.
			All:   preference.Agreement{Pairs: 3, Accuracy: 2.5 / 3, Expected: 2.2 / 3, LogLoss: 1.021652 / 3, Brier: .3 / 3},
			Clear: preference.Agreement{Pairs: 3, Accuracy: 2.5 / 3, Expected: 2.2 / 3, LogLoss: 1.021652 / 3, Brier: .3 / 3},
		}},
		{"the opposite", []float64{1, 2, 3}, preference.Check{
			// −log .2 = 1.609438, −log .1 = 2.302585.
			All:   preference.Agreement{Pairs: 3, Accuracy: .5 / 3, Expected: 2.2 / 3, LogLoss: 4.605170 / 3, Brier: 1.70 / 3},
			Clear: preference.Agreement{Pairs: 3, Accuracy: .5 / 3, Expected: 2.2 / 3, LogLoss: 4.605170 / 3, Brier: 1.70 / 3},
		}},
		// The standard deviation of 0, 1 and 10 is 5.5076: 1 is less than a quarter of it.
		{"two of them close", []float64{1, 0, 10}, preference.Check{
			All:   preference.Agreement{Pairs: 3, Accuracy: 1.5 / 3, Expected: 2.2 / 3, LogLoss: (.223144 + 2.302585 + .693147) / 3, Brier: (.04 + .81 + .25) / 3},
			Clear: preference.Agreement{Pairs: 2, Accuracy: .25, Expected: .7, LogLoss: (2.302585 + .693147) / 2, Brier: 1.06 / 2},
		}},
		{"one without a score", []float64{1, nan, 2}, preference.Check{
			All:   preference.Agreement{Pairs: 1, Expected: .9, LogLoss: 2.302585, Brier: .81},
			Clear: preference.Agreement{Pairs: 1, Expected: .9, LogLoss: 2.302585, Brier: .81},
		}},
		{"all alike", []float64{1, 1, 1}, preference.Check{}},
		{"none", []float64{nan, nan, nan}, preference.Check{}},
	} {
		r := &preference.Result{Systems: []string{"a", "b", "c"}, P: p}
		got, err := r.Check(tt.human)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(&tt.want, got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestCheckErrors(t *testing.T) {
	r := &preference.Result{Systems: []string{"a"}, P: [][]float64{{.5}}}
	for want, human := range map[string][]float64{
		"preference: 2 human scores of 1 systems":                       {1, 2},
		"preference: the human score of a is +Inf, want within ±1e+100": {math.Inf(1)},
		"preference: 0 human scores of 1 systems":                       nil,
		"preference: the human score of a is -Inf, want within ±1e+100": {math.Inf(-1)},
	} {
		if got, err := r.Check(human); err == nil || got != nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", human, err, want)
		}
	}
	if got, err := new(preference.Result).Check(nil); err != nil || *got != (preference.Check{}) {
		t.Errorf("no systems: %v, %v", got, err)
	}
	// A side that was given no chance at all costs much, and not an infinite loss.
	r = &preference.Result{Systems: []string{"a", "b"}, P: [][]float64{{.5, 0}, {1, .5}}}
	got, err := r.Check([]float64{2, 1})
	if err != nil || !(got.All.LogLoss > 700 && got.All.LogLoss < 800) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is found does not depend on the order of the systems, and neither does it on the scale
// of people's scores.
func TestCheckOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		r := &preference.Result{Systems: make([]string, n), P: make([][]float64, n)}
		human := make([]float64, n)
		for a := range n {
			r.P[a] = make([]float64, n)
			r.P[a][a] = .5
			human[a] = float64(rapid.IntRange(0, 5).Draw(t, "human"))
			for b := range a {
				p := rapid.Float64Range(0, 1).Draw(t, "p")
				r.P[a][b], r.P[b][a] = p, 1-p
			}
		}
		order := rapid.Permutation(seq(n)).Draw(t, "order")
		other := &preference.Result{Systems: make([]string, n), P: make([][]float64, n)}
		scaled := make([]float64, n)
		for i, k := range order {
			other.P[i] = make([]float64, n)
			for j, l := range order {
				other.P[i][j] = r.P[k][l]
			}
			scaled[i] = 4*human[k] - 8
		}
		want, err := r.Check(human)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := other.Check(scaled); err != nil || *got != *want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func ExampleResult_Check() {
	r := &preference.Result{
		Systems: []string{"aspen", "birch", "cedar"},
		P:       [][]float64{{.5, .6, .9}, {.4, .5, .8}, {.1, .2, .5}},
	}
	check, err := r.Check([]float64{70.2, 71, 64})
	if err != nil {
		panic(err)
	}
	fmt.Printf("of %d pairs people's in %.0f%%, expected %.0f%%\n", check.All.Pairs, 100*check.All.Accuracy, 100*check.All.Expected)
	fmt.Printf("of %d clear ones people's in %.0f%%\n", check.Clear.Pairs, 100*check.Clear.Accuracy)
	// Output:
	// of 3 pairs people's in 67%, expected 77%
	// of 2 clear ones people's in 100%
}

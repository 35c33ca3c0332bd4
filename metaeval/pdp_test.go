package metaeval

import (
	"errors"
	"math"
	"testing"
)

// Of the first item the differences are 1 and 2 by people, 2 and 1 by the metric, and 3 and 3
// of the third pair; of the second one pair has 1 and −1, as the third system lacks a score.
// So Σxy = 2 + 2 + 9 − 1 = 12, Σxx = 1 + 4 + 9 + 1 = 15 and Σyy = 4 + 1 + 9 + 1 = 15.
func TestPairwiseDifferencePearson(t *testing.T) {
	nan := math.NaN()
	human := &Scores{Systems: []string{"a", "b", "c"}, Items: []string{"1", "2"}, Values: []float64{0, 1, 1, 0, 3, nan}}
	m := Metric{Name: "M", Scores: &Scores{Systems: human.Systems, Items: human.Items, Values: []float64{0, 5, 2, 6, 3, 1}}}
	for _, lower := range []bool{false, true} {
		want := 12. / 15
		if lower {
			want = -want
		}
		m.LowerIsBetter = lower
		a, err := PairwiseDifferencePearson(human, m)
		if err != nil || math.Abs(a.Value-want) > 1e-15 || a.Groups != 1 || a.Missing != 1 {
			t.Errorf("%+v, %v, want %v", a, err, want)
		}
	}
	m.Scores = &Scores{Systems: human.Systems, Items: human.Items, Values: []float64{1, 2, 1, 2, 1, 3}}
	if _, err := PairwiseDifferencePearson(human, m); !errors.Is(err, ErrUndefined) {
		t.Error(err)
	}
}

// Of one item there are two permutations: as it is, which differs as much, and exchanged,
// which does only where the systems are equal.
func TestPermutationPValues(t *testing.T) {
	s := &Scores{Systems: []string{"a", "b", "c"}, Items: []string{"1"}, Values: []float64{1, 1, 0}}
	p, err := PermutationPValues(t.Context(), s, 1000, 4)
	if err != nil || p[0][1] != 1 || p[0][2] != p[1][2] || math.Abs(p[0][2]-.5) > .1 {
		t.Errorf("%v, %v", p, err)
	}
	s.Values[1] = math.NaN()
	if _, err := PermutationPValues(t.Context(), s, 1000, 4); err == nil {
		t.Error("no error for a missing score")
	}
}

package metaeval_test

import (
	"math"
	"testing"

	"github.com/mteval/mteval/metaeval"
)

func TestPresent(t *testing.T) {
	s := metaeval.NewScores([]string{"a", "b"}, []string{"1", "2"})
	for n, v := range []float64{0, -3, math.NaN(), 5} {
		if got := s.Present(); got != min(n, 2) {
			t.Errorf("%d scores of %v", got, s.Values)
		}
		s.Values[n] = v
	}
	if got := s.Present(); got != 3 {
		t.Errorf("%d scores of %v", got, s.Values)
	}
}

func TestOrientedCounts(t *testing.T) {
	c := metaeval.Counts{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	for lower, want := range map[bool]metaeval.Counts{false: c, true: {{3, 2, 1}, {6, 5, 4}, {9, 8, 7}}} {
		if got := c.Oriented(lower); got != want {
			t.Errorf("lower is better: %v: %v, want %v", lower, got, want)
		}
	}
}

package difficulty

import (
	"math"
	"testing"
)

func TestReordered(t *testing.T) {
	for _, tt := range []struct {
		plain, aware []float64
		want         float64
	}{
		{[]float64{3, 2, 1}, []float64{.3, .2, .1}, 0},
		{[]float64{3, 2, 1}, []float64{.1, .2, .3}, 3},
		{[]float64{3, 2, 1}, []float64{.2, .3, .1}, 1},
		{[]float64{1, 1}, []float64{1, 2}, .5},
		{[]float64{1, 1 + 1e-12}, []float64{1, 1}, 0},
		{[]float64{1, 2}, []float64{1, math.Inf(1)}, 0},
	} {
		if got := reordered(tt.plain, tt.aware); got != tt.want {
			t.Errorf("%v, %v: %v, want %v", tt.plain, tt.aware, got, tt.want)
		}
	}
}

package ngram

import (
	"fmt"
	"math"
)

// Shares returns n weights that add up to 1, in the ratios of the given ones; of nil, equal
// ones. Given ones are to be n, finite, none negative, not all 0.
func Shares(n int, weights []float64) ([]float64, error) {
	out := make([]float64, n)
	if weights == nil {
		for i := range out {
			out[i] = 1 / float64(n)
		}
		return out, nil
	}
	if len(weights) != n {
		return nil, fmt.Errorf("%d weights for %d references", len(weights), n)
	}
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("weight %d is %v: want a finite number, not negative", i+1, w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, fmt.Errorf("the sum of the weights is %v: want a finite one above 0", sum)
	}
	for i, w := range weights {
		out[i] = w / sum
	}
	return out, nil
}

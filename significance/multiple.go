package significance

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm adjusts the p-values of several tests so that the probability of any false
// rejection at all is at most the level at which they are rejected (Holm 1979). It returns
// them in the order given, at most 1. A p-value outside 0 to 1 is an error.
func Holm(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if !(v >= 0 && v <= 1) { // NaN too
			return nil, fmt.Errorf("significance: p-value %d is %v", i+1, v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, float64(len(p)-i)*p[at]))
		out[at] = least
	}
	return out, nil
}

package ranking

import (
	"cmp"
	"slices"
)

// Ranks returns the rank of each score: 1 for the best, equal scores share the
// best rank that they fill, so 1, 2, 2, 4. NaN is worse than any number.
func Ranks(scores []float64, lowerIsBetter bool) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		a, b := scores[i], scores[j]
		if lowerIsBetter && a == a && b == b {
			a, b = b, a
		}
		return cmp.Compare(b, a) // for which NaN is less than any number
	}
	slices.SortFunc(order, compare)
	out := make([]int, len(scores))
	for place, i := range order {
		out[i] = place + 1
		if place > 0 && compare(order[place-1], i) == 0 {
			out[i] = out[order[place-1]]
		}
	}
	return out
}

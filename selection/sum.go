package selection

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Term is a method's part of a Sum.
type Term struct {
	// Weight is above 0, and at most a million; 0 is 1.
	Weight    float64
	Utilities []float64
}

// Sum returns the weighted mean of the ranks that several methods give the segments: from 1
// for the least utility to n, equal ones sharing the mean of theirs. Ranks have no units, so
// that no method drowns another. subset2evaluate calls it combinator.
func Sum(terms ...Term) ([]float64, error) {
	if len(terms) == 0 {
		return nil, errors.New("selection: nothing to add up")
	}
	out := make([]float64, len(terms[0].Utilities))
	var total float64
	for t, term := range terms {
		w := term.Weight
		if w == 0 {
			w = 1
		}
		if !(w > 0) || w > 1e6 {
			return nil, fmt.Errorf("selection: term %d has a weight of %g, which must be above 0 and at most a million", t+1, term.Weight)
		}
		if len(term.Utilities) != len(out) {
			return nil, fmt.Errorf("selection: term %d has %d segments, the first %d", t+1, len(term.Utilities), len(out))
		}
		if err := checkUtilities(term.Utilities); err != nil {
			return nil, err
		}
		total += w
		for i, r := range ranks(term.Utilities) {
			out[i] += w * r
		}
	}
	for i := range out {
		out[i] /= total
	}
	return out, nil
}

// ranks are those of values, from 1 for the least, equal ones sharing the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return out
}

func checkUtilities(u []float64) error {
	for i, v := range u {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("selection: the utility of segment %d is %g, which is not finite", i+1, v)
		}
	}
	return nil
}

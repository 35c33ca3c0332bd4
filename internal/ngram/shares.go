package ngram

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// CheckWeights returns an error, of the package that is named, for a segment without a
// reference, or weights of another number of segments. What they are SegmentShares looks at.
func CheckWeights(name string, refs [][]string, weights [][]float64) error {
	if err := mteval.CheckReferences(refs); err != nil {
		return err
	}
	if weights != nil && len(weights) != len(refs) {
		return fmt.Errorf("%s: %w: weights of %d segments for %d", name, mteval.ErrLength, len(weights), len(refs))
	}
	return nil
}

// SegmentShares appends to dst the shares of the references of a segment.
func SegmentShares(dst []float64, refs [][]string, weights [][]float64, segment int) ([]float64, error) {
	var w []float64
	if weights != nil {
		w = weights[segment]
	}
	dst, err := AppendShares(dst, len(refs[segment]), w)
	if err != nil {
		return dst, &mteval.SegmentError{Segment: segment, Err: err}
	}
	return dst, nil
}

// Shares returns n weights that add up to 1, in the ratios of the given ones; of nil, equal
// ones. Given ones are to be n, finite, none negative, not all 0.
func Shares(n int, weights []float64) ([]float64, error) {
	out, err := AppendShares(nil, n, weights)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// AppendShares appends Shares to dst. It returns dst as it was on error.
func AppendShares(dst []float64, n int, weights []float64) ([]float64, error) {
	if weights == nil {
		dst = slices.Grow(dst, n)
		for range n {
			dst = append(dst, 1/float64(n))
		}
		return dst, nil
	}
	if len(weights) != n {
		return dst, fmt.Errorf("%d weights for %d references", len(weights), n)
	}
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return dst, fmt.Errorf("weight %d is %v: want a finite number, not negative", i+1, w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return dst, fmt.Errorf("the sum of the weights is %v: want a finite one above 0", sum)
	}
	dst = slices.Grow(dst, n)
	for _, w := range weights {
		dst = append(dst, w/sum)
	}
	return dst, nil
}

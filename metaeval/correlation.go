package metaeval

import (
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/moments"
)

// ErrUndefined is returned for a number that does not exist: a correlation of fewer than
// two pairs, or of values that are all equal; and other measures, here and in packages
// human and significance, that have nothing to be measured on.
var ErrUndefined = errors.New("undefined")

// A Correlation measures how far x and y agree, as Pearson, Spearman, Kendall, KendallA
// and KendallC do. It wraps ErrUndefined where that can't be said of them.
type Correlation func(x, y []float64) (float64, error)

// maxValues is how many values there may be: n(n − 1) stays below 2⁶³, and n below 2³².
const maxValues = math.MaxInt32

func check(x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("metaeval: %d values against %d", len(x), len(y))
	}
	for _, v := range [][]float64{x, y} {
		for i, f := range v {
			if f-f != 0 { // NaN or infinite
				return fmt.Errorf("metaeval: value %d is %v", i+1, f)
			}
		}
	}
	if int64(len(x)) > maxValues {
		return fmt.Errorf("metaeval: correlation of %d values; %d is the most", len(x), maxValues)
	}
	if len(x) < 2 {
		return fmt.Errorf("metaeval: the correlation of %d values is %w", len(x), ErrUndefined)
	}
	for _, v := range [][]float64{x, y} {
		if constant(v) {
			return fmt.Errorf("metaeval: the correlation is %w: all %d values are %v", ErrUndefined, len(v), v[0])
		}
	}
	return nil
}

func constant(v []float64) bool {
	for _, f := range v {
		if f != v[0] {
			return false
		}
	}
	return true
}

// Pearson is the product-moment correlation of x and y, −1 to 1. It wraps
// ErrUndefined where that does not exist; a value that is not finite, and unequal
// lengths, are other errors.
func Pearson(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	dx, dy := centred(x), centred(y)
	var xx, yy, xy float64
	for i := range dx {
		xx += dx[i] * dx[i]
		yy += dy[i] * dy[i]
		xy += dx[i] * dy[i]
	}
	// For y the same as x, or its negation, the root is exact, and so ±1.
	return max(-1, min(1, xy/math.Sqrt(xx*yy))), nil
}

// centred returns x less its mean, scaled such that the largest is 1 or −1.
func centred(x []float64) []float64 {
	scale := moments.Unit(x)
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * scale
	}
	// Twice, as the first mean of values that hardly differ is off by as much.
	for range 2 {
		mean := 0.0
		for _, v := range out {
			mean += v
		}
		mean /= float64(len(out))
		for i := range out {
			out[i] -= mean
		}
	}
	// The values left can be small enough for their squares to vanish.
	largest := 0.0
	for _, v := range out {
		largest = max(largest, math.Abs(v))
	}
	for i := range out {
		out[i] /= largest
	}
	return out
}

// Spearman is the rank correlation of x and y, −1 to 1: Pearson's of their ranks,
// equal values sharing the mean of theirs. Errors are Pearson's.
func Spearman(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	return Pearson(meanRanks(x), meanRanks(y))
}

// meanRanks gives ranks from 1 up for the smallest value, equal values the mean of
// the ranks they fill.
func meanRanks(x []float64) []float64 {
	v := make([]keyed, len(x))
	for i, f := range x {
		v[i] = keyed{orderedKey(f), uint64(i)}
	}
	v, _ = sortKeyed(v, make([]keyed, len(x)))
	out := make([]float64, len(x))
	for lo := 0; lo < len(v); {
		hi := lo
		for hi < len(v) && v[hi].key == v[lo].key {
			hi++
		}
		for _, e := range v[lo:hi] {
			out[e.value] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return out
}

// Package metaeval measures how far scores agree with human judgements.
package metaeval

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// ErrUndefined is returned for a correlation that does not exist: of fewer than
// two pairs, or of values that are all equal.
var ErrUndefined = errors.New("correlation is undefined")

func check(x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("metaeval: %d values against %d", len(x), len(y))
	}
	for i := range x {
		for _, v := range []float64{x[i], y[i]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("metaeval: value %d is %v", i+1, v)
			}
		}
	}
	if len(x) < 2 {
		return fmt.Errorf("%w: %d values", ErrUndefined, len(x))
	}
	for _, v := range [][]float64{x, y} {
		if slices.Min(v) == slices.Max(v) {
			return fmt.Errorf("%w: all %d values are %v", ErrUndefined, len(v), v[0])
		}
	}
	return nil
}

// Pearson is the product-moment correlation of x and y, −1 to 1. It wraps
// ErrUndefined where that does not exist; a value that is not finite, and unequal
// lengths, are other errors.
func Pearson(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	dx, dy := centred(x), centred(y)
	sum := 0.0
	for i := range dx {
		sum += dx[i] * dy[i]
	}
	return max(-1, min(1, sum)), nil
}

// centred returns x less its mean, scaled to length 1. The scaling by the largest
// value first keeps squares from overflowing.
func centred(x []float64) []float64 {
	n := float64(len(x))
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	out := make([]float64, len(x))
	largest := 0.0
	for i, v := range x {
		out[i] = v - mean
		largest = max(largest, math.Abs(out[i]))
	}
	norm := 0.0
	for i := range out {
		out[i] /= largest
		norm += out[i] * out[i]
	}
	norm = math.Sqrt(norm)
	for i := range out {
		out[i] /= norm
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
	at := make([]int, len(x))
	for i := range at {
		at[i] = i
	}
	sort.Slice(at, func(i, j int) bool { return x[at[i]] < x[at[j]] })
	out := make([]float64, len(x))
	for lo := 0; lo < len(at); {
		hi := lo
		for hi < len(at) && x[at[hi]] == x[at[lo]] {
			hi++
		}
		for _, i := range at[lo:hi] {
			out[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return out
}

// Kendall is tau-b of x and y (Kendall 1945), −1 to 1,
//
//	τ = (C − D) / √((n₀ − n₁)(n₀ − n₂))
//
// with C and D the pairs in the same and in opposite order, n₀ all pairs, n₁ and n₂
// the pairs that are tied in x and in y. Errors are Pearson's. It takes O(n log n)
// (Knight 1966).
func Kendall(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	at := make([]int, len(x))
	for i := range at {
		at[i] = i
	}
	sort.Slice(at, func(i, j int) bool {
		a, b := at[i], at[j]
		return x[a] < x[b] || x[a] == x[b] && y[a] < y[b]
	})
	ys := make([]float64, len(y))
	for i, a := range at {
		ys[i] = y[a]
	}
	tiedX := tiedPairs(len(at), func(i, j int) bool { return x[at[i]] == x[at[j]] })
	tiedBoth := tiedPairs(len(at), func(i, j int) bool { return x[at[i]] == x[at[j]] && ys[i] == ys[j] })
	// Sorting by y what is sorted by x swaps each discordant pair once.
	discordant := inversions(ys, make([]float64, len(ys)))
	tiedY := tiedPairs(len(ys), func(i, j int) bool { return ys[i] == ys[j] })
	n := int64(len(x))
	all := n * (n - 1) / 2
	concordant := all - tiedX - tiedY + tiedBoth - discordant
	// In float64, as the product of the counts can pass 2⁶³.
	tau := float64(concordant-discordant) / math.Sqrt(float64(all-tiedX)*float64(all-tiedY))
	return max(-1, min(1, tau)), nil
}

// tiedPairs counts the pairs of equal values among n that are sorted.
func tiedPairs(n int, equal func(i, j int) bool) int64 {
	var pairs, run int64
	for i := 1; i < n; i++ {
		if equal(i-1, i) {
			run++
			pairs += run
		} else {
			run = 0
		}
	}
	return pairs
}

// inversions sorts v by merging, with tmp as its scratch, and returns how many
// pairs were in the wrong order.
func inversions(v, tmp []float64) int64 {
	if len(v) < 2 {
		return 0
	}
	mid := len(v) / 2
	n := inversions(v[:mid], tmp[:mid]) + inversions(v[mid:], tmp[mid:])
	copy(tmp, v)
	a, b := tmp[:mid], tmp[mid:]
	for i := range v {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			v[i], a = a[0], a[1:]
		} else {
			n += int64(len(a))
			v[i], b = b[0], b[1:]
		}
	}
	return n
}

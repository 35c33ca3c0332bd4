package human

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// KappaWeights say how bad it is that two judges differ.
type KappaWeights uint8

const (
	// Unweighted: any difference is as bad as any other (Cohen 1960).
	Unweighted KappaWeights = iota
	// Linear: by the difference of the scores.
	Linear
	// Quadratic: by its square (Cohen 1968).
	Quadratic
)

// CohenKappa is the agreement of two judges beyond chance, at most 1, 0 if they agree as
// often as chance would have it: a[i] and b[i] are their scores of the same output. One
// that is NaN is missing, and the output is left out. With weights,
//
//	κ = 1 − Σ w(a, b) observed(a, b) / Σ w(a, b) expected(a, b)
//
// It wraps [metaeval.ErrUndefined] where chance makes them agree always, as with one score
// throughout. It takes O(n + v²) for v different scores. It panics if the lengths differ.
func CohenKappa(a, b []float64, w KappaWeights) (float64, error) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("human: %d scores against %d", len(a), len(b)))
	}
	if w > Quadratic {
		return 0, fmt.Errorf("human: there are no weights %d", w)
	}
	var x, y []float64
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	if err := finite(x, y); err != nil {
		return 0, err
	}
	if w != Unweighted {
		scale(x, y)
	}
	weight := func(a, b float64) float64 {
		d := math.Abs(a - b)
		switch {
		case w == Quadratic:
			return d * d
		case w == Linear || d == 0:
			return d
		}
		return 1
	}
	n := float64(len(x))
	observed, expected := 0.0, 0.0
	for i := range x {
		observed += weight(x[i], y[i]) / n
	}
	vy, ny := tally(y)
	vx, nx := tally(x)
	for i, a := range vx {
		for j, b := range vy {
			expected += weight(a, b) * (float64(nx[i]) / n) * (float64(ny[j]) / n)
		}
	}
	if expected == 0 {
		return 0, fmt.Errorf("human: kappa is %w: %d outputs with scores of both judges, all of them the same", metaeval.ErrUndefined, len(x))
	}
	return 1 - observed/expected, nil
}

// tally returns the different values, ascending, and how often each is there.
func tally(x []float64) (values []float64, n []int) {
	for _, v := range slices.Sorted(slices.Values(x)) {
		if k := len(values); k == 0 || values[k-1] != v {
			values, n = append(values, v), append(n, 0)
		}
		n[len(n)-1]++
	}
	return values, n
}

// finite returns an error if a value is not.
func finite(units ...[]float64) error {
	for _, u := range units {
		for _, v := range u {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("human: agreement of a score that is %v", v)
			}
		}
	}
	return nil
}

// scale moves and stretches all values to 0 … 1, so that squares neither overflow nor
// vanish. Agreement does not depend on it.
func scale(units ...[]float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, u := range units {
		for _, v := range u {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	half := 1.0
	if math.IsInf(hi-lo, 0) {
		half = 0.5
	}
	for _, u := range units {
		for i, v := range u {
			if hi > lo {
				u[i] = (v*half - lo*half) / (hi*half - lo*half)
			}
		}
	}
}

// A Measurement of measurement says what the difference of two scores means.
type Measurement uint8

const (
	// Nominal: scores are the same or not.
	Nominal Measurement = iota
	// Ordinal: how many scores lie between them.
	Ordinal
	// Interval: the difference of the numbers.
	Interval
	// Ratio: the difference by the sum. Scores must not be negative.
	Ratio
)

// Krippendorff is Krippendorff's alpha, the agreement of any number of judges, any of
// whom may have left out any output:
//
//	α = 1 − D_o / D_e
//
// with D_o the mean squared difference of scores of the same output, D_e that of all
// scores; it is at most 1, and 0 if the judges agree as often as chance would have it.
// units[i] holds the scores of one output in any order. An output with fewer than two is
// left out.
//
// It wraps [metaeval.ErrUndefined] where no output has two scores, and where all scores are the
// same. It takes O(n log n), with Ratio O(v²) for v different scores.
func Krippendorff(units [][]float64, level Measurement) (float64, error) {
	if level > Ratio {
		return 0, fmt.Errorf("human: there is no level of measurement %d", level)
	}
	if err := finite(units...); err != nil {
		return 0, err
	}
	var us [][]float64
	for _, u := range units {
		if len(u) > 1 {
			us = append(us, slices.Clone(u))
		}
	}
	all := slices.Concat(us...)
	if len(all) == 0 {
		return 0, fmt.Errorf("human: Krippendorff's alpha is %w: no output has two scores", metaeval.ErrUndefined)
	}
	lo := slices.Min(all)
	if level == Ratio && lo < 0 {
		return 0, fmt.Errorf("human: Krippendorff's alpha: a score of %v is on no ratio scale", lo)
	}
	// Of the scores as they are: sums of what is calculated of them are rounded.
	if lo == slices.Max(all) {
		return 0, fmt.Errorf("human: Krippendorff's alpha is %w: all %d scores are the same", metaeval.ErrUndefined, len(all))
	}
	sum := squares // of the squared differences of all pairs, either way round
	switch level {
	case Nominal:
		sum = unequal
	case Ordinal:
		ranks(all, us)
	case Interval:
		scale(us...)
	case Ratio:
		sum = ratios
	}
	observed := 0.0
	for _, u := range us {
		observed += sum(u) / float64(len(u)-1)
	}
	all = slices.Concat(us...)
	expected := sum(all) / float64(len(all)-1)
	return 1 - observed/expected, nil
}

// unequal is the number of ordered pairs of values that are not the same.
func unequal(u []float64) float64 {
	n := float64(len(u))
	sum := n * n
	_, count := tally(u)
	for _, c := range count {
		sum -= float64(c) * float64(c)
	}
	return sum
}

// squares is Σ (a − b)² over all ordered pairs.
func squares(u []float64) float64 {
	n := float64(len(u))
	mean := 0.0
	for _, v := range u {
		mean += v
	}
	mean /= n
	sum := 0.0
	for _, v := range u {
		sum += (v - mean) * (v - mean)
	}
	return 2 * n * sum
}

// ratios is Σ ((a − b) / (a + b))² over all ordered pairs.
func ratios(u []float64) float64 {
	values, n := tally(u)
	sum := 0.0
	for i, a := range values {
		for j, b := range values[:i] {
			d := (a - b) / (a + b) // a > b, so the sum is above 0
			if math.IsInf(a+b, 0) {
				d = (a/2 - b/2) / (a/2 + b/2)
			}
			sum += 2 * d * d * float64(n[i]) * float64(n[j])
		}
	}
	return sum
}

// ranks puts in place of each value its place among all: how many are less, plus half of
// how many are the same. Krippendorff's ordinal difference is that of these places.
func ranks(all []float64, us [][]float64) {
	values, n := tally(all)
	at := make([]float64, len(values))
	below := 0.0
	for i, c := range n {
		at[i] = below + float64(c)/2
		below += float64(c)
	}
	for _, u := range us {
		for i, v := range u {
			k, _ := slices.BinarySearchFunc(values, v, cmp.Compare[float64])
			u[i] = at[k]
		}
	}
	scale(us...)
}

// ByOutput returns the scores of each output, each judge's first, for [Krippendorff],
// in the order of the outputs' first judgement. It takes judgements of
// systems' outputs, without those that are repeats.
func ByOutput(js []Judgement) [][]float64 {
	type by struct {
		output
		judge string
	}
	seen := make(map[by]bool)
	at := make(map[output]int)
	var units [][]float64
	for i := range js {
		j := &js[i]
		o := j.output()
		if j.Kind != SystemOutput || seen[by{o, j.Judge}] {
			continue
		}
		seen[by{o, j.Judge}] = true
		k, ok := at[o]
		if !ok {
			k = len(units)
			at[o] = k
			units = append(units, nil)
		}
		units[k] = append(units[k], j.Score)
	}
	return units
}

// Repeats returns the scores of outputs that a judge scored more than once, marked as a
// repeat or not: the first score, and each later one. They are for the agreement of
// judges with themselves, by [CohenKappa].
func Repeats(js []Judgement) (first, again []float64) {
	_, places := byDesk(js)
	for _, at := range places {
		for _, r := range repeats(js, at) {
			first, again = append(first, r[0]), append(again, r[1])
		}
	}
	return first, again
}

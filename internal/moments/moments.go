// Package moments takes means, and makes numbers fit for sums of squares, whatever their
// size. NaN stands for a number that is missing.
package moments

import "math"

// Unit is a power of two by which to multiply numbers such that the largest is below 1 and
// none of their sums, differences and squares overflows; nor does what differs vanish. No
// digit is lost but of what is too small to matter beside the largest.
func Unit(values []float64) float64 {
	low, high := bounds(values)
	_, exp := math.Frexp(max(-low, high))
	return math.Ldexp(1, min(1000, -exp-1))
}

// Tame returns the values themselves, or, where sums of them could overflow or what they
// differ by could vanish, that is from 1e290 and below 1e-290, a copy times a power of two.
// What is equal stays so, and what is not does too, unless it is 1e590 times less than
// the largest.
func Tame(values []float64) []float64 {
	low, high := bounds(values)
	factor := 1.0
	switch {
	case max(-low, high) > 1e290:
		factor = 0x1p-64
	case high > low && high-low < 1e-290: // and so none is above 1e-274
		factor = 0x1p600
	default:
		return values
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * factor
	}
	return out
}

// Mean is the mean of the values that are not missing, NaN if all are. It is never
// outside them, so that of equal values it is their value, and finite where they are.
func Mean(values []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	sum, n := 0.0, 0
	for _, v := range values {
		if v == v {
			sum += v
			low, high = min(low, v), max(high, v)
			n++
		}
	}
	if sum-sum != 0 { // it has overflowed
		sum = 0
		for _, v := range values {
			if v == v {
				sum += v * 0x1p-64
			}
		}
		return Within(sum/float64(n)*0x1p64, low, high)
	}
	if n == 0 {
		return math.NaN()
	}
	return Within(sum/float64(n), low, high)
}

// Within is the mean of values from low to high, which rounding may have put outside.
func Within(mean, low, high float64) float64 {
	switch { // not max and min, for which −0 is less than 0
	case mean < low:
		return low
	case mean > high:
		return high
	}
	return mean
}

func bounds(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v == v {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

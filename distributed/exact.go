package distributed

import "math"

// An exact sum of numbers: non-zero numbers of increasing size that do not overlap, whose sum it
// is (Shewchuk 1997). Sums of the same numbers in another order may be other partials, and are the
// same number.
type exact []float64

// add returns the sum with x, in e's memory if it has room.
func (e exact) add(x float64) exact {
	n := 0
	for _, y := range e {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		sum := x + y
		if rest := y - (sum - x); rest != 0 {
			e[n] = rest
			n++
		}
		x = sum
	}
	if e = e[:n]; x == 0 {
		return e
	}
	return append(e, x)
}

// value is the sum rounded once, to the nearest float64 and to even at half.
func (e exact) value() float64 {
	n := len(e)
	if n == 0 {
		return 0
	}
	n--
	sum, rest := e[n], 0.0
	for n > 0 && rest == 0 {
		n--
		x, y := sum, e[n]
		sum = x + y
		rest = y - (sum - x)
	}
	// What is below the rest decides where it is half of the last place.
	if n > 0 && (rest < 0) == (e[n-1] < 0) {
		if up := sum + 2*rest; up-sum == 2*rest {
			return up
		}
	}
	return sum
}

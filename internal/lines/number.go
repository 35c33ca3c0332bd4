package lines

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrNumber is returned for text that ParseNumber does not take.
var ErrNumber = errors.New("not a finite number in decimal notation, such as 12, -0.5 or 1e-3")

// ParseNumber reads a number in decimal notation: digits, with a point among them or not,
// and if it likes a sign before and an exponent behind. What else Go reads as a number is
// none in a file that people and other programs write: 1_000, 0x1p3, Inf and NaN, and
// what is too large to be held, as 1e400. There must be no space around it.
func ParseNumber(text string) (float64, error) {
	for i := range len(text) {
		switch c := text[i]; c {
		case '+', '-', '.', 'e', 'E':
		default:
			if c < '0' || c > '9' {
				return 0, ErrNumber
			}
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, ErrNumber
	}
	return v, nil
}

// ParseWithin is ParseNumber of a number that is calculated with, which may not be further
// from 0 than most.
func ParseWithin(text string, most float64) (float64, error) {
	v, err := ParseNumber(text)
	if err == nil && math.Abs(v) > most {
		return 0, fmt.Errorf("too large to be calculated with: %v is the most", most)
	}
	return v, err
}

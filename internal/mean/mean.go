// Package mean makes rows of the metrics that score segments, and corpora by the mean of
// their segments' scores weighted by length (Chen, Guo and Kuhn 2015, equation 2).
package mean

import "math"

// Width is how many numbers Append appends.
const Width = 3

// Append appends a segment's score times its weight, as a sum of two numbers of which the
// second is what rounding took from the first, and the weight.
func Append(dst []float64, weight, score float64) []float64 {
	p := float64(weight * score)
	return append(dst, p, math.FMA(weight, score, -p), weight)
}

// Of returns the weighted mean of the rows that were added up in row, 0 where they weigh
// nothing. Of one segment it is the score that Append took, exactly.
func Of(row []float64) float64 {
	p, rest, weight := row[0], row[1], row[2]
	if weight == 0 {
		return 0
	}
	q := p / weight
	return q + (math.FMA(-q, weight, p)+rest)/weight
}

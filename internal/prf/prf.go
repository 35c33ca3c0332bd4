// Package prf makes precision, recall and F of counts.
package prf

import "github.com/mteval/mteval"

// Width is the length of a row.
const Width = 3

// Of returns precision, recall and F of a row or a sum of rows: what both sides have in common,
// what the hypothesis has, and what the reference has. Each is from 0 to 1, and 0 where a side
// is empty. Beta is how many times as important recall is as precision.
func Of(row []float64, beta float64) mteval.PRF {
	mteval.CheckRow(row, Width)
	var out mteval.PRF
	if row[1] > 0 {
		out.P = row[0] / row[1]
	}
	if row[2] > 0 {
		out.R = row[0] / row[2]
	}
	out.F = mteval.PRF{P: out.P, R: out.R}.FBeta(beta)
	return out
}

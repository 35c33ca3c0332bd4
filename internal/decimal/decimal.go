// Package decimal writes numbers.
package decimal

import "strconv"

// Format writes a number as signatures and tables have it: as short as can be read back.
func Format(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

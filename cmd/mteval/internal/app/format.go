package app

import (
	"fmt"

	"github.com/mteval/mteval"
)

// Unique returns the names without repetition.
func Unique(names []string) []string {
	var out []string
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// Format writes a score with `width` decimals, or if that is negative as many as suit
// its scale.
func Format(info mteval.Info, score float64, width int) string {
	return fmt.Sprintf("%.*f", Decimals(info, width), score)
}

// Decimals are as many as format writes.
func Decimals(info mteval.Info, width int) int {
	switch {
	case width >= 0:
		return width
	case info.Scale == 100:
		return 2
	}
	return 4
}

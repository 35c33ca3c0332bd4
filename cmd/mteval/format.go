package main

import (
	"fmt"

	"github.com/mteval/mteval"
)

// unique returns the names without repetition.
func unique(names []string) []string {
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

// format writes a score with `width` decimals, or if that is negative as many as suit
// its scale.
func format(info mteval.Info, score float64, width int) string {
	return fmt.Sprintf("%.*f", decimals(info, width), score)
}

// decimals are as many as format writes.
func decimals(info mteval.Info, width int) int {
	switch {
	case width >= 0:
		return width
	case info.Scale == 100:
		return 2
	}
	return 4
}

package main

import (
	"fmt"
	"slices"

	"github.com/mteval/mteval"
)

// unique returns the names without repetition.
func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// format writes a score with `width` decimals, or if that is negative as many as suit
// its scale.
func format(info mteval.Info, score float64, width int) string {
	if width < 0 {
		width = 4
		if info.Scale == 100 {
			width = 2
		}
	}
	return fmt.Sprintf("%.*f", width, score)
}

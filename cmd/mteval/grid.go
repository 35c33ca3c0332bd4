package main

import (
	"strings"

	"github.com/rivo/uniseg"
)

// grid writes rows of cells in columns, two spaces apart, the first column to the
// left and the others to the right.
func grid(w *strings.Builder, rows [][]string) {
	var width []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], uniseg.StringWidth(cell(c)))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			c = cell(c)
			pad := strings.Repeat(" ", width[i]-uniseg.StringWidth(c))
			if i == 0 {
				line.WriteString(c + pad)
			} else {
				line.WriteString("  " + pad + c)
			}
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

package main

import "github.com/mteval/mteval/cmd/internal/safe"

// What is printed goes through package safe.
var (
	visible, cell        = safe.Visible, safe.Cell
	grid, tsvLine, latex = safe.Grid, safe.TSV, safe.LaTeX
	writeJSON            = safe.JSON
)

package report

import (
	_ "embed"
	"fmt"
)

// A Table has a header, and rows whose first cell says what they are of. A row can be
// shorter than the header. With a script it is sorted and filtered by any column: a cell counts
// as the number that it begins with, or else as text.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]string
	// Bars are the columns whose numbers have a bar in the cell, from 0, by their place in
	// Header.
	Bars []int
}

//go:embed table.html
var tableHTML string

type tableView struct {
	ID, Caption string
	Header      []string
	Rows        [][]string
}

func (t *Table) view(id string) (tableView, error) {
	v := tableView{ID: id, Caption: clean(t.Caption), Header: cleanAll(t.Header)}
	for i, r := range t.Rows {
		if len(r) > len(t.Header) {
			return tableView{}, fmt.Errorf("table %q: %d cells in row %d, the header has %d", t.Caption, len(r), i+1, len(t.Header))
		}
		v.Rows = append(v.Rows, cleanAll(r))
	}
	return v, nil
}

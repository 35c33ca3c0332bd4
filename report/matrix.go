package report

import (
	_ "embed"
	"fmt"
	"strconv"
)

// A Matrix shows a share for each pair of names, such as the probability that the row's is
// better than the column's, in percent and shaded by how far it is above or below one half.
type Matrix struct {
	Caption string
	Names   []string // of the rows, and of the columns
	// Values by row and column are 0 to 1. Those of a name and itself are not shown, and can
	// be anything.
	Values [][]float64
}

//go:embed matrix.html
var matrixHTML string

const (
	// manyNames is from how many names on the cells are small.
	manyNames = 20
	// mostNames is how many fit into a window, about.
	mostNames = 30
)

type matrixView struct {
	ID, Caption string
	Small       bool
	All         bool // rows are shown, without a scroll bar of their own
	Header      []tableCell
	Rows        []matrixRow
	Legend      []matrixCell
}

type matrixRow struct {
	Head  tableCell
	Cells []matrixCell
}

type matrixCell struct{ Class, Text string }

func (m *Matrix) view(id string) (matrixView, error) {
	if len(m.Names) == 0 {
		return matrixView{}, errEmpty
	}
	if len(m.Values) != len(m.Names) {
		return matrixView{}, fmt.Errorf("%d rows for %d names", len(m.Values), len(m.Names))
	}
	v := matrixView{ID: id, Caption: clean(m.Caption), Small: len(m.Names) >= manyNames, All: len(m.Names) <= mostNames, Legend: matrixLegend}
	for _, name := range m.Names {
		v.Header = append(v.Header, newRowHead(clean(name)))
	}
	for r, values := range m.Values {
		if len(values) != len(m.Names) {
			return matrixView{}, fmt.Errorf("%d values in row %d, for %d names", len(values), r+1, len(m.Names))
		}
		row := matrixRow{Head: v.Header[r]}
		for c, x := range values {
			if c == r {
				row.Cells = append(row.Cells, matrixCell{Class: "self", Text: "–"})
				continue
			}
			if !(x >= 0 && x <= 1) { // NaN too
				return matrixView{}, fmt.Errorf("the value of %s and %s is %v, want 0 to 1", m.Names[r], m.Names[c], x)
			}
			row.Cells = append(row.Cells, matrixCell{halves(x), percent(x)})
		}
		v.Rows = append(v.Rows, row)
	}
	return v, nil
}

// matrixLegend has the shades with the shares that they are of.
var matrixLegend = []matrixCell{
	{"below5", "0–10"}, {"below4", "10–20"}, {"below3", "20–30"}, {"below2", "30–40"}, {"below1", "40–49"},
	{"even", "50"},
	{"above1", "51–60"}, {"above2", "60–70"}, {"above3", "70–80"}, {"above4", "80–90"}, {"above5", "90–100"},
}

// halves is the class of a share: on which side of one half it is, and in which of the five
// steps from there to the end.
func halves(x float64) string {
	side, beyond := "above", x-.5
	if beyond < 0 {
		side, beyond = "below", -beyond
	}
	if beyond < .005 {
		return "even"
	}
	return side + strconv.Itoa(1+min(int(beyond*10), 4))
}

// percent writes a share in percent. What is near 0 or 100 is not said to be it.
func percent(x float64) string {
	switch {
	case x < .005:
		return "<1"
	case x > .995:
		return ">99"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64)
}

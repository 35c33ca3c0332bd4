package report

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// A Table has a header, and rows whose first cell says what they are of. A row can be
// shorter than the header. With a script it is sorted and filtered by any column: a cell counts
// as the number that it begins with, or else as text. "53%" is 53, "<1%" lies below 1, "=" is
// 0, and "–" is none, which is last however the rows are sorted.
type Table struct {
	Caption string
	Header  []string
	Rows    [][]string
	// Foot are rows below the others, such as of sums, which stay there.
	Foot [][]string
	// Bars are the columns whose numbers have a bar in the cell, from 0, by their place in
	// Header.
	Bars []int
}

//go:embed table.html
var tableHTML string

type tableView struct {
	ID, Caption string
	Header      []headerCell
	Rows, Foot  [][]tableCell
	// Sorts is whether there is anything to sort, and Filters whether there is so much that
	// one filters.
	Sorts, Filters bool
	Few            bool // columns, which leaves room for bars
}

type headerCell struct {
	Text string
	// Name tells the column from others that have the same Text.
	Name   string
	Number bool // most cells are numbers
	// Width is that of a header of many words on two lines, in em: a narrow column would make
	// it high, and all headers beside it. "" is one of few.
	Width string
}

type tableCell struct {
	Text string
	// Cut is Text in pieces, if it is long.
	Cut    *cutName
	Class  string
	Number string // what the cell counts as, where the text does not say it plainly
	Title  string // the text, where it is cut
	Bar    bool
	// From and To are the ends of the bar, in percent of the cell.
	From, To string
}

const (
	// fewRows are seen at once.
	fewRows = 4
	// fewColumns leave room.
	fewColumns = 8
)

func (t *Table) view(id string) (tableView, error) {
	v := tableView{ID: id, Caption: clean(t.Caption), Sorts: len(t.Rows) > 1, Filters: len(t.Rows) > fewRows, Few: len(t.Header) <= fewColumns}
	for _, part := range []struct {
		what string
		from [][]string
		to   *[][]tableCell
	}{{"row", t.Rows, &v.Rows}, {"row of the foot", t.Foot, &v.Foot}} {
		for i, r := range part.from {
			if len(r) > len(t.Header) {
				return tableView{}, fmt.Errorf("table %q: %d cells in %s %d, the header has %d", t.Caption, len(r), part.what, i+1, len(t.Header))
			}
			row := make([]tableCell, len(t.Header))
			for c, text := range r {
				row[c] = newCell(clean(text))
			}
			if len(row) > 0 {
				head := newRowHead(row[0].Text)
				row[0].Title, row[0].Cut = head.Title, head.Cut
			}
			*part.to = append(*part.to, row)
		}
	}
	for c := range t.Header {
		v.Header = append(v.Header, t.header(c))
		for _, rows := range [][][]tableCell{v.Rows, v.Foot} {
			for _, r := range rows {
				if c > 0 && !v.Header[c].Number {
					r[c].Class = "text"
				}
			}
		}
	}
	for _, c := range t.Bars {
		if c < 0 || c >= len(t.Header) {
			return tableView{}, fmt.Errorf("table %q: bars in column %d, the header has %d", t.Caption, c, len(t.Header))
		}
		bars(v.Rows, c)
	}
	return v, nil
}

func newCell(text string) tableCell {
	cell := tableCell{Text: text}
	if v, ok := cellNumber(text); ok && !plainNumber(text) {
		cell.Number = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return cell
}

// newRowHead is the name of a row, whose middle may be cut on the page.
func newRowHead(name string) tableCell {
	cell := tableCell{Text: name, Cut: newCutName(name)}
	if cell.Cut != nil {
		cell.Title = name
	}
	return cell
}

// How wide the name of a row can be, as textWidth has it, on the page and in a narrow window.
const (
	nameWidth       = 245
	narrowNameWidth = 130
)

// A cutName is a long name in pieces that follow on each other. Middle is cut, and in a narrow
// window Left and Right are too.
type cutName struct{ Head, Left, Middle, Right, Tail string }

func newCutName(name string) *cutName {
	letters := []rune(name)
	a, d := cutMiddle(letters, narrowNameWidth)
	if a == d {
		return nil
	}
	b, c := cutMiddle(letters, nameWidth)
	if b == c {
		b, c = a, a
	}
	b, c = max(a, b), min(c, d)
	return &cutName{string(letters[:a]), string(letters[a:b]), string(letters[b:c]), string(letters[c:d]), string(letters[d:])}
}

// header is the header of a column.
func (t *Table) header(c int) headerCell {
	h := headerCell{Text: clean(t.Header[c])}
	h.Name = h.Text
	numbers, others := 0, 0
	for _, r := range t.Rows {
		if c >= len(r) || none(r[c]) {
			continue
		}
		if _, ok := cellNumber(r[c]); ok {
			numbers++
		} else {
			others++
		}
	}
	h.Number = numbers > others || others == 0
	if words := strings.Fields(h.Text); len(words) > 2 {
		h.Width = px(twoLines(words) / 12)
	}
	// What has the name of another column belongs to one before: "chrF: #".
	if count(t.Header, t.Header[c]) > 1 {
		for before := c - 1; before > 0; before-- {
			if count(t.Header, t.Header[before]) == 1 {
				h.Name = clean(t.Header[before]) + ": " + h.Text
				break
			}
		}
	}
	return h
}

// twoLines is how wide words are on two lines.
func twoLines(words []string) float64 {
	space := runeWidth(' ')
	whole := -space
	for _, w := range words {
		whole += textWidth(w) + space
	}
	least, first := whole, -space
	for _, w := range words {
		first += textWidth(w) + space
		least = min(least, max(first, whole-first-space))
	}
	return least
}

func count(texts []string, text string) (n int) {
	for _, s := range texts {
		if s == text {
			n++
		}
	}
	return n
}

// bars gives the numbers of a column their bars, from 0 to each.
func bars(rows [][]tableCell, c int) {
	low, high := 0.0, 0.0
	for _, r := range rows {
		if v, ok := cellNumber(r[c].Text); ok {
			low, high = min(low, v), max(high, v)
		}
	}
	// Halves, as the difference of two large numbers may be none.
	whole := high/2 - low/2
	if whole == 0 {
		return
	}
	at := func(v float64) string {
		return strconv.FormatFloat((v/2-low/2)/whole*100, 'f', 1, 64)
	}
	for _, r := range rows {
		if v, ok := cellNumber(r[c].Text); ok {
			r[c].Bar, r[c].From, r[c].To = true, at(min(v, 0)), at(max(v, 0))
		}
	}
}

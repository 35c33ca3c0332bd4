// Package report writes tables and plots as one HTML file, for people to read.
//
// The file needs nothing else: no font, no network, and no script, but for the one that a
// Browser has in the page. It can be read without colour and used with a keyboard, follows
// the reader's light or dark setting, and tells in words and tables what its plots show.
// It is XHTML too, so that any XML parser can read it.
//
// All text is escaped, names of systems and metrics too; a character that HTML can't have
// becomes U+FFFD.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Page is a report: the answer first, then what it rests on, and at the end how it was made.
type Page struct {
	Title  string
	Answer Answer
	// Notes are what to know beside the answer, such as warnings, a paragraph each.
	Notes    []string
	Sections []Section
	// Segments are texts to look through; nil is none.
	Segments *Segments
	// Made says how the page was made, such as the signature of each metric. A button copies
	// all of it.
	Made []Made
}

// A Made is one thing that a page rests on. Name can be "".
type Made struct{ Name, Text string }

// A Section of a page has what it holds, in this order. The zero value of each is left
// out.
type Section struct {
	Title        string
	Text         []string // paragraphs
	Tables       []Table
	Matrices     []Matrix
	Bars         []Bars
	Scatters     []Scatter
	Lines        []Lines
	Histograms   []Histogram
	SegmentLists []SegmentList
}

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

var (
	//go:embed page.html
	pageHTML string
	//go:embed browser.html
	browserHTML string

	pageTemplate = template.Must(template.New("page").Parse(matrixHTML + browserHTML + pageHTML))
)

// Write writes the page. It is an error for a number to be NaN or infinite, for a row
// to be longer than its table's header and for a Matrix not to be square; nothing is written
// then.
func (p *Page) Write(w io.Writer) error {
	v := &view{Title: clean(p.Title), Text: append([]string{clean(p.Answer.Text)}, cleanAll(p.Notes)...)}
	for i, s := range p.Sections {
		out, err := s.view(fmt.Sprintf("s%d", i+1))
		if err != nil {
			return fmt.Errorf("report: section %q: %w", s.Title, err)
		}
		v.Sections = append(v.Sections, out)
		v.HasMatrix = v.HasMatrix || len(out.Matrices) > 0
		if len(out.Browsers) > 0 {
			v.Script, v.ScriptHash, v.Shades = browserScript, browserHash, shades
		}
	}
	if len(p.Made) > 0 {
		made := sectionView{ID: "made", Title: "How this was made"}
		for _, m := range p.Made {
			made.Text = append(made.Text, clean(strings.TrimPrefix(m.Name+": "+m.Text, ": ")))
		}
		v.Sections = append(v.Sections, made)
	}
	return pageTemplate.Execute(w, v)
}

// view is a page as the template takes it. IDs name elements, for others to point at.
type view struct {
	Title    string
	Text     []string
	Sections []sectionView
	// HasMatrix is whether there is a Matrix, with a style of its own.
	HasMatrix bool
	// Of a page with a Browser.
	Script     template.HTML
	ScriptHash string
	Shades     []shade
}

type sectionView struct {
	ID, Title string
	Text      []string
	Tables    []tableView
	Matrices  []matrixView
	Figures   []figureView
	Browsers  []browserView
}

type tableView struct {
	ID, Caption string
	Header      []string
	Rows        [][]string
}

// A figureView is a drawing and the numbers in it.
type figureView struct {
	ID, Title, Description string
	Drawing                drawing
	// Key says what numbers in the drawing stand for.
	Key     []string
	Numbers tableView
}

func (s *Section) view(id string) (sectionView, error) {
	v := sectionView{ID: id, Title: clean(s.Title), Text: cleanAll(s.Text)}
	for i, t := range s.Tables {
		out, err := t.view(fmt.Sprintf("%s-table%d", id, i+1))
		if err != nil {
			return sectionView{}, err
		}
		v.Tables = append(v.Tables, out)
	}
	for i, m := range s.Matrices {
		out, err := m.view(fmt.Sprintf("%s-matrix%d", id, i+1))
		if err != nil {
			return sectionView{}, fmt.Errorf("%q: %w", m.Caption, err)
		}
		v.Matrices = append(v.Matrices, out)
	}
	var err error
	if v.Figures, err = s.figures(id); err != nil {
		return sectionView{}, err
	}
	for i, b := range s.SegmentLists {
		out, err := b.view(fmt.Sprintf("%s-browser%d", id, i+1))
		if err != nil {
			return sectionView{}, fmt.Errorf("%q: %w", b.Title, err)
		}
		v.Browsers = append(v.Browsers, out)
	}
	return v, nil
}

// figures are the plots of all kinds.
func (s *Section) figures(id string) (out []figureView, err error) {
	// The first error stands, and the others are not drawn.
	plot := func(title string, p interface {
		figure() (figureView, error)
		numbers() Table
	}) {
		if err != nil {
			return
		}
		var f figureView
		if f, err = p.figure(); err == nil {
			f.ID = fmt.Sprintf("%s-figure%d", id, len(out)+1)
			f.Title = clean(title)
			numbers := p.numbers()
			numbers.Caption = "The numbers: " + title
			f.Numbers, err = numbers.view(f.ID + "-numbers")
		}
		if err != nil {
			err = fmt.Errorf("%q: %w", title, err)
		}
		out = append(out, f)
	}
	for _, b := range s.Bars {
		plot(b.Title, &b)
	}
	for _, c := range s.Scatters {
		plot(c.Title, &c)
	}
	for _, l := range s.Lines {
		plot(l.Title, &l)
	}
	for _, h := range s.Histograms {
		plot(h.Title, &h)
	}
	return out, err
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

// clean replaces what XML can't have.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r',
			r >= 0x20 && r <= 0xd7ff, r >= 0xe000 && r <= 0xfffd, r >= 0x10000:
			return r
		}
		return '\ufffd'
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func cleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = clean(s)
	}
	return out
}

// finite returns an error for a number that can't be drawn.
func finite(what string, values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v", what, v)
		}
	}
	return nil
}

// number writes a number with four significant digits.
func number(v float64) string { return strconv.FormatFloat(v+0, 'g', 4, 64) } // + 0 makes 0 of −0

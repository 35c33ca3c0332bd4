// Package report writes tables and plots as one HTML file, for people to read.
//
// The file needs nothing else: no font, no network, and no script but those in the page, which
// allows no other. It can be read without script and without colour and used with a keyboard,
// follows the reader's light or dark setting, and tells in words and tables what its plots
// show.
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

	"github.com/mteval/mteval/internal/contract"
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

// A Section of a page has what it holds, in this order. The zero value of each is left
// out.
type Section struct {
	Title      string
	Text       []string // paragraphs
	Tables     []Table
	Matrices   []Matrix
	Bars       []Bars
	Scatters   []Scatter
	Lines      []Lines
	Histograms []Histogram
}

var (
	//go:embed page.html
	pageHTML string

	pageTemplate = template.Must(template.New("page").Parse(tableHTML + matrixHTML + figureHTML + segmentsHTML + pageHTML))
)

// Write writes the page. It is an error for a number to be NaN or infinite, for a row
// to be longer than its table's header and for a Matrix not to be square; nothing is written
// then.
func (p *Page) Write(w io.Writer) error {
	v := &view{Title: clean(p.Title), Notes: cleanAll(p.Notes)}
	var err error
	if v.Answer, err = p.Answer.view(); err != nil {
		return fmt.Errorf("report: the answer: %w", err)
	}
	for i, s := range p.Sections {
		out, err := s.view(fmt.Sprintf("part%d", i+1))
		if err != nil {
			return fmt.Errorf("report: section %q: %w", s.Title, err)
		}
		v.Sections = append(v.Sections, out)
	}
	if p.Segments != nil {
		if v.Segments, err = p.Segments.view(); err != nil {
			return fmt.Errorf("report: segments: %w", err)
		}
	}
	if contract.Nil(w) {
		return fmt.Errorf("report: %w", contract.ErrNoWriter)
	}
	v.Made = newMade(p.Made)
	v.Links = v.links()
	v.Assets = v.assets()
	return pageTemplate.Execute(w, v)
}

// view is a page as the template takes it. IDs name elements, for others to point at.
type view struct {
	Title    string
	Answer   answerView
	Notes    []string
	Links    []link
	Sections []sectionView
	Segments *segmentsView
	Made     *madeView
	Assets   assets
}

// A link goes to a part of the page.
type link struct{ ID, Title string }

// links are those to the parts, of a page that has enough of them to need any.
func (v *view) links() []link {
	var out []link
	for _, s := range v.Sections {
		if s.Title != "" {
			out = append(out, link{s.ID, s.Title})
		}
	}
	if v.Segments != nil {
		out = append(out, link{v.Segments.ID, v.Segments.Title})
	}
	if v.Made != nil {
		out = append(out, link{"made", v.Made.Title})
	}
	if len(out) <= 2 {
		return nil
	}
	return out
}

type sectionView struct {
	ID, Title string
	Text      []string
	Tables    []tableView
	Matrices  []matrixView
	Figures   []figureView
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

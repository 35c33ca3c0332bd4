package show

import (
	"strings"

	"github.com/mteval/mteval/report"
)

// Page is the result as a page, but for its notes. Sections without a title go on with the one before.
func (r *Result) Page() *report.Page {
	out := &report.Page{
		Title:    r.Title,
		Answer:   report.Answer{Text: r.Answer, Details: r.Details, Bars: r.Picture},
		Segments: r.Segments,
	}
	for _, p := range r.Parts {
		sec := p.Page
		sec.Text = append(sec.Text, p.Text...)
		for _, t := range p.Tables {
			if t.is(OnPage) && len(t.Columns) > 0 {
				sec.Tables = append(sec.Tables, t.page())
			}
		}
		switch n := len(out.Sections); {
		case p.Title == "" && n > 0:
			out.Sections[n-1] = join(out.Sections[n-1], sec)
		case !empty(sec):
			sec.Title = p.Title
			out.Sections = append(out.Sections, sec)
		}
	}
	for _, s := range r.Signatures {
		out.Made = append(out.Made, report.Made{Name: s.Name, Text: s.Text})
	}
	return out
}

// page is the table with bars where columns have them.
func (t *Table) page() report.Table {
	out := report.Table{Caption: t.Title}
	out.Header, out.Rows, out.Foot = t.grid()
	for k, at := range t.shown() {
		if t.Columns[at].Bar {
			out.Bars = append(out.Bars, k)
		}
	}
	for _, rows := range [][][]string{out.Rows, out.Foot} {
		for _, row := range rows {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
		}
	}
	return out
}

func join(a, b report.Section) report.Section {
	a.Text = append(a.Text, b.Text...)
	a.Tables = append(a.Tables, b.Tables...)
	a.Matrices = append(a.Matrices, b.Matrices...)
	a.Bars = append(a.Bars, b.Bars...)
	a.Scatters = append(a.Scatters, b.Scatters...)
	a.Lines = append(a.Lines, b.Lines...)
	a.Histograms = append(a.Histograms, b.Histograms...)
	return a
}

func empty(s report.Section) bool {
	return len(s.Text)+len(s.Tables)+len(s.Matrices)+len(s.Bars)+len(s.Scatters)+len(s.Lines)+len(s.Histograms) == 0
}

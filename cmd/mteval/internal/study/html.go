package study

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/report"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// page has all that the text has.
func (p *studyPage) page() *report.Page {
	r := p.result
	out := &report.Page{Title: "Metrics with and without difficulty", Answer: report.Answer{Text: p.answer(), Details: p.details(), Bars: p.picture()}}
	if r.HasForms() {
		out.Sections = append(out.Sections, report.Section{
			Title:  "Where difficulty helps and where it harms",
			Tables: []report.Table{app.PageTable(fmt.Sprintf("Forms against their metrics, at each K (significant: Holm at most %v)", p.options.alpha), p.verdictRows(), "mean difference")},
		})
	}
	for i, c := range coefficients {
		sec := report.Section{Title: c.title + " with people"}
		if i == 0 {
			sec.Text = []string{strings.Replace(app.InOneLine(studyIntervals), "the first table", "the table of chance", 1)}
			if r.HasForms() {
				sec.Text = append(sec.Text, strings.Replace(app.InOneLine(studyDifferences(len(r.Chance))), "−: the difference to", "difference: to", 1))
			}
		}
		rows := p.rows(c.of)
		rows[0] = studyHeader[:len(rows[0])]
		sec.Tables = []report.Table{app.PageTable("By K, with intervals", rows, "value")}
		if l := p.curves(c.title, c.of); l != nil {
			sec.Lines = []report.Lines{*l}
		}
		out.Sections = append(out.Sections, sec)
	}
	out.Sections = append(out.Sections, report.Section{Title: "Chance", Tables: []report.Table{app.PageTable(chanceTitle, p.chanceRows())}})
	for _, c := range r.Curves {
		out.Made = append(out.Made, report.Made{Name: c.Name(), Text: c.Signature.String()})
	}
	out.Made = append(out.Made, report.Made{Name: "tests", Text: r.Signature.String()})
	return out
}

// studyHeader has a name of its own for each column of studyPage.rows.
var studyHeader = []string{"K", "metric", "value", "95% over segments", "95% over systems", "difference", "its 95% over segments", "its 95% over systems", "p", "Holm", "PERM"}

func (p *studyPage) details() []string {
	out := []string{p.of() + ". K is how many of the best systems by people's scores are looked at."}
	if p.result.HasForms() { // otherwise it is the answer
		out = append(out, p.closest())
	}
	return out
}

// picture has how far each metric and form agrees with people on all systems.
func (p *studyPage) picture() *report.Bars {
	out := &report.Bars{Title: fmt.Sprintf("Agreement with people on all %d systems", len(p.result.Systems)), Axis: "Pearson"}
	for _, c := range p.result.Curves {
		a := c.Points[len(c.Points)-1].Agreements[significance.Pearson]
		if a.Value == nil {
			continue
		}
		bar := report.Bar{Name: c.Name(), Value: *a.Value, Text: app.Coefficient(a.Value)}
		if a.Segments.Defined > 0 {
			bar.Interval = &report.Interval{Low: a.Segments.Low, High: a.Segments.High}
		}
		out.Bars = append(out.Bars, bar)
	}
	return app.FinishBars(out)
}

// curves are the agreement over K, nil if it is undefined throughout.
func (p *studyPage) curves(title string, of significance.Coefficient) *report.Lines {
	out := &report.Lines{Title: studyTitle(title), X: "K", Y: title}
	points := 0
	for _, c := range p.result.Curves {
		l := report.Line{Name: c.Name(), Points: curvePoints(c, of)}
		points += len(l.Points)
		out.Lines = append(out.Lines, l)
	}
	if points == 0 {
		return nil
	}
	return out
}

func curvePoints(c *study.Curve, of significance.Coefficient) []report.XY {
	var out []report.XY
	for _, at := range c.Points {
		if v := at.Agreements[of].Value; v != nil {
			out = append(out, report.XY{X: float64(at.K), Y: *v})
		}
	}
	return out
}

package calibrate

import (
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/report"
)

// page is a page with all figures.
func (r *calibrationResult) page() *report.Page {
	out := &report.Page{
		Title:  "How likely people agree with metrics",
		Answer: report.Answer{Text: r.answer(), Bars: r.accuracies()},
	}
	head := r.head()
	out.Answer.Details = []string{app.Sentence(head[0])}
	if r.Figures != nil {
		out.Sections = r.sections()
	}
	out.Made = append(out.Made, report.Made{Name: "probabilities", Text: head[1]})
	if r.Calibration.Note != "" {
		out.Made = append(out.Made, report.Made{Name: "note", Text: r.Calibration.Note})
	}
	out.Made = append(out.Made, report.Made{Name: "fitted", Text: r.Calibration.Fitted}, report.Made{Name: "calibration", Text: r.Calibration.Signature().String()})
	return out
}

// sections have the figures: of all pairs, by campaign, by |z|, and by set.
func (r *calibrationResult) sections() []report.Section {
	figures := report.Section{
		Title: "What the probabilities are worth",
		Text:  []string{app.InOneLine(calibrationKey)},
		Lines: []report.Lines{*r.picture()},
	}
	for _, t := range r.tables() {
		figures.Tables = append(figures.Tables, app.PageTable(t.caption, t.rows))
	}
	parts := func(of func(v *preference.Validation) []preference.Part) (tables []report.Table) {
		for i, p := range of(&r.Figures[0]) {
			if rows := r.partRows(func(v *preference.Validation) preference.Part { return of(v)[i] }); rows != nil {
				tables = append(tables, app.PageTable(fmt.Sprintf("%s: %s of %s", p.Name, app.Count(p.Pairs, "pair"), app.Count(p.Sets, "set")), rows))
			}
		}
		return tables
	}
	return []report.Section{
		figures,
		{Title: "By campaign", Tables: parts(func(v *preference.Validation) []preference.Part { return v.Campaigns })},
		{Title: "By the size of the difference", Text: []string{"z is that of " + r.base() + "."},
			Tables: parts(func(v *preference.Validation) []preference.Part { return v.Bands })},
		{Title: "By set", Tables: []report.Table{app.PageTable("Accuracy on each set", r.setRows())}},
	}
}

// picture is how often the combination was right against how confident it was: for all pairs,
// and for those of each campaign.
func (r *calibrationResult) picture() *report.Lines {
	out := &report.Lines{
		Title: "How often the probabilities were right, by their confidence, " + r.leftOut(),
		X:     "confidence, max(p, 1 − p)", Y: "share of pairs that were right",
		From: report.XY{X: .5, Y: .5}, To: report.XY{X: 1, Y: 1},
	}
	out.Lines = append(out.Lines, report.Line{Name: "calibrated", Points: []report.XY{{X: .5, Y: .5}, {X: 1, Y: 1}}, Guide: true})
	if r.Figures == nil {
		return out
	}
	all := r.Figures[0]
	if len(r.Campaigns()) > 1 {
		for _, c := range all.Campaigns {
			out.Lines = append(out.Lines, report.Line{Name: c.Name, Points: binPoints(c.Bins, preference.FewestPairs)})
		}
	}
	// Over the others.
	out.Lines = append(out.Lines, report.Line{Name: "all", Points: binPoints(all.All.Bins, 1), Main: true})
	return out
}

// binPoints are the bins with so many pairs at least.
func binPoints(bins []preference.Bin, least int) []report.XY {
	var out []report.XY
	for _, b := range bins {
		if b.Pairs >= least {
			out = append(out, report.XY{X: b.Confidence, Y: b.Right})
		}
	}
	return out
}

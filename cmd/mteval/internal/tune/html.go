package tune

import (
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/report"
	"github.com/mteval/mteval/tune/tuned"
)

// tunedPage has all that the text has.
func tunedPage(r *tuned.Result) *report.Page {
	figures, parameters := tunedFigures(r), tunedParameters(r)
	out := &report.Page{
		Title:  "Parameters of " + r.Metric + " tuned to what people said",
		Answer: report.Answer{Text: tunedAnswer(r), Details: tunedDetails(r), Bars: tunedPicture(r)},
		Sections: []report.Section{
			{
				Title: "Agreement with people", Tables: []report.Table{app.PageTable(r.Objective+" before and after", figures, "untuned", "tuned")},
				Text: []string{"The training data flatter a metric that was fitted on them; cross-validation and what was held out do not. ± is the standard deviation over folds."},
			},
			{Title: "Parameters", Tables: []report.Table{app.PageTable("Parameters before and after", parameters)}},
		},
		Made: []report.Made{{Name: r.Metric, Text: r.Signature}},
	}
	for _, of := range []struct {
		name string
		data []tuned.Data
	}{{"fitted on", r.Data}, {"tested on", r.Test}} {
		for _, d := range of.data {
			out.Made = append(out.Made, report.Made{Name: of.name, Text: fmt.Sprintf("%s: %d sources, %d hypotheses, %d judgements, sha256 %s", d.Name, d.Sources, d.Hypotheses, d.Judgements, d.SHA256)})
		}
	}
	out.Made = append(out.Made, report.Made{Name: "search", Text: fmt.Sprintf("seed %d, %d restarts, %d evaluations", r.Seed, r.Restarts, r.Evaluations)})
	return out
}

// tunedPicture has the objective before and after, on what was held out and in cross-validation.
func tunedPicture(r *tuned.Result) *report.Bars {
	f := r.Figures
	out := &report.Bars{Title: "Agreement with people (" + r.Objective + ") before and after tuning", Axis: r.Objective}
	add := func(name string, value float64) {
		out.Bars = append(out.Bars, report.Bar{Name: name, Value: value, Text: app.Fixed(value)})
	}
	add("held out, untuned", f.HeldOut.Untuned)
	add("held out, tuned", f.HeldOut.Tuned)
	if len(f.Folds) > 0 {
		add("cross-validated, untuned", f.CrossValidated.Untuned)
		add("cross-validated, tuned", f.CrossValidated.Tuned)
	}
	return out
}

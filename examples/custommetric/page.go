package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/report"
	"github.com/mteval/mteval/significance"
)

// writePage writes a page of the systems by the metric of a table: which is best, as far as that
// is sure, and the texts.
func writePage(ctx context.Context, w io.Writer, table *mteval.Table, d *sample) error {
	scores := table.Scores()
	order := make([]int, len(scores)) // best first
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] == scores[b]:
			return 0
		case (scores[a] < scores[b]) == table.Info.LowerIsBetter:
			return -1
		}
		return 1
	})
	// The best is tested against the others.
	tests, err := significance.PairedBootstrap(ctx, table, order[0], significance.Options{})
	if err != nil {
		return err
	}
	bars := &report.Bars{Title: "Systems by " + table.Info.Name, Axis: table.Info.Name + ", with 95% intervals", Points: true}
	rows := report.Table{Caption: "Scores, and tests against the best", Header: []string{"system", table.Info.Name, "p"}, Bars: []int{1}}
	alike := 0
	for _, k := range order {
		name, score, test := table.Systems[k], fmt.Sprintf("%.4f", scores[k]), tests[k]
		bars.Bars = append(bars.Bars, report.Bar{Name: name, Value: scores[k], Text: score, Interval: &report.Interval{Low: test.Interval.Low, High: test.Interval.High}})
		p := "–"
		if k != order[0] {
			p = fmt.Sprintf("%.3f", test.P)
			if test.P >= .05 {
				alike++
			}
		}
		rows.Rows = append(rows.Rows, []string{name, score, p})
	}
	best := order[0]
	page := &report.Page{
		Title: "Lengths of translations",
		Answer: report.Answer{
			Text: fmt.Sprintf("%s has the best %s (%.4f), and is not told apart from %d of the %d others.", table.Systems[best], table.Info.Name, scores[best], alike, len(order)-1),
			Bars: bars,
		},
		Sections: []report.Section{{Title: "Scores", Tables: []report.Table{rows}}},
		Segments: segments(table, d),
		Made:     []report.Made{{Name: table.Info.Name, Text: table.Info.Signature.String()}},
	}
	return page.Write(w)
}

// segments are the texts, in their order, each output with its score.
func segments(table *mteval.Table, d *sample) *report.Segments {
	return &report.Segments{
		Title:   "Segments",
		Systems: table.Systems,
		Scores:  []report.ScoreColumn{{Name: table.Info.Name, Decimals: 2, LowerIsBetter: table.Info.LowerIsBetter}},
		All: func(yield func(report.Segment) bool) {
			for i, refs := range d.refs {
				s := report.Segment{Number: i + 1, Source: d.sources[i]}
				for _, ref := range refs {
					s.References = append(s.References, report.Text{Text: ref})
				}
				for k, system := range d.systems {
					s.Outputs = append(s.Outputs, report.Output{Text: report.Text{Text: system.Hyps[i]}, Scores: []float64{table.SegmentScore(k, i)}})
				}
				if !yield(s) {
					return
				}
			}
		},
	}
}

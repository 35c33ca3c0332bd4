package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/report"
)

// writeScorePage writes the page of --html.
func writeScorePage(ctx context.Context, a *app.App, o *scoreOptions, columns []*scoreColumn, c *files.Corpus, open *registry.Backend) error {
	segments, err := o.segmentsOf(ctx, columns, c, open)
	if err != nil {
		return err
	}
	page := o.page(columns)
	page.Segments = segments.view(ctx)
	if made := segments.made(); made != nil {
		page.Made = append(page.Made, *made)
	}
	page.Answer.Details = append([]string{fmt.Sprintf("%s, %s.", app.Count(len(c.Systems), "system"), app.Count(columns[0].table.Len(), "segment"))}, page.Answer.Details...)
	return a.WritePage(ctx, page, o.html)
}

// page has all that the text has.
func (o *scoreOptions) page(columns []*scoreColumn) *report.Page {
	out := &report.Page{Title: "Scores of systems", Answer: report.Answer{Text: o.answer(columns), Details: o.details()}}
	if len(columns[0].results) == 1 {
		out.Title = "Scores of a system"
	} else {
		bars := o.bars(columns[0])
		out.Answer.Bars = &bars
	}
	scores := report.Section{Title: "Scores", Text: o.key(columns), Tables: []report.Table{o.scoreTable(columns)}}
	scores.Tables = append(scores.Tables, partTables(columns)...)
	if rows := o.setPartRows(columns); rows != nil {
		scores.Tables = append(scores.Tables, app.PageTable("By original language and domain of the test set", rows))
	}
	for _, c := range columns[1:] {
		if len(c.results) > 1 {
			scores.Bars = append(scores.Bars, o.bars(c))
		}
	}
	out.Sections = []report.Section{scores}
	if people := o.peopleSection(columns); people != nil {
		out.Sections = append(out.Sections, *people)
	}
	for _, c := range columns {
		out.Made = append(out.Made, report.Made{Name: c.info.Name, Text: c.signature})
	}
	if o.toldPeople(columns) {
		out.Made = append(out.Made, report.Made{Name: "people", Text: o.calibration.Signature().String()})
	}
	return out
}

// details say what the answer's tests are.
func (o *scoreOptions) details() []string {
	if o.paired == "" {
		return nil
	}
	return []string{"A difference is significant where p is below 0.05. " + app.WorthOfTests + " Each system is tested against the first alone, and p-values are not adjusted for their number."}
}

// key says what the columns are.
func (o *scoreOptions) key(columns []*scoreColumn) []string {
	var out []string
	if o.intervals() {
		out = append(out, "Columns mean ±: the mean of bootstrap samples, and half of their 95% interval.")
	}
	switch first := columns[0].results[0].System; o.paired {
	case "bs":
		out = append(out, "Columns p: of the paired bootstrap against "+first+"; *: below 0.05.")
	case "ar":
		out = append(out, "Columns p: of approximate randomization against "+first+"; *: below 0.05.")
	}
	return out
}

// scoreTable has a row for each system.
func (o *scoreOptions) scoreTable(columns []*scoreColumn) report.Table {
	t := report.Table{Caption: "Scores by system", Header: []string{"system"}}
	for _, r := range columns[0].results {
		t.Rows = append(t.Rows, []string{r.System})
	}
	add := func(name string, cell func(k int) string) {
		t.Header = append(t.Header, name)
		for k := range t.Rows {
			t.Rows[k] = append(t.Rows[k], cell(k))
		}
	}
	for _, c := range columns {
		t.Bars = append(t.Bars, len(t.Header))
		add(app.ScoreAxis(c.info), func(k int) string { return o.shown(c, c.results[k].Score) })
		if o.intervals() {
			add("mean ±", func(k int) string {
				i := c.results[k].Confidence
				return o.shown(c, i.Mean) + " ± " + o.shown(c, (i.High-i.Low)/2)
			})
		}
		if o.paired != "" {
			add("p", func(k int) string { return pCell(c.results[k].P) })
		}
	}
	return t
}

func pCell(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case significant(*p):
		return app.Fixed(*p) + "*"
	}
	return app.Fixed(*p)
}

// partTables say what BLEU is made of.
func partTables(columns []*scoreColumn) []report.Table {
	var out []report.Table
	for _, c := range columns {
		if c.results[0].BLEU == nil {
			continue
		}
		t := report.Table{Caption: "Parts of " + c.info.Name + ": precisions of n-grams in per cent, brevity penalty, lengths in tokens", Header: []string{"system"}}
		for n := range c.results[0].BLEU.Precisions {
			t.Header = append(t.Header, fmt.Sprintf("%d-grams", n+1))
		}
		t.Header = append(t.Header, "BP", "ratio", "output", "reference")
		for _, r := range c.results {
			row := []string{r.System}
			for _, p := range r.BLEU.Precisions {
				row = append(row, strconv.FormatFloat(p, 'f', 1, 64))
			}
			t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.3f", r.BLEU.BP), fmt.Sprintf("%.3f", r.BLEU.Ratio), strconv.Itoa(r.BLEU.HypLen), strconv.FormatFloat(r.BLEU.RefLen, 'f', -1, 64)))
		}
		out = append(out, t)
	}
	return out
}

// peopleSection says what differences from the first system have meant, nil if there is nothing
// to tell.
func (o *scoreOptions) peopleSection(columns []*scoreColumn) *report.Section {
	rows, unlike := o.peopleRows(columns)
	if len(rows) == 1 {
		return nil
	}
	first := columns[0].results[0].System
	out := &report.Section{Title: "What people would say", Text: []string{fmt.Sprintf("How often people agreed with the better score, of pairs of %s that differed as much by the same metric. |z|: the difference from %s in standard errors.", o.judged(), first)}}
	for _, reason := range unlike {
		out.Text = append(out.Text, "Take this as a guess: it was counted on other data ("+reason+").")
	}
	t := report.Table{Caption: "Differences from " + first, Header: []string{"system", "metric", "|z|", "better", "people agreed", "pairs like it"}}
	for k := range columns[0].results {
		for _, c := range columns {
			p := c.results[k].People
			if p == nil {
				continue
			}
			agreed := "–" // of too few
			if p.Agreed != nil {
				agreed = agreedPercent(p) + "%"
			}
			row := rows[len(t.Rows)+1]
			t.Rows = append(t.Rows, append(row[:4:4], agreed, strconv.Itoa(p.Pairs)))
		}
	}
	t.Bars = []int{4}
	out.Tables = []report.Table{t}
	return out
}

// bars have the systems by a metric, best first.
func (o *scoreOptions) bars(c *scoreColumn) report.Bars {
	out := report.Bars{Title: "Systems by " + c.info.Name, Axis: app.ScoreAxis(c.info)}
	order := make([]int, len(c.results))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		way := cmp.Compare(c.results[b].Score, c.results[a].Score)
		if c.info.LowerIsBetter {
			return -way
		}
		return way
	})
	if o.intervals() {
		out.Points = true
		out.Axis += ", with 95% intervals"
	}
	for _, k := range order {
		r := c.results[k]
		bar := report.Bar{Name: r.System, Value: r.Score, Text: o.shown(c, r.Score)}
		if i := r.Confidence; i != nil {
			bar.Interval = &report.Interval{Low: i.Low, High: i.High}
		}
		out.Bars = append(out.Bars, bar)
	}
	return out
}

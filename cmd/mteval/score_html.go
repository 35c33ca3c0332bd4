package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/report"
)

// writeScorePage writes the page of --html.
func (a *app) writeScorePage(ctx context.Context, o *scoreOptions, columns []*scoreColumn, c *corpus, open *registry.Backend) error {
	segments, err := o.segmentsOf(ctx, columns, c, open)
	if err != nil {
		return err
	}
	page := o.page(columns)
	page.Segments = segments.view(ctx)
	if made := segments.made(); made != nil {
		page.Made = append(page.Made, *made)
	}
	page.Answer.Details = append([]string{fmt.Sprintf("%s, %s.", count(len(c.Systems), "system"), count(columns[0].table.Len(), "segment"))}, page.Answer.Details...)
	return a.writePage(ctx, page, o.html)
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
		scores.Tables = append(scores.Tables, pageTable("By original language and domain of the test set", rows))
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
	return []string{"A difference is significant where p is below 0.05; p-values are of each pair with the first system, and not adjusted for their number. " + worthOfTests}
}

// key says what the columns are.
func (o *scoreOptions) key(columns []*scoreColumn) []string {
	var out []string
	if o.intervals() {
		out = append(out, "Mean ±: the mean of bootstrap samples, and half of their 95% interval.")
	}
	switch first := columns[0].results[0].System; o.paired {
	case "bs":
		out = append(out, "P: of the paired bootstrap against "+first+"; *: below 0.05.")
	case "ar":
		out = append(out, "P: of approximate randomization against "+first+"; *: below 0.05.")
	}
	return out
}

// scoreTable has a row for each system.
func (o *scoreOptions) scoreTable(columns []*scoreColumn) report.Table {
	t := report.Table{Caption: "Scores", Header: []string{"system"}}
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
		add(scoreAxis(c.info), func(k int) string { return o.shown(c, c.results[k].Score) })
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
		return fixed(*p) + "*"
	}
	return fixed(*p)
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
		out.Text = append(out.Text, "Take this as a guess: it was counted "+unlikeFitted(reason)+".")
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
				agreed = p.percent() + "%"
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
	out := report.Bars{Title: "Systems by " + c.info.Name, Axis: scoreAxis(c.info)}
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

// scoreSegments are the texts and their scores.
type scoreSegments struct {
	options *scoreOptions
	columns []*scoreColumn
	corpus  *corpus
	bleu    mteval.Scorer // of sentences; nil: no metric is BLEU
}

// segmentsOf are the segments of a page. BLEU of a sentence has effective order, as with
// --sentence-level.
func (o *scoreOptions) segmentsOf(ctx context.Context, columns []*scoreColumn, c *corpus, open *registry.Backend) (*scoreSegments, error) {
	out := &scoreSegments{options: o, columns: columns, corpus: c}
	if slices.ContainsFunc(columns, func(c *scoreColumn) bool { return c.results[0].BLEU != nil }) {
		sentences := o.flags
		sentences.Sentences = true
		var err error
		if out.bleu, err = sentences.Scorer(ctx, "bleu", open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// made says how sentences are scored where that is not as systems are.
func (s *scoreSegments) made() *report.Made {
	if s.bleu == nil || s.options.sentences {
		return nil
	}
	return &report.Made{Name: "bleu of segments", Text: s.bleu.Info().Signature.Complete(s.corpus.Refs).String()}
}

// score is that of an output.
func (s *scoreSegments) score(c *scoreColumn, system, segment int) float64 {
	if c.results[system].BLEU != nil {
		return s.bleu.Score(c.table.Row(system, segment))
	}
	return c.table.SegmentScore(system, segment)
}

// key is the number of a segment by a metric: how far systems are apart, or the score of a single
// one.
func (s *scoreSegments) key(c *scoreColumn, segment int) float64 {
	low := s.score(c, 0, segment)
	if len(c.results) == 1 {
		return low
	}
	high := low
	for k := range c.results {
		v := s.score(c, k, segment)
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

// rounded is a number with the digits that are shown.
func (s *scoreSegments) rounded(c *scoreColumn, v float64) float64 {
	unit := math.Pow10(decimals(c.info, s.options.width))
	return math.Round(v*unit) / unit
}

// order has the segments on which systems are furthest apart by the first metric first, or those
// with the worst scores of a single one.
func (s *scoreSegments) order() []int {
	c := s.columns[0]
	keys, out := make([]float64, c.table.Len()), make([]int, c.table.Len())
	for i := range out {
		keys[i], out[i] = s.rounded(c, s.key(c, i)), i
	}
	worstFirst := len(c.results) == 1 && !c.info.LowerIsBetter
	slices.SortStableFunc(out, func(a, b int) int {
		if worstFirst {
			return cmp.Compare(keys[a], keys[b])
		}
		return cmp.Compare(keys[b], keys[a])
	})
	return out[:min(len(out), s.options.htmlSegments)]
}

// text says in which order they are.
func (s *scoreSegments) text() []string {
	first := s.columns[0]
	if len(first.results) == 1 {
		return []string{"Those with the worst " + first.info.Name + " come first."}
	}
	return []string{"Those whose " + first.info.Name + " differs most among systems come first. Spread: the best score less the worst."}
}

// view is nil where no segment is asked for.
func (s *scoreSegments) view(ctx context.Context) *report.Segments {
	order := s.order()
	if len(order) == 0 {
		return nil
	}
	out := &report.Segments{Title: "Segments", Text: s.text(), Systems: systemNames(s.corpus.Systems)}
	for _, c := range s.columns {
		out.Scores = append(out.Scores, report.ScoreColumn{Name: c.info.Name, Decimals: decimals(c.info, s.options.width), LowerIsBetter: c.info.LowerIsBetter})
		if len(c.results) > 1 {
			out.Keys = append(out.Keys, report.Key{Name: "spread of " + c.info.Name})
		} else {
			out.Keys = append(out.Keys, report.Key{Name: c.info.Name, Ascending: !c.info.LowerIsBetter})
		}
	}
	out.All = func(yield func(report.Segment) bool) {
		for _, i := range order {
			if ctx.Err() != nil || !yield(s.segment(i)) {
				return // and the file is not written
			}
		}
	}
	return out
}

func (s *scoreSegments) segment(i int) report.Segment {
	out := report.Segment{Number: i + 1}
	if s.corpus.at != nil {
		out.Number = s.corpus.at[i] + 1
	}
	if s.corpus.Sources != nil {
		out.Source = s.corpus.Sources[i]
	}
	if i < len(s.corpus.Refs) {
		for _, ref := range s.corpus.Refs[i] {
			out.References = append(out.References, report.Text{Text: ref})
		}
	}
	for _, c := range s.columns {
		out.Keys = append(out.Keys, s.rounded(c, s.key(c, i)))
	}
	for k, system := range s.corpus.Systems {
		o := report.Output{Text: report.Text{Text: system.Hyps[i]}}
		for _, c := range s.columns {
			o.Scores = append(o.Scores, s.score(c, k, i))
		}
		out.Outputs = append(out.Outputs, o)
	}
	return out
}

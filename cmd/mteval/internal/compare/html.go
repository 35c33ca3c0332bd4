package compare

import (
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/report"
)

func (s *compareOutput) page() *report.Page {
	means := s.meanBars(&s.results[0])
	p := &report.Page{
		Title:  "Comparison of systems",
		Answer: report.Answer{Text: s.summary(), Details: s.details(), Bars: &means},
		Made:   []report.Made{{Name: "tests", Text: s.signature().String()}},
	}
	for i := range s.results {
		p.Sections = append(p.Sections, s.metricSection(i))
		if len(s.decisions) > 0 {
			p.Sections = append(p.Sections, s.decisions[i].section())
		}
	}
	p.Segments = s.segments()
	return p
}

// details say what the answer's tests are.
func (s *compareOutput) details() []string {
	r := &s.results[0]
	tests := map[string]string{"ar": "approximate randomization", "bs": "the paired bootstrap", "t": "Student's paired t-test"}
	adjusted := ""
	if n := len(r.Pairs); n > 1 {
		adjusted = fmt.Sprintf(", adjusted for %d pairs,", n)
	}
	on := ""
	if len(s.results) == 1 { // of several, each says it of its own
		on = ", " + app.Count(r.Segments, "segment")
	}
	return []string{
		app.Count(len(r.Systems), "system") + on + ".",
		fmt.Sprintf("A difference is significant where p of %s%s is at most %v. %s", tests[s.options.test], adjusted, s.options.alpha, app.WorthOfTests),
	}
}

// mostOnPage is how many systems a page has all pairs of.
const mostOnPage = 50

// metricSection is that of a metric. The picture of the first is that of the answer.
func (s *compareOutput) metricSection(i int) report.Section {
	r := &s.results[i]
	sec := report.Section{Title: metricTitle(r)}
	sec.Tables = []report.Table{app.PageTable("Systems (#: group; ±: half the 95% interval; p: against the best, adjusted)", s.ranking(r).Rows, "mean")}
	if len(r.Systems) <= mostOnPage {
		pairs := s.pairTable(r)
		sec.Tables = append(sec.Tables, app.PageTable(pairs.Title, pairs.Rows))
		sec.Matrices = []report.Matrix{winMatrix(r)}
	} else {
		sec.Text = append(sec.Text, fmt.Sprintf("The %d pairs of systems are too many for a page: --pairs and --format json have them.", len(r.Pairs)))
	}
	for g, buckets := range s.buckets[i] {
		t := s.bucketTable(r, s.groupings[i][g].Name, buckets)
		sec.Tables = append(sec.Tables, app.PageTable(t.Title, t.Rows))
	}
	if i > 0 {
		sec.Bars = append(sec.Bars, s.meanBars(r))
	}
	sec.Bars = append(sec.Bars, differenceBars(r))
	return sec
}

// winMatrix has the share of segments on which a system is better, ties being half of one each.
func winMatrix(r *compare.Result) report.Matrix {
	m := report.Matrix{Caption: "Percent of segments on which the row's system scores better than the column's, ties counting half"}
	n := len(r.Systems)
	for _, x := range r.Systems {
		m.Names = append(m.Names, x.Name)
		m.Values = append(m.Values, make([]float64, n))
	}
	for _, p := range r.Pairs {
		share := (float64(p.Wins) + float64(p.Ties)/2) / float64(r.Segments)
		m.Values[p.A][p.B], m.Values[p.B][p.A] = share, 1-share
	}
	return m
}

// meanBars have the systems in their clusters.
func (s *compareOutput) meanBars(r *compare.Result) report.Bars {
	b := report.Bars{Title: fmt.Sprintf("Systems by %s, in groups that are told apart at p ≤ %v", r.Metric, s.options.alpha), Axis: "mean, with 95% intervals", Points: true}
	if r.LowerIsBetter {
		b.Axis = "mean (less is better), with 95% intervals"
	}
	for _, x := range r.Systems {
		b.Bars = append(b.Bars, report.Bar{Name: x.Name, Value: x.Mean, Text: app.Amount(x.Mean), Interval: &report.Interval{Low: x.Interval.Low, High: x.Interval.High}, Group: x.Cluster})
	}
	return b
}

// differenceBars are those from the best: their intervals tell more than those of the means, which
// overlap where a paired test is sure.
func differenceBars(r *compare.Result) report.Bars {
	b := report.Bars{Points: true, Title: "How far " + r.Systems[0].Name + " is ahead by " + r.Metric, Axis: "difference of the means, with 95% intervals"}
	for i := range r.Systems[1:] {
		p := &r.Pairs[i]
		b.Bars = append(b.Bars, report.Bar{Name: r.Systems[p.B].Name, Value: p.Difference, Text: app.Amount(p.Difference), Interval: &report.Interval{Low: p.Interval.Low, High: p.Interval.High}})
	}
	return b
}

// section says what decides; without texts it has the segments.
func (d *compareDecision) section() report.Section {
	sec := report.Section{Title: fmt.Sprintf("%s: what decides between %s and %s", d.metric, d.A, d.B), Text: []string{d.sentence() + "."}}
	if !d.hasTexts() {
		t := d.table()
		sec.Tables = []report.Table{app.PageTable("Segments on which they are furthest apart", t.Rows)}
	}
	return sec
}

func (d *compareDecision) hasTexts() bool { return len(d.texts) > 0 && len(d.texts[0]) > 0 }

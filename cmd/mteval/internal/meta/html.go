package meta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/report"
)

func (s *metaOutput) page() *report.Page {
	p := &report.Page{
		Title:  "Metrics and people: " + s.options.Level + " level",
		Answer: report.Answer{Text: s.answer(), Details: s.details(), Bars: s.picture()},
		Made:   []report.Made{{Name: "agreement", Text: s.Signature.String()}},
	}
	add := func(sec report.Section) {
		if len(sec.Text)+len(sec.Tables)+len(sec.Bars)+len(sec.Scatters) > 0 {
			p.Sections = append(p.Sections, sec)
		}
	}
	agreement := report.Section{Title: "Agreement"}
	var bars []string // columns
	for _, x := range s.Measures {
		bars = append(bars, s.title(x))
		if x.Tested && x.Key != s.mainMeasure() {
			agreement.Bars = append(agreement.Bars, s.bars(x)...)
		}
	}
	for _, t := range s.tables() {
		agreement.Tables = append(agreement.Tables, app.PageTable(t.Title, t.Rows, bars...))
	}
	add(agreement)
	if s.Human != nil {
		add(report.Section{Title: "Systems", Text: []string{"Each point is a system."}, Scatters: s.scatters()})
	}
	var tests [][]string
	for _, c := range s.Comparisons {
		tests = append(tests, []string{s.fullTitle(c.Measure), c.X, c.Y, app.Fixed(c.Difference), app.Fixed(c.P), app.Fixed(c.Adjusted)})
	}
	if len(tests) > 0 {
		add(report.Section{Title: "Tests", Tables: []report.Table{{
			Caption: "Differences of agreement between metrics, and their p-values, as they are and adjusted for all pairs of metrics",
			Header:  []string{"measure", "metric", "and metric", "difference", "p", "adjusted"}, Rows: tests,
		}}})
	}
	return p
}

// details say what was compared.
func (s *metaOutput) details() []string {
	out := s.head()
	for i, line := range out {
		out[i] = app.Sentence(line)
	}
	return out
}

// picture has the metrics by the main measure, best first.
func (s *metaOutput) picture() *report.Bars {
	key := s.mainMeasure()
	out := &report.Bars{Title: "Metrics by their agreement with people", Axis: s.fullTitle(key)}
	if len(s.Comparisons) > 0 {
		out.Title += fmt.Sprintf(", in groups that are not told apart at p ≤ %v", s.options.Alpha)
	}
	for _, m := range s.ranked(key) {
		bar := valueBar(m, key)
		bar.Group = m.Values[key].Cluster
		out.Bars = append(out.Bars, bar)
	}
	return app.FinishBars(out)
}

// valueBar is that of a metric with a value.
func valueBar(m meta.MetricResult, key string) report.Bar {
	v := m.Values[key]
	out := report.Bar{Name: metricLabel(m), Value: v.Value, Text: app.Fixed(v.Value)}
	if v.Interval != nil {
		out.Interval = &report.Interval{Low: v.Interval.Low, High: v.Interval.High}
	}
	return out
}

// fullTitle is that of a measure beside others.
func (s *metaOutput) fullTitle(key string) string {
	title := s.title(meta.Measure{Key: key})
	switch {
	case strings.HasPrefix(key, "kendall_"):
		return "Kendall's tau " + title
	case key == "pairwise_difference_pearson":
		return "Pearson of differences"
	case strings.HasSuffix(key, "pairwise_accuracy"):
		return strings.ReplaceAll(key, "_", " ")
	}
	return title
}

// bars has one plot, or none where the measure is undefined throughout.
func (s *metaOutput) bars(x meta.Measure) []report.Bars {
	b := report.Bars{Title: s.fullTitle(x.Key) + " by metric", Axis: s.fullTitle(x.Key)}
	for _, m := range s.ranked(x.Key) {
		b.Bars = append(b.Bars, valueBar(m, x.Key))
	}
	if app.FinishBars(&b) == nil {
		return nil
	}
	return []report.Bars{b}
}

// scatters has a plot for each metric, of the systems in people's order.
func (s *metaOutput) scatters() []report.Scatter {
	var out []report.Scatter
	for _, m := range s.Metrics {
		c := report.Scatter{Title: fmt.Sprintf("%s and people", m.Name), X: s.axis(), Y: m.Name}
		if m.LowerIsBetter {
			c.Y += " (less is better)"
		}
		for k, name := range s.Systems {
			if x, y := s.Human[k], m.Systems[k]; x-x == 0 && y-y == 0 {
				c.Points = append(c.Points, report.Point{Name: name, X: x, Y: y})
			}
		}
		slices.SortStableFunc(c.Points, func(a, b report.Point) int {
			switch {
			case a.X > b.X:
				return -1
			case a.X < b.X:
				return 1
			}
			return 0
		})
		if len(c.Points) > 0 {
			out = append(out, c)
		}
	}
	return out
}

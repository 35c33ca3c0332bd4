package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/report"
)

func (s *metaOutput) page() *report.Page {
	p := &report.Page{Title: "Metrics and people: " + s.options.level + " level", Notes: s.head(), Made: []report.Made{{Text: s.Signature.String()}}}
	add := func(sec report.Section) {
		if len(sec.Text)+len(sec.Tables)+len(sec.Bars)+len(sec.Scatters) > 0 {
			p.Sections = append(p.Sections, sec)
		}
	}
	add(report.Section{Title: "Warnings", Text: s.warnings})
	agreement := report.Section{Title: "Agreement"}
	for _, t := range s.tables() {
		agreement.Tables = append(agreement.Tables, pageTable(t.title, t.rows))
	}
	for _, x := range s.Measures {
		if x.Tested {
			agreement.Bars = append(agreement.Bars, s.bars(x)...)
		}
	}
	add(agreement)
	if s.Human != nil {
		add(report.Section{Title: "Systems", Text: []string{"A point is a system."}, Scatters: s.scatters()})
	}
	var tests [][]string
	for _, c := range s.Comparisons {
		tests = append(tests, []string{s.fullTitle(c.Measure), c.X, c.Y, fixed(c.Difference), fixed(c.P), fixed(c.Adjusted)})
	}
	if len(tests) > 0 {
		add(report.Section{Title: "Tests", Tables: []report.Table{{
			Caption: "Differences of agreement between metrics, and their p-values, as they are and adjusted for all pairs of metrics",
			Header:  []string{"measure", "metric", "and metric", "difference", "p", "adjusted"}, Rows: tests,
		}}})
	}
	return p
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
	for _, m := range s.Metrics {
		f := m.Values[x.Key]
		if f == nil {
			continue
		}
		bar := report.Bar{Name: metricLabel(m), Value: f.Value}
		if f.Interval != nil {
			bar.Interval = &report.Interval{Low: f.Interval.Low, High: f.Interval.High}
			b.Axis = s.fullTitle(x.Key) + ", with 95% intervals"
		}
		b.Bars = append(b.Bars, bar)
	}
	if len(b.Bars) == 0 {
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

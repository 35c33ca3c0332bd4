package main

import (
	"fmt"
	"slices"

	"github.com/mteval/mteval/report"
)

func (s *study) page() *report.Page {
	p := &report.Page{Title: "Metrics and people: " + s.options.level + " level", Text: append(s.head(), s.tests.String())}
	add := func(sec report.Section) {
		if len(sec.Text)+len(sec.Tables)+len(sec.Bars)+len(sec.Scatters) > 0 {
			p.Sections = append(p.Sections, sec)
		}
	}
	add(report.Section{Title: "Warnings", Text: s.warnings})
	agreement := report.Section{Title: "Agreement"}
	for _, t := range s.tables() {
		agreement.Tables = append(agreement.Tables, report.Table{Caption: t.title, Header: t.rows[0], Rows: t.rows[1:]})
	}
	for _, x := range s.measures {
		if x.tested {
			agreement.Bars = append(agreement.Bars, s.bars(x)...)
		}
	}
	add(agreement)
	if s.human != nil {
		add(report.Section{Title: "Systems", Text: []string{"A point is a system."}, Scatters: s.scatters()})
	}
	var tests [][]string
	for _, c := range s.comparisons {
		tests = append(tests, []string{s.title(c.measure), c.x, c.y, decimal(c.difference), decimal(c.p), decimal(c.adjusted)})
	}
	if len(tests) > 0 {
		add(report.Section{Title: "Tests", Tables: []report.Table{{
			Caption: "Differences of agreement between metrics, and their p-values, as they are and adjusted for all pairs of metrics",
			Header:  []string{"measure", "metric", "and metric", "difference", "p", "adjusted"}, Rows: tests,
		}}})
	}
	return p
}

// title is that of a measure, in full.
func (s *study) title(key string) string {
	i := slices.IndexFunc(s.measures, func(x measure) bool { return x.key == key })
	if x := s.measures[i]; s.options.level == "system" || i >= len(s.options.forms) {
		return x.title
	} else {
		return "Kendall's tau " + x.title
	}
}

// bars has one plot, or none where the measure is undefined throughout.
func (s *study) bars(x measure) []report.Bars {
	b := report.Bars{Title: s.title(x.key) + " by metric", Axis: s.title(x.key)}
	for _, m := range s.metrics {
		f := m.found[x.key]
		if f == nil {
			continue
		}
		bar := report.Bar{Name: m.label(), Value: f.value}
		if f.interval != nil {
			bar.Interval = &report.Interval{Low: f.interval.Low, High: f.interval.High}
			b.Axis = s.title(x.key) + ", with 95% intervals"
		}
		b.Bars = append(b.Bars, bar)
	}
	if len(b.Bars) == 0 {
		return nil
	}
	return []report.Bars{b}
}

// scatters has a plot for each metric, of the systems in people's order.
func (s *study) scatters() []report.Scatter {
	var out []report.Scatter
	for _, m := range s.metrics {
		c := report.Scatter{Title: fmt.Sprintf("%s and people", m.Name), X: s.humanAxis, Y: m.Name}
		if m.LowerIsBetter {
			c.Y += " (less is better)"
		}
		for k, name := range s.systems {
			if x, y := s.human[k], m.systems[k]; x-x == 0 && y-y == 0 {
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

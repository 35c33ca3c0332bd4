package meta

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// metaOutput is what package meta found, with what else there is to say.
type metaOutput struct {
	*meta.Result
	options *app.MetaOptions
	people  *people
	// warnings name flags, those of Result do not.
	warnings []string
	marks    []marksOf // that people's scores are made of
}

func writeMeta(a *app.App, s *metaOutput) error {
	var b strings.Builder
	switch s.options.Output {
	case "json":
		return safe.JSON(a.Stdout, s.json())
	case "tsv":
		s.tsv(&b)
	default:
		s.print(&b, s.tables())
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// print writes tables for people, or for LaTeX.
func (s *metaOutput) print(b *strings.Builder, tables []app.MetaTable) {
	if s.options.Output == "latex" {
		for _, line := range s.head() {
			fmt.Fprintf(b, "%% %s\n", safe.Visible(line))
		}
		for _, t := range tables {
			fmt.Fprintf(b, "%% %s\n", safe.Visible(t.Title))
			safe.LaTeX(b, t.Rows)
		}
		fmt.Fprintf(b, "%% %s\n", s.Signature)
		return
	}
	for _, line := range s.head() {
		b.WriteString(safe.Visible(line) + "\n")
	}
	for _, t := range tables {
		b.WriteString("\n" + t.Title + "\n")
		safe.Grid(b, t.Rows)
	}
	fmt.Fprintf(b, "\n%s\n", s.Signature)
}

// head says what was compared.
func (s *metaOutput) head() []string {
	out := []string{"people: " + s.people.describe()}
	if p := s.Pairs; p != nil && !s.showsKendall() {
		return append(out, fmt.Sprintf("compared: %d systems, %d pairs", len(s.Systems), p.Ranked+p.Ties))
	} else if p != nil {
		line := fmt.Sprintf("compared: %d systems, %d pairs: %d ranked, %d ties", len(s.Systems), p.Ranked+p.Ties, p.Ranked, p.Ties)
		if p.Threshold != nil {
			line += fmt.Sprintf(" (a difference below %v)", *p.Threshold)
		}
		return append(out, line)
	}
	return append(out, fmt.Sprintf("compared: %d systems by %s", len(s.Systems), s.axis()))
}

// axis says what people's scores of systems are.
func (s *metaOutput) axis() string {
	p := s.people
	switch {
	case p.tree != nil:
		return "people's score (" + p.kind() + ")"
	case p.Systems != nil:
		return "people's score"
	case p.Scores == nil:
		return "people's expected wins"
	case p.column != "":
		return "people's mean score (" + p.column + ")"
	}
	return "people's mean score"
}

// title is that of a measure, short.
func (s *metaOutput) title(x meta.Measure) string {
	if form, ok := strings.CutPrefix(x.Key, "kendall_"); ok {
		return form
	}
	switch x.Key {
	case "pearson":
		return "Pearson"
	case "spearman":
		return "Spearman"
	case "kendall":
		return "tau-b"
	case "pairwise_accuracy":
		return "accuracy"
	case "soft_pairwise_accuracy":
		return "soft"
	case "pairwise_difference_pearson":
		return "PDP"
	case "tau_c":
		return "tau-c"
	}
	return x.Key
}

func percent(part, all int64) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%d (%.1f%%)", part, 100*float64(part)/float64(all))
}

// cells are those of a measure in the row of a metric.
func (s *metaOutput) cells(m meta.MetricResult, x meta.Measure, interval bool) []string {
	f := m.Values[x.Key]
	value := "undefined"
	if f != nil {
		value = app.Fixed(f.Value)
	}
	if x.Key == "pairwise_accuracy" && f != nil {
		value += fmt.Sprintf(" (%d/%d)", m.Accuracy.Agree, m.Accuracy.Pairs)
	}
	out := []string{value}
	if !x.Tested || s.options.Samples == 0 {
		return out
	}
	if interval {
		text := "–"
		if f != nil && f.Interval != nil {
			text = app.Fixed(f.Interval.Low) + " to " + app.Fixed(f.Interval.High)
		}
		out = append(out, text)
	}
	cluster := "–"
	if f != nil && f.Cluster > 0 {
		cluster = strconv.Itoa(f.Cluster)
	}
	return append(out, cluster)
}

// headers are those of what cells has.
func (s *metaOutput) headers(x meta.Measure, interval bool) []string {
	out := []string{s.title(x)}
	if x.Tested && s.options.Samples > 0 {
		if interval {
			out = append(out, "95%")
		}
		out = append(out, "#")
	}
	return out
}

// metricLabel is a metric's name, and its direction if that is not the usual one.
func metricLabel(m meta.MetricResult) string {
	if m.LowerIsBetter {
		return m.Name + " (error)"
	}
	return m.Name
}

// table has a row for each metric and the given measures, of which some have their
// intervals beside them.
func (s *metaOutput) table(title string, measures []meta.Measure, interval func(meta.Measure) bool) app.MetaTable {
	t := app.MetaTable{Title: title, Rows: [][]string{{"metric"}}}
	for _, x := range measures {
		t.Rows[0] = append(t.Rows[0], s.headers(x, interval(x))...)
	}
	for _, m := range s.Metrics {
		row := []string{metricLabel(m)}
		for _, x := range measures {
			row = append(row, s.cells(m, x, interval(x))...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (s *metaOutput) tables() []app.MetaTable {
	if s.options.Level == "system" {
		title := "Agreement with people on systems"
		if s.options.Samples > 0 {
			title += " (#: cluster by Pearson)"
		}
		return append([]app.MetaTable{s.table(title, s.shown(s.Measures), func(meta.Measure) bool { return true })}, s.marksTables()...)
	}
	forms, rest := s.Measures[:len(s.options.Forms)], s.shown(s.Measures[len(s.options.Forms):])
	title := "Kendall's tau of WMT on pairs"
	if s.options.Samples > 0 {
		title += " (#: cluster)"
	}
	var out []app.MetaTable
	if s.showsKendall() {
		out = []app.MetaTable{s.table(title, forms, func(meta.Measure) bool { return len(forms) == 1 }), s.tieTable()}
	}
	if len(rest) > 0 {
		over := map[metaeval.Grouping]string{
			metaeval.NoGrouping: "of all scores together", metaeval.ByItem: "of systems on a segment, averaged", metaeval.BySystem: "of a system's segments, averaged",
		}[s.options.Grouping]
		if s.options.Level == "document" {
			over = strings.NewReplacer("a segment", "a document", "segments", "documents").Replace(over)
		}
		t := s.table("Correlations "+over, rest, func(meta.Measure) bool { return false })
		if rest[0].Key == "acc_eq" {
			t.Rows[0] = append(t.Rows[0][:2:2], append([]string{"epsilon"}, t.Rows[0][2:]...)...)
			for i, m := range s.Metrics {
				epsilon := "–"
				if m.Epsilon != nil {
					epsilon = strconv.FormatFloat(*m.Epsilon, 'g', 4, 64)
				}
				r := t.Rows[i+1]
				t.Rows[i+1] = append(r[:2:2], append([]string{epsilon}, r[2:]...)...)
			}
		}
		out = append(out, t)
	}
	return append(append(out, s.sweepTables()...), s.marksTables()...)
}

// shown are the measures that tables for people have.
func (s *metaOutput) shown(measures []meta.Measure) []meta.Measure {
	return slices.DeleteFunc(slices.Clone(measures), func(x meta.Measure) bool {
		return slices.Contains([]string{"tau_c", "tau_eq", "acc_eq_0"}, x.Key)
	})
}

// metricTies returns how many of the pairs that people ranked a metric ties, and how many of
// their ties.
func metricTies(m meta.MetricResult) (ranked, both int64) {
	return m.Counts[0][1] + m.Counts[2][1], m.Counts[1][1]
}

func (s *metaOutput) tieTable() app.MetaTable {
	t := app.MetaTable{Title: "Pairs that a metric ties", Rows: [][]string{{"metric", "of the ranked", "of people's ties"}}}
	for _, m := range s.Metrics {
		ranked, both := metricTies(m)
		t.Rows = append(t.Rows, []string{metricLabel(m), percent(ranked, s.Pairs.Ranked), percent(both, s.Pairs.Ties)})
	}
	return t
}

// sweepTables has one for each form.
func (s *metaOutput) sweepTables() []app.MetaTable {
	if len(s.Sweep) == 0 {
		return nil
	}
	var out []app.MetaTable
	for f, form := range s.options.Forms {
		t := app.MetaTable{Title: "Kendall's tau by people's threshold, form " + form.Name, Rows: [][]string{{"threshold", "ranked", "ties"}}}
		for _, m := range s.Metrics {
			t.Rows[0] = append(t.Rows[0], metricLabel(m))
		}
		for _, p := range s.Sweep {
			row := []string{decimal.Format(p.Threshold), strconv.FormatInt(p.Ranked, 10), strconv.FormatInt(p.Ties, 10)}
			for _, m := range s.Metrics {
				text := "undefined"
				if tau := sweepTau(p, m.Name, f); tau != nil {
					text = app.Fixed(*tau)
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return out
}

// sweepTau is a metric's tau at a point, nil if it is undefined.
func sweepTau(p metaeval.SweepPoint, metric string, form int) *float64 {
	for _, r := range p.Metrics {
		if r.Name == metric {
			return r.Taus[form]
		}
	}
	return nil
}

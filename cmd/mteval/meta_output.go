package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// metaOutput is what package meta found, with what else there is to say.
type metaOutput struct {
	*meta.Result
	options *metaOptions
	people  *people
	// warnings name flags, those of Result do not.
	warnings []string
}

// metaTable is a table for people to read: its first row is the header.
type metaTable struct {
	title string
	rows  [][]string
}

func (a *app) writeMeta(s *metaOutput) error {
	var b strings.Builder
	switch s.options.output {
	case "json":
		return writeJSON(a.stdout, s.json())
	case "tsv":
		s.tsv(&b)
	case "latex":
		for _, line := range s.head() {
			fmt.Fprintf(&b, "%% %s\n", visible(line))
		}
		for _, t := range s.tables() {
			fmt.Fprintf(&b, "%% %s\n", visible(t.title))
			latex(&b, t.rows)
		}
		fmt.Fprintf(&b, "%% %s\n", s.Signature)
	default:
		for _, line := range s.head() {
			b.WriteString(visible(line) + "\n")
		}
		for _, t := range s.tables() {
			b.WriteString("\n" + t.title + "\n")
			grid(&b, t.rows)
		}
		fmt.Fprintf(&b, "\n%s\n", s.Signature)
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// head says what was compared.
func (s *metaOutput) head() []string {
	out := []string{"people: " + s.people.read}
	if p := s.Pairs; p != nil {
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
	case p.systems != nil:
		return "people's score"
	case p.scores == nil:
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
		if s.options.level == "segment" {
			return "tau-b"
		}
		return "Kendall"
	case "pairwise_accuracy":
		return "accuracy"
	case "soft_pairwise_accuracy":
		return "soft"
	}
	return x.Key
}

// few is for all commands.
func few(list []string) string { return names.Few(list) }

func decimal(v float64) string { return strconv.FormatFloat(v+0, 'f', 4, 64) } // + 0 makes 0 of −0

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
		value = decimal(f.Value)
	}
	if x.Key == "pairwise_accuracy" && f != nil {
		value += fmt.Sprintf(" (%d/%d)", m.Accuracy.Agree, m.Accuracy.Pairs)
	}
	out := []string{value}
	if !x.Tested || s.options.samples == 0 {
		return out
	}
	if interval {
		text := "–"
		if f != nil && f.Interval != nil {
			text = decimal(f.Interval.Low) + " to " + decimal(f.Interval.High)
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
	if x.Tested && s.options.samples > 0 {
		if interval {
			out = append(out, "95%")
		}
		out = append(out, "#")
	}
	return out
}

// label is a metric's name, and its direction if that is not the usual one.
func label(m meta.MetricResult) string {
	if m.LowerIsBetter {
		return m.Name + " (error)"
	}
	return m.Name
}

// table has a row for each metric and the given measures, of which some have their
// intervals beside them.
func (s *metaOutput) table(title string, measures []meta.Measure, interval func(meta.Measure) bool) metaTable {
	t := metaTable{title: title, rows: [][]string{{"metric"}}}
	for _, x := range measures {
		t.rows[0] = append(t.rows[0], s.headers(x, interval(x))...)
	}
	for _, m := range s.Metrics {
		row := []string{label(m)}
		for _, x := range measures {
			row = append(row, s.cells(m, x, interval(x))...)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func (s *metaOutput) tables() []metaTable {
	if s.options.level == "system" {
		title := "Agreement with people on systems"
		if s.options.samples > 0 {
			title += " (#: cluster by Pearson)"
		}
		return []metaTable{s.table(title, s.Measures, func(meta.Measure) bool { return true })}
	}
	forms, rest := s.Measures[:len(s.options.forms)], s.Measures[len(s.options.forms):]
	title := "Kendall's tau of WMT on pairs"
	if s.options.samples > 0 {
		title += " (#: cluster)"
	}
	out := []metaTable{
		s.table(title, forms, func(meta.Measure) bool { return len(forms) == 1 }),
		s.tieTable(),
	}
	if len(rest) > 0 {
		over := map[metaeval.Grouping]string{
			metaeval.NoGrouping: "of all scores together", metaeval.ByItem: "of systems on a segment, averaged", metaeval.BySystem: "of a system's segments, averaged",
		}[s.options.grouping]
		t := s.table("Correlations "+over, rest, func(meta.Measure) bool { return false })
		if rest[0].Key == "acc_eq" {
			t.rows[0] = append(t.rows[0][:2:2], append([]string{"epsilon"}, t.rows[0][2:]...)...)
			for i, m := range s.Metrics {
				epsilon := "–"
				if m.Epsilon != nil {
					epsilon = strconv.FormatFloat(*m.Epsilon, 'g', 4, 64)
				}
				r := t.rows[i+1]
				t.rows[i+1] = append(r[:2:2], append([]string{epsilon}, r[2:]...)...)
			}
		}
		out = append(out, t)
	}
	return append(out, s.sweepTables()...)
}

// ties returns how many of the pairs that people ranked a metric ties, and how many of
// their ties.
func ties(m meta.MetricResult) (ranked, both int64) {
	return m.Counts[0][1] + m.Counts[2][1], m.Counts[1][1]
}

func (s *metaOutput) tieTable() metaTable {
	t := metaTable{title: "Pairs that a metric ties", rows: [][]string{{"metric", "of the ranked", "of people's ties"}}}
	for _, m := range s.Metrics {
		ranked, both := ties(m)
		t.rows = append(t.rows, []string{label(m), percent(ranked, s.Pairs.Ranked), percent(both, s.Pairs.Ties)})
	}
	return t
}

// sweepTables has one for each form.
func (s *metaOutput) sweepTables() []metaTable {
	if len(s.Sweep) == 0 {
		return nil
	}
	var out []metaTable
	for f, form := range s.options.forms {
		t := metaTable{title: "Kendall's tau by people's threshold, form " + form.Name, rows: [][]string{{"threshold", "ranked", "ties"}}}
		for _, m := range s.Metrics {
			t.rows[0] = append(t.rows[0], label(m))
		}
		for _, p := range s.Sweep {
			row := []string{mteval.FormatFloat(p.Threshold), strconv.FormatInt(p.Ranked, 10), strconv.FormatInt(p.Ties, 10)}
			for _, m := range s.Metrics {
				text := "undefined"
				if tau := sweepTau(p, m.Name, f); tau != nil {
					text = decimal(*tau)
				}
				row = append(row, text)
			}
			t.rows = append(t.rows, row)
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

// tsv writes a line for each metric with all there is, and after an empty line the
// sweep. What is undefined is NA.
func (s *metaOutput) tsv(b *strings.Builder) {
	const na = "NA"
	number := func(v float64) string { return strconv.FormatFloat(v+0, 'f', 6, 64) }
	header := []string{"metric", "lower_is_better"}
	for _, x := range s.Measures {
		header = append(header, x.Key)
		if x.Tested {
			header = append(header, x.Key+"_low", x.Key+"_high", x.Key+"_cluster")
		}
	}
	if s.Pairs != nil {
		header = append(header, "epsilon", "ranked", "ranked_tied", "ties", "ties_tied")
	}
	rows := [][]string{header}
	for _, m := range s.Metrics {
		row := []string{m.Name, strconv.FormatBool(m.LowerIsBetter)}
		for _, x := range s.Measures {
			value, low, high, cluster := na, na, na, na
			if f := m.Values[x.Key]; f != nil {
				value = number(f.Value)
				if f.Interval != nil {
					low, high = number(f.Interval.Low), number(f.Interval.High)
				}
				if f.Cluster > 0 {
					cluster = strconv.Itoa(f.Cluster)
				}
			}
			row = append(row, value)
			if x.Tested {
				row = append(row, low, high, cluster)
			}
		}
		if s.Pairs != nil {
			epsilon := na
			if m.Epsilon != nil {
				epsilon = strconv.FormatFloat(*m.Epsilon, 'g', -1, 64)
			}
			ranked, both := ties(m)
			row = append(row, epsilon)
			for _, n := range []int64{s.Pairs.Ranked, ranked, s.Pairs.Ties, both} {
				row = append(row, strconv.FormatInt(n, 10))
			}
		}
		rows = append(rows, row)
	}
	if len(s.Sweep) > 0 {
		header := []string{"threshold", "ranked", "ties", "metric"}
		for _, f := range s.options.forms {
			header = append(header, "kendall_"+f.Name)
		}
		rows = append(rows, nil, header)
	}
	for _, p := range s.Sweep {
		for _, m := range s.Metrics {
			row := []string{mteval.FormatFloat(p.Threshold), strconv.FormatInt(p.Ranked, 10), strconv.FormatInt(p.Ties, 10), m.Name}
			for f := range s.options.forms {
				text := na
				if tau := sweepTau(p, m.Name, f); tau != nil {
					text = number(*tau)
				}
				row = append(row, text)
			}
			rows = append(rows, row)
		}
	}
	for _, r := range rows {
		tsvLine(b, r)
	}
}

// metaJSON is the output of meta --format json.
type metaJSON struct {
	Level  string     `json:"level"`
	People peopleJSON `json:"people"`
	// Systems that were compared, with people's scores; null: there is none.
	Systems []metaSystemJSON `json:"systems"`
	Pairs   *pairsJSON       `json:"pairs,omitempty"`
	Metrics []metaMetricJSON `json:"metrics"`
	// Comparisons of two metrics, by measure.
	Comparisons []comparisonJSON `json:"comparisons"`
	Sweep       []sweepJSON      `json:"sweep,omitempty"`
	Signature   string           `json:"signature"`
	Warnings    []string         `json:"warnings"`
}

type peopleJSON struct {
	File       string `json:"file,omitempty"`
	Format     string `json:"format,omitempty"`
	Score      string `json:"score,omitempty"`
	SystemFile string `json:"system_file,omitempty"`
}

type metaSystemJSON struct {
	System string             `json:"system"`
	Human  *float64           `json:"human"`
	Scores map[string]float64 `json:"scores,omitempty"`
}

type pairsJSON struct {
	Ranked    int64    `json:"ranked"`
	Ties      int64    `json:"ties"`
	Threshold *float64 `json:"threshold"`
}

type metaMetricJSON struct {
	Metric        string                  `json:"metric"`
	LowerIsBetter bool                    `json:"lower_is_better"`
	Measures      map[string]*measureJSON `json:"measures"` // null: undefined
	Epsilon       *float64                `json:"epsilon,omitempty"`
	// Counts of pairs: [human][metric], each worse, tied, better.
	Counts *metaeval.Counts `json:"counts,omitempty"`
	// PairsOfSystems is how many of them the pairwise accuracy is of, and Agree on how
	// many the metric agrees.
	Agree          *int64 `json:"agree,omitempty"`
	PairsOfSystems *int64 `json:"pairs_of_systems,omitempty"`
}

type measureJSON struct {
	Value   float64  `json:"value"`
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Cluster *int     `json:"cluster,omitempty"`
}

type comparisonJSON struct {
	Measure    string  `json:"measure"`
	X          string  `json:"x"`
	Y          string  `json:"y"`
	Difference float64 `json:"difference"`
	P          float64 `json:"p_value"`
	Adjusted   float64 `json:"adjusted_p_value"`
}

type sweepJSON struct {
	Threshold float64           `json:"threshold"`
	Ranked    int64             `json:"ranked"`
	Ties      int64             `json:"ties"`
	Metrics   []sweepMetricJSON `json:"metrics"`
}

type sweepMetricJSON struct {
	Metric  string              `json:"metric"`
	Kendall map[string]*float64 `json:"kendall"` // by form; null: undefined
}

func (s *metaOutput) json() metaJSON {
	out := metaJSON{
		Level:       s.options.level,
		People:      peopleJSON{s.people.path, s.people.format, s.people.column, s.people.systemsPath},
		Comparisons: []comparisonJSON{},
		Signature:   s.Signature.String(),
		Warnings:    append([]string{}, s.warnings...),
	}
	for k, name := range s.Systems {
		j := metaSystemJSON{System: name}
		if s.Human != nil && s.Human[k]-s.Human[k] == 0 {
			j.Human = &s.Human[k]
		}
		for _, m := range s.Metrics {
			if m.Systems != nil && m.Systems[k]-m.Systems[k] == 0 {
				if j.Scores == nil {
					j.Scores = make(map[string]float64)
				}
				j.Scores[m.Name] = m.Systems[k]
			}
		}
		out.Systems = append(out.Systems, j)
	}
	if p := s.Pairs; p != nil {
		out.Pairs = &pairsJSON{p.Ranked, p.Ties, p.Threshold}
	}
	for _, m := range s.Metrics {
		j := metaMetricJSON{Metric: m.Name, LowerIsBetter: m.LowerIsBetter, Measures: make(map[string]*measureJSON), Epsilon: m.Epsilon, Counts: m.Counts}
		if m.Accuracy != nil {
			j.Agree, j.PairsOfSystems = &m.Accuracy.Agree, &m.Accuracy.Pairs
		}
		for _, x := range s.Measures {
			f := m.Values[x.Key]
			if f == nil {
				j.Measures[x.Key] = nil
				continue
			}
			v := &measureJSON{Value: f.Value}
			if f.Interval != nil {
				v.Low, v.High = &f.Interval.Low, &f.Interval.High
			}
			if f.Cluster > 0 {
				v.Cluster = &f.Cluster
			}
			j.Measures[x.Key] = v
		}
		out.Metrics = append(out.Metrics, j)
	}
	for _, c := range s.Comparisons {
		out.Comparisons = append(out.Comparisons, comparisonJSON{c.Measure, c.X, c.Y, c.Difference, c.P, c.Adjusted})
	}
	for _, p := range s.Sweep {
		j := sweepJSON{Threshold: p.Threshold, Ranked: p.Ranked, Ties: p.Ties}
		for _, m := range s.Metrics {
			k := sweepMetricJSON{m.Name, make(map[string]*float64)}
			for f, form := range s.options.forms {
				k.Kendall[form.Name] = sweepTau(p, m.Name, f)
			}
			j.Metrics = append(j.Metrics, k)
		}
		out.Sweep = append(out.Sweep, j)
	}
	return out
}

package meta

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme/tasks"
)

// A tasksOutput is what is printed of tasks.
type tasksOutput struct {
	*tasks.Result
	options   *app.MetaOptions
	signature mteval.Signature
	warnings  []string
}

func newTasksOutput(o *app.MetaOptions, r *tasks.Result) *tasksOutput {
	out := &tasksOutput{Result: r, options: o, signature: mteval.Signature{{Key: "tasks", Value: filepath.Base(o.Tasks)}}}
	if o.Samples > 0 {
		out.signature = append(out.signature,
			mteval.Field{Key: "test", Value: "perm-both"}, mteval.Field{Key: "permutations", Value: strconv.Itoa(o.Samples)},
			mteval.Field{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)}, mteval.Field{Key: "alpha", Value: decimal.Format(o.Alpha)})
	}
	out.signature = append(out.signature, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
	for _, t := range r.Tasks {
		if len(t.Undefined) > 0 {
			out.warnings = append(out.warnings, fmt.Sprintf("%v is undefined for %s, which the average leaves out", t.Task, strings.Join(t.Undefined, ", ")))
		}
		if o.Samples > 0 && t.P == nil {
			out.warnings = append(out.warnings, fmt.Sprintf("%v is not tested, so averages have no ranks", t.Task))
		}
	}
	if len(r.Metrics) == 0 {
		out.warnings = append(out.warnings, "no metric has scores for all tasks, so there is no average")
	}
	return out
}

func writeTasks(a *app.App, s *tasksOutput) error {
	var b strings.Builder
	switch s.options.Output {
	case "json":
		return safe.JSON(a.Stdout, s.json())
	case "tsv":
		s.tsv(&b)
	case "latex":
		for _, line := range s.head() {
			fmt.Fprintf(&b, "%% %s\n", safe.Visible(line))
		}
		safe.LaTeX(&b, append([][]string{s.header(" ")}, s.rows()...))
		fmt.Fprintf(&b, "%% %s\n", s.signature)
	default:
		for _, line := range s.head() {
			b.WriteString(safe.Visible(line) + "\n")
		}
		b.WriteByte('\n')
		// Where and what, one below the other.
		var rows [][]string
		for _, h := range s.header("\n") {
			for i, part := range strings.Split(h, "\n") {
				if i == len(rows) {
					rows = append(rows, nil)
				}
				rows[i] = append(rows[i], part)
			}
		}
		safe.Grid(&b, append(rows, s.rows()...))
		fmt.Fprintf(&b, "\n%s\n", s.signature)
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// head says what the table has.
func (s *tasksOutput) head() []string {
	out := []string{fmt.Sprintf("%d metrics on %d tasks; average: of the values brought to between 0 and 1, by weight", len(s.names()), len(s.Tasks))}
	if s.options.Samples > 0 {
		line := "in brackets the rank: a metric begins a new one if one of the rank before is significantly better"
		if s.P != nil {
			line += "; mean rank: of those in tasks, by weight"
		}
		out = append(out, line)
	}
	return out
}

// header has the names of the columns: where a task is, and what, with a separator between.
func (s *tasksOutput) header(sep string) []string {
	last := func(name string) string { return strings.TrimLeft(strings.Join([]string{"", "", "", name}, sep), " ") }
	out := []string{last("metric"), last("average")}
	if s.P != nil {
		out = append(out, last("mean rank"))
	}
	for _, t := range s.Tasks {
		pairs := strings.Join(t.Task.LanguagePairs, ",")
		if t.Task.Domain != "" {
			pairs += " " + t.Task.Domain
		}
		weight := "weight " + strconv.FormatFloat(t.Weight, 'f', 3, 64)
		out = append(out, strings.Join([]string{pairs, t.Task.Level.String(), weight, measureTitle(t.Task)}, sep))
	}
	return out
}

// measureTitle is a task's measure, short.
func measureTitle(t tasks.Task) string {
	title := map[tasks.Measure]string{
		tasks.PairwiseAccuracy: "accuracy", tasks.SoftPairwiseAccuracy: "soft", tasks.Pearson: "Pearson", tasks.Spearman: "Spearman",
		tasks.Kendall: "tau-b", tasks.DifferencePearson: "differences",
	}[t.Measure]
	if title == "" {
		title = t.Measure.String()
	}
	if t.Grouping != metaeval.NoGrouping {
		title += " by " + t.Grouping.String()
	}
	return title
}

// names are those of the metrics: of the averages, and then those that not all tasks have.
func (s *tasksOutput) names() (out []string) {
	for _, m := range s.Metrics {
		out = append(out, m.Metric)
	}
	for _, t := range s.Tasks {
		for _, m := range t.Metrics {
			if !slices.Contains(out, m.Metric) {
				out = append(out, m.Metric)
			}
		}
	}
	return out
}

// average is a metric's, nil if there is none.
func (s *tasksOutput) average(metric string) *tasks.Average {
	if i := slices.IndexFunc(s.Metrics, func(m tasks.Average) bool { return m.Metric == metric }); i >= 0 {
		return &s.Metrics[i]
	}
	return nil
}

// taskValue is a metric's in a task, nil if there is none.
func taskValue(t tasks.TaskResult, metric string) *tasks.Value {
	if i := slices.IndexFunc(t.Metrics, func(v tasks.Value) bool { return v.Metric == metric }); i >= 0 {
		return &t.Metrics[i]
	}
	return nil
}

// rows have a metric each.
func (s *tasksOutput) rows() [][]string {
	last := 0 // rank
	for _, t := range s.Tasks {
		for _, v := range t.Metrics {
			last = max(last, v.Rank)
		}
	}
	cell := func(v float64, rank int) string {
		text := strconv.FormatFloat(v+0, 'f', 3, 64)
		if rank > 0 { // with the points below each other
			text += fmt.Sprintf(" %*s", len(strconv.Itoa(last))+2, fmt.Sprintf("(%d)", rank))
		}
		return text
	}
	var out [][]string
	for _, name := range s.names() {
		row := []string{name}
		average, mean := "–", "–"
		if m := s.average(name); m != nil {
			average, mean = cell(m.Average, m.Rank), strconv.FormatFloat(m.MeanRank, 'f', 2, 64)
		}
		row = append(row, average)
		if s.P != nil {
			row = append(row, mean)
		}
		for _, t := range s.Tasks {
			text := "–"
			if v := taskValue(t, name); v != nil {
				text = cell(v.Value, v.Rank)
			}
			row = append(row, text)
		}
		out = append(out, row)
	}
	return out
}

// tsv has a column for each number; what there is not is NA.
func (s *tasksOutput) tsv(b *strings.Builder) {
	header := []string{"metric", "average", "rank", "mean_rank"}
	for _, t := range s.Tasks {
		name := t.Task.String()
		header = append(header, name, name+" rank")
	}
	safe.TSV(b, header)
	rank := func(r int) string {
		if r == 0 {
			return app.TSVNA
		}
		return strconv.Itoa(r)
	}
	for _, name := range s.names() {
		row := []string{name, app.TSVNA, app.TSVNA, app.TSVNA}
		if m := s.average(name); m != nil {
			row[1], row[2] = app.TSVNumber(m.Average), rank(m.Rank)
			if s.P != nil {
				row[3] = app.TSVNumber(m.MeanRank)
			}
		}
		for _, t := range s.Tasks {
			value, of := app.TSVNA, app.TSVNA
			if v := taskValue(t, name); v != nil {
				value, of = app.TSVNumber(v.Value), rank(v.Rank)
			}
			row = append(row, value, of)
		}
		safe.TSV(b, row)
	}
}

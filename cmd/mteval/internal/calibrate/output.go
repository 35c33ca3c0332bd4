package calibrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
)

// calibrationKey says what the figures are.
const calibrationKey = "accuracy: share of pairs of which people's side had more than ½; <2: where |z| of the base is below 2; clear: where\n" +
	"people's scores differ by more than a quarter of their set's standard deviation. Log loss (natural logarithm), Brier and\n" +
	"calibration error (ten bins of .05, by pairs): less is better. Intervals are 95%, by resampling sets."

// oneSet stands where figures would.
const oneSet = "It is one set, so nothing could be left out to see what the probabilities are worth."

// text is what is printed.
func (r *calibrationResult) text() string {
	var b strings.Builder
	for _, line := range r.head() {
		b.WriteString(safe.Visible(line) + "\n")
	}
	if r.Figures == nil {
		b.WriteString("\n" + oneSet + "\n")
	}
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n%s\n", safe.Visible(t.caption))
		safe.Grid(&b, t.rows)
	}
	if r.Figures != nil {
		b.WriteString("\n" + calibrationKey + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", safe.Visible(r.Calibration.Signature().String()))
	return b.String()
}

// head says what was fitted to what.
func (r *calibrationResult) head() []string {
	pairs := 0
	for _, s := range r.Calibration.Sets {
		pairs += s.Pairs
	}
	var terms []string
	for _, t := range r.Calibration.Terms {
		term := t.Metric.Name
		if t.Shape == preference.Log {
			term = "l(" + term + ")"
		}
		terms = append(terms, term)
	}
	return []string{
		fmt.Sprintf("%s of %s, %s of systems that people scored differently", app.Count(len(r.Calibration.Sets), "set"), app.Count(len(r.Campaigns()), "campaign"), app.Count(pairs, "pair")),
		fmt.Sprintf("log odds of people's side = %.4f · (%s), of z, where l(z) = sign(z)·log(1 + |z|)", r.Calibration.Terms[0].Weight, strings.Join(terms, " + ")),
	}
}

// leftOut says what the figures are of.
func (r *calibrationResult) leftOut() string {
	if len(r.Campaigns()) > 1 {
		return "each campaign by what was fitted to the others"
	}
	return "each set by what was fitted to the others, as all are of one campaign"
}

// A calibrationTable has a header as its first row.
type calibrationTable struct {
	caption string
	rows    [][]string
}

// tables are the figures, none of one set.
func (r *calibrationResult) tables() []calibrationTable {
	if r.Figures == nil {
		return nil
	}
	all := r.Figures[0]
	campaigns := func(v *preference.Validation) []preference.Part { return v.Campaigns }
	bands := func(v *preference.Validation) []preference.Part { return v.Bands }
	return []calibrationTable{
		{"What the probabilities are worth, " + r.leftOut(), r.overall()},
		{"Accuracy / calibration error by campaign (pairs)", r.byPart(campaigns)},
		{fmt.Sprintf("Accuracy / calibration error by |z| of %s (pairs)", r.base()), r.byPart(bands)},
		{"How often the combination was right, by its confidence", binRows(all.All.Bins)},
	}
}

// base is the name of the metric that others are compared with.
func (r *calibrationResult) base() string { return r.label(1) }

// label is the name of the i-th of the figures: the metric's, with its form where others are
// called the same.
func (r *calibrationResult) label(i int) string {
	m := r.Figures[i].Metric
	if m == nil {
		return "combination"
	}
	for j, v := range r.Figures {
		if j != i && v.Metric != nil && v.Metric.Name == m.Name {
			return m.Name + " " + field(m, "difficulty")
		}
	}
	return m.Name
}

// field is a field of a metric's signature, "" for none.
func field(m *preference.Metric, key string) string {
	for _, f := range m.Signature {
		if f.Key == key {
			return strings.Join(f.Values, ",")
		}
	}
	return ""
}

// overall has a row for each of the figures.
func (r *calibrationResult) overall() [][]string {
	rows := r.partRows(func(v *preference.Validation) preference.Part { return v.All })
	rows[0] = slices.Insert(rows[0], 5, "<2", "clear")
	for i, v := range r.Figures {
		rows[i+1] = slices.Insert(rows[i+1], 5, accuracyCell(v.BelowTwo), accuracyCell(v.Clear))
	}
	return rows
}

// byPart has a row for each of the figures, and a column for each part that there is.
func (r *calibrationResult) byPart(parts func(v *preference.Validation) []preference.Part) [][]string {
	head := []string{""}
	for _, p := range parts(&r.Figures[0]) {
		head = append(head, fmt.Sprintf("%s (%d)", p.Name, p.Pairs))
	}
	rows := [][]string{head}
	for i := range r.Figures {
		row := []string{r.label(i)}
		for _, p := range parts(&r.Figures[i]) {
			cell := "–"
			if p.Pairs > 0 {
				cell = fmt.Sprintf("%.3f / %.3f", p.Accuracy, p.CalibrationError)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// partRows has a row for each of the figures of one part, with all that is known of it, nil
// if it has no pairs.
func (r *calibrationResult) partRows(part func(v *preference.Validation) preference.Part) [][]string {
	rows := [][]string{{"", "accuracy", "95%", "over " + r.base(), "95%", "log loss", "Brier", "calibration error"}}
	for i := range r.Figures {
		p := part(&r.Figures[i])
		if p.Pairs == 0 {
			return nil
		}
		gain, gainInterval := fmt.Sprintf("%+.4f", p.Gain+0), fmt.Sprintf("%+.3f to %+.3f", p.GainInterval.Low+0, p.GainInterval.High+0)
		if i == 1 { // the base itself
			gain, gainInterval = "", ""
		}
		rows = append(rows, []string{r.label(i), accuracyCell(p), fmt.Sprintf("%.3f to %.3f", p.Interval.Low, p.Interval.High), gain, gainInterval, app.Fixed(p.LogLoss), app.Fixed(p.Brier), app.Fixed(p.CalibrationError)})
	}
	return rows
}

// binRows has a row for each bin of confidence.
func binRows(bins []preference.Bin) [][]string {
	rows := [][]string{{"confidence", "pairs", "mean", "right"}}
	for _, b := range bins {
		row := []string{fmt.Sprintf("%.2f to %.2f", b.From, b.From+.05), strconv.Itoa(b.Pairs), "–", "–"}
		if b.Pairs > 0 {
			row[2], row[3] = fmt.Sprintf("%.3f", b.Confidence), fmt.Sprintf("%.3f", b.Right)
		}
		rows = append(rows, row)
	}
	return rows
}

func accuracyCell(p preference.Part) string {
	if p.Pairs == 0 {
		return "–"
	}
	return app.Fixed(p.Accuracy)
}

// setRows has the accuracy on each set.
func (r *calibrationResult) setRows() [][]string {
	head := []string{"", "systems", "segments", "pairs"}
	for i := range r.Figures {
		head = append(head, r.label(i))
	}
	rows := [][]string{head}
	for k, s := range r.Calibration.Sets {
		row := []string{s.Name, strconv.Itoa(s.Systems), strconv.Itoa(s.Segments), strconv.Itoa(s.Pairs)}
		for _, v := range r.Figures {
			row = append(row, accuracyCell(v.Sets[k]))
		}
		rows = append(rows, row)
	}
	return rows
}

package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/internal/decimal"
)

// compareOutput is what package compare found, with what else there is to say.
type compareOutput struct {
	options   *compareOptions
	texts     *compareTexts
	results   []compare.Result
	groupings [][]compare.Grouping // by metric
	buckets   [][][]compare.Bucket // by metric and grouping
	decisions []compareDecision
	warnings  []string
}

// mostInTriangle is how many systems there is room for.
const mostInTriangle = 12

func writeCompare(a *app.App, s *compareOutput) error {
	var b strings.Builder
	switch s.options.output {
	case "json":
		return safe.JSON(a.Stdout, s.json())
	case "tsv":
		s.tsv(&b)
	case "latex":
		for _, line := range s.head() {
			fmt.Fprintf(&b, "%% %s\n", safe.Visible(line))
		}
		for _, t := range s.tables() {
			fmt.Fprintf(&b, "%% %s\n", safe.Visible(t.Title))
			safe.LaTeX(&b, t.Rows)
		}
		fmt.Fprintf(&b, "%% %s\n", s.signature())
	default:
		for _, line := range s.head() {
			b.WriteString(safe.Visible(line) + "\n")
		}
		for _, t := range s.tables() {
			b.WriteString("\n" + safe.Visible(t.Title) + "\n")
			safe.Grid(&b, t.Rows)
		}
		for _, d := range s.decisions {
			d.print(&b)
		}
		fmt.Fprintf(&b, "\n%s\n", s.signature())
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// p returns a pair's p-value of --test.
func (s *compareOutput) p(p *compare.Pair) compare.P {
	return map[string]compare.P{"ar": p.Randomization, "bs": p.Bootstrap, "t": p.T.P}[s.options.test]
}

// told says whether the systems of a pair are told apart.
func (s *compareOutput) told(p *compare.Pair) bool {
	return p.Difference > 0 && s.p(p).Holm <= s.options.alpha
}

func (s *compareOutput) signature() mteval.Signature {
	o := s.options
	sig := mteval.Signature{{Key: "test", Value: o.test}}
	if o.samples > 0 {
		sig = append(sig, mteval.Field{Key: "samples", Value: strconv.Itoa(o.samples)})
	} else {
		sig = append(sig, mteval.Field{Key: "samples", Value: "bs1000,ar10000"})
	}
	sig = append(sig, mteval.Field{Key: "seed", Value: strconv.FormatUint(o.seed, 10)}, mteval.Field{Key: "correction", Value: "holm"}, mteval.Field{Key: "alpha", Value: decimal.Format(o.alpha)})
	if o.tie > 0 {
		sig = append(sig, mteval.Field{Key: "tie", Value: decimal.Format(o.tie)})
	}
	if len(o.texts.by) > 0 && o.texts.tokenizer != "none" {
		sig = append(sig, mteval.Field{Key: "tok", Value: o.texts.tokenizer})
	}
	return append(sig, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}

func (s *compareOutput) tables() []app.MetaTable {
	var out []app.MetaTable
	for i := range s.results {
		r := &s.results[i]
		out = append(out, s.ranking(r))
		if n := len(r.Systems); n > 2 && n <= mostInTriangle {
			out = append(out, s.triangle(r))
		}
		if s.options.pairs {
			out = append(out, s.pairTable(r))
		}
		for g, buckets := range s.buckets[i] {
			out = append(out, s.bucketTable(r, s.groupings[i][g].Name, buckets))
		}
		if len(s.decisions) > 0 && s.options.output == "latex" {
			out = append(out, s.decisions[i].table())
		}
	}
	return out
}

// metricTitle is a metric's name, and what there is to know of its scores.
func metricTitle(r *compare.Result) string {
	out := r.Metric
	if r.LowerIsBetter {
		out += " (less is better)"
	}
	out += " on " + app.Count(r.Segments, "segment")
	if r.Missing > 0 {
		out += fmt.Sprintf(" (%d left out, of which not all systems have scores)", r.Missing)
	}
	return out
}

func (s *compareOutput) ranking(r *compare.Result) app.MetaTable {
	t := app.MetaTable{Title: metricTitle(r), Rows: [][]string{{"system", "#", "mean", "±", "to the best", "p", "wins", "ties", "losses"}}}
	for i, x := range r.Systems {
		row := []string{x.Name, strconv.Itoa(x.Cluster), app.Amount(x.Mean), app.Amount(x.Interval.Half())}
		if i == 0 {
			row = append(row, "–", "–", "–", "–", "–")
		} else {
			p := &r.Pairs[i-1]
			row = append(row, app.Amount(-p.Difference), app.SmallP(s.p(p).Holm), strconv.Itoa(p.Losses), strconv.Itoa(p.Ties), strconv.Itoa(p.Wins))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// triangle has the differences of all pairs.
func (s *compareOutput) triangle(r *compare.Result) app.MetaTable {
	t := app.MetaTable{Title: fmt.Sprintf("%s: differences, row less column (*: p ≤ %v by %s, adjusted for %d pairs)", r.Metric, s.options.alpha, s.options.test, len(r.Pairs))}
	if r.LowerIsBetter {
		t.Title = strings.Replace(t.Title, "row less column", "above 0 where the row is better", 1)
	}
	header := []string{""}
	for i := range r.Systems[1:] {
		header = append(header, strconv.Itoa(i+2))
	}
	t.Rows = append(t.Rows, header)
	at := 0
	for i := range r.Systems[:len(r.Systems)-1] {
		row := []string{fmt.Sprintf("%d %s", i+1, r.Systems[i].Name)}
		for k := range r.Systems[1:] {
			if k < i {
				row = append(row, "")
				continue
			}
			p := &r.Pairs[at]
			at++
			cell := app.Amount(p.Difference)
			if s.told(p) {
				cell += "*"
			} else {
				cell += " "
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, []string{fmt.Sprintf("%d %s", len(r.Systems), r.Systems[len(r.Systems)-1].Name)})
	if s.options.output == "latex" { // whose rows are whole
		last := t.Rows[len(t.Rows)-1]
		t.Rows[len(t.Rows)-1] = append(last, slices.Repeat([]string{""}, len(header)-1)...)
	}
	return t
}

func (s *compareOutput) pairTable(r *compare.Result) app.MetaTable {
	t := app.MetaTable{Title: r.Metric + ": the pair", Rows: [][]string{{"system", "against", "difference", "95%", "p (ar)", "p (bs)", "t", "p (t)", "wins", "ties", "losses"}}}
	both := func(p compare.P) string { return app.SmallP(p.P) }
	if n := len(r.Pairs); n > 1 {
		t.Title = fmt.Sprintf("%s: pairs (p-values as they are and, after /, adjusted for %d pairs)", r.Metric, n)
		both = func(p compare.P) string { return app.SmallP(p.P) + "/" + app.SmallP(p.Holm) }
	}
	for _, p := range r.Pairs {
		t.Rows = append(t.Rows, []string{r.Systems[p.A].Name, r.Systems[p.B].Name, app.Amount(p.Difference), app.Amount(p.Interval.Low) + " to " + app.Amount(p.Interval.High),
			both(p.Randomization), both(p.Bootstrap), strconv.FormatFloat(math.Round(p.T.T*100)/100+0, 'f', 2, 64), both(p.T.P), strconv.Itoa(p.Wins), strconv.Itoa(p.Ties), strconv.Itoa(p.Losses)})
	}
	return t
}

// bucketTable has the means of the systems on each group.
func (s *compareOutput) bucketTable(r *compare.Result, name string, buckets []compare.Bucket) app.MetaTable {
	t := app.MetaTable{Title: fmt.Sprintf("%s by %s: means (*: p ≤ %v against %s by t, not adjusted)", r.Metric, name, s.options.alpha, r.Systems[0].Name), Rows: [][]string{{"group", "segments"}}}
	for _, x := range r.Systems {
		t.Rows[0] = append(t.Rows[0], x.Name)
	}
	for _, b := range buckets {
		row := []string{b.Label, strconv.Itoa(b.Segments), app.Amount(b.Means[0]) + " "}
		for i, mean := range b.Means[1:] {
			cell := app.Amount(mean)
			if b.Pairs[i].P <= s.options.alpha {
				cell += "*"
			} else {
				cell += " "
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

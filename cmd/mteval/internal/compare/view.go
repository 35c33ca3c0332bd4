package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/report"
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

// result is what is shown.
func (s *compareOutput) result() *show.Result {
	means := s.meanBars(&s.results[0])
	r := &show.Result{
		Command: "compare", Title: "Comparison of systems", Answer: s.summary(), Head: s.head(), Details: s.details(),
		Picture: &means, Segments: s.segments(), Warnings: s.warnings,
		Signatures: []show.Signature{{Name: "", Text: s.signature().String()}},
	}
	for i := range s.results {
		r.Parts = append(r.Parts, s.part(i))
		if len(s.decisions) > 0 {
			r.Parts = append(r.Parts, s.decisions[i].part())
		}
	}
	return r
}

// mostInTriangle is how many systems a terminal has room for, and mostOnPage how many a page has all
// pairs of.
const (
	mostInTriangle = 12
	mostOnPage     = 50
)

// part is that of a metric. The picture of the first is that of the answer.
func (s *compareOutput) part(i int) show.Part {
	r := &s.results[i]
	out := show.Part{Title: metricTitle(r), Tables: []*show.Table{s.systems(r), s.metric(r)}}
	if n := len(r.Systems); n > 2 && n <= mostInTriangle {
		out.Tables = append(out.Tables, s.triangle(r))
	}
	out.Tables = append(out.Tables, s.pairs(r))
	for g, buckets := range s.buckets[i] {
		long := s.groups(r, s.groupings[i][g].Name, buckets)
		base := &show.Table{Columns: []show.Column{show.Col("group", "group"), show.Col("segments", "segments")}}
		for _, b := range buckets {
			base.Add(b.Label, b.Segments)
		}
		wide := show.Wide(base, long, "system")
		long.For = show.ForPrograms
		out.Tables = append(out.Tables, long, wide)
	}
	if len(r.Systems) <= mostOnPage {
		out.Page.Matrices = []report.Matrix{winMatrix(r)}
	} else {
		out.Page.Text = append(out.Page.Text, fmt.Sprintf("The %d pairs of systems are too many for a page: --pairs and --format json have them.", len(r.Pairs)))
	}
	if i > 0 {
		out.Page.Bars = append(out.Page.Bars, s.meanBars(r))
	}
	out.Page.Bars = append(out.Page.Bars, differenceBars(r))
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

func (s *compareOutput) systems(r *compare.Result) *show.Table {
	t := &show.Table{Key: "systems", Title: metricTitle(r) + " (#: group; ±: half the 95% interval; p: against the best, adjusted)", Columns: []show.Column{
		show.Col("metric", ""), show.Col("lower_is_better", ""), show.Col("system", "system"), show.Col("cluster", "#"), show.Col("mean", "mean"),
		show.Col("low", ""), show.Col("segments", ""), show.People("±", show.Score), show.People("to the best", show.Difference), show.People("p", show.PValue),
		show.People("wins", show.Count), show.People("ties", show.Count), show.People("losses", show.Count),
	}}
	t.Columns[4].Bar = true
	for i, x := range r.Systems {
		row := []any{r.Metric, r.LowerIsBetter, x.Name, x.Cluster, x.Mean, show.Interval{Low: x.Interval.Low, High: x.Interval.High}, r.Segments, x.Interval.Half(), nil, nil, nil, nil, nil}
		if i > 0 {
			p := &r.Pairs[i-1]
			row = append(row[:8], -p.Difference, s.p(p).Holm, p.Losses, p.Ties, p.Wins)
		}
		t.Add(row...)
	}
	return t
}

// metric has what is of the metric as a whole.
func (s *compareOutput) metric(r *compare.Result) *show.Table {
	t := &show.Table{Key: "metrics", For: show.InJSON, Columns: []show.Column{
		show.Col("metric", ""), show.Col("answer", ""), show.Col("lower_is_better", ""), show.Col("segments", ""), show.Col("missing", ""),
	}}
	t.Add(r.Metric, s.answer(r), r.LowerIsBetter, r.Segments, r.Missing)
	return t
}

// triangle has the differences of all pairs.
func (s *compareOutput) triangle(r *compare.Result) *show.Table {
	what := "row less column"
	if r.LowerIsBetter {
		what = "above 0 where the row is better"
	}
	t := &show.Table{
		Title: fmt.Sprintf("%s: differences, %s (*: p ≤ %v by %s, adjusted for %d pairs)", r.Metric, what, s.options.alpha, s.options.test, len(r.Pairs)),
		For:   show.OnTerminal | show.OnPaper, Columns: []show.Column{show.People("", show.Name)},
	}
	for i := range r.Systems[1:] {
		t.Columns = append(t.Columns, show.People(strconv.Itoa(i+2), show.Difference))
	}
	at := 0
	for i, x := range r.Systems {
		row := []any{fmt.Sprintf("%d %s", i+1, x.Name)}
		for k := range r.Systems[1:] {
			if k < i {
				row = append(row, "")
				continue
			}
			row = append(row, marked(r.Pairs[at].Difference, s.told(&r.Pairs[at])))
			at++
		}
		t.Add(row...)
	}
	return t
}

// marked is a number with a star, or with room for one.
func marked(v float64, star bool) show.Shown {
	mark := " "
	if star {
		mark = "*"
	}
	return show.Shown{Value: v, Text: show.Score.Format(v, 0) + mark}
}

// pairs has all tests of all pairs.
func (s *compareOutput) pairs(r *compare.Result) *show.Table {
	t := &show.Table{Key: "pairs", Title: r.Metric + ": the pair", For: show.InJSON, Columns: []show.Column{
		show.Col("metric", ""), show.Col("system", "system"), show.Col("other", "against"), show.Col("difference", "difference"), show.Col("low", "95%"),
		show.Col("ar_p_value", "p (ar)"), show.Col("ar_adjusted_p_value", ""), show.Col("bs_p_value", "p (bs)"), show.Col("bs_adjusted_p_value", ""),
		show.Col("t", "t"), show.Col("t_p_value", "p (t)"), show.Col("t_adjusted_p_value", ""), show.Col("wins", "wins"), show.Col("ties", "ties"), show.Col("losses", "losses"),
	}}
	t.Columns[9].Decimals = 2
	if s.options.pairs {
		t.For |= show.OnTerminal | show.OnPaper | show.InTSV
	}
	if len(r.Systems) <= mostOnPage {
		t.For |= show.OnPage
	}
	both := func(p compare.P) any { return p.P }
	if n := len(r.Pairs); n > 1 {
		t.Title = fmt.Sprintf("%s: pairs (p-values as they are and, after /, adjusted for %d pairs)", r.Metric, n)
		both = func(p compare.P) any {
			return show.Shown{Value: p.P, Text: show.PValue.Format(p.P, 0) + "/" + show.PValue.Format(p.Holm, 0)}
		}
	}
	for _, p := range r.Pairs {
		t.Add(r.Metric, r.Systems[p.A].Name, r.Systems[p.B].Name, p.Difference, show.Interval{Low: p.Interval.Low, High: p.Interval.High}, both(p.Randomization), p.Randomization.Holm,
			both(p.Bootstrap), p.Bootstrap.Holm, p.T.T, both(p.T.P), p.T.Holm, p.Wins, p.Ties, p.Losses)
	}
	return t
}

// groups has the means of the systems on each group.
func (s *compareOutput) groups(r *compare.Result, by string, buckets []compare.Bucket) *show.Table {
	t := &show.Table{Key: "groups", Title: fmt.Sprintf("%s by %s: means (*: p ≤ %v against %s by t, not adjusted)", r.Metric, by, s.options.alpha, r.Systems[0].Name), Columns: []show.Column{
		show.Col("metric", ""), show.Col("lower_is_better", ""), show.Col("by", ""), show.Col("group", "group"), show.Col("segments", "segments"), show.Col("system", "system"),
		show.Col("mean", "mean"), show.Col("behind", ""), show.Col("p_value", ""),
	}}
	for _, b := range buckets {
		for k, mean := range b.Means {
			behind, p, star := 0., any(nil), false
			if k > 0 {
				pair := &b.Pairs[k-1]
				behind, p, star = pair.Difference, pair.P, pair.P <= s.options.alpha
			}
			t.Add(r.Metric, r.LowerIsBetter, by, b.Label, b.Segments, r.Systems[k].Name, marked(mean, star), behind, p)
		}
	}
	return t
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
		b.Bars = append(b.Bars, report.Bar{Name: x.Name, Value: x.Mean, Text: show.Score.Format(x.Mean, 0), Interval: &report.Interval{Low: x.Interval.Low, High: x.Interval.High}, Group: x.Cluster})
	}
	return b
}

// differenceBars are those from the best: their intervals tell more than those of the means, which
// overlap where a paired test is sure.
func differenceBars(r *compare.Result) report.Bars {
	b := report.Bars{Points: true, Title: "How far " + r.Systems[0].Name + " is ahead by " + r.Metric, Axis: "difference of the means, with 95% intervals"}
	for i := range r.Systems[1:] {
		p := &r.Pairs[i]
		b.Bars = append(b.Bars, report.Bar{Name: r.Systems[p.B].Name, Value: p.Difference, Text: show.Difference.Format(p.Difference, 0), Interval: &report.Interval{Low: p.Interval.Low, High: p.Interval.High}})
	}
	return b
}

// part has what decides between two systems.
func (d *compareDecision) part() show.Part {
	whole := &show.Table{Key: "decisions", For: show.InJSON, Columns: []show.Column{
		show.Col("metric", ""), show.Col("system", ""), show.Col("other", ""), show.Col("difference", ""), show.Col("needed", ""),
	}}
	whole.Add(d.metric, d.A, d.B, d.Difference, d.Needed)
	shown := &show.Table{Title: d.sentence(), For: show.OnPaper, Columns: []show.Column{
		show.People("segment", show.Name), show.People(d.A, show.Score), show.People(d.B, show.Score), show.People("difference", show.Difference),
	}}
	for _, x := range d.shown {
		shown.Add(x.Item, x.A, x.B, x.Difference)
	}
	out := show.Part{Title: fmt.Sprintf("%s: what decides between %s and %s", d.metric, d.A, d.B), Tables: []*show.Table{whole, d.segments(), shown}}
	out.Page.Text = []string{d.sentence() + "."}
	if d.hasTexts() {
		out.Lines = d.texted()
	} else {
		shown.For = show.ForPeople
	}
	return out
}

func (d *compareDecision) hasTexts() bool { return len(d.texts) > 0 && len(d.texts[0]) > 0 }

// segments has all segments, with the texts of those that are shown.
func (d *compareDecision) segments() *show.Table {
	t := &show.Table{Key: "segments", For: show.ForPrograms, Columns: []show.Column{
		show.Col("metric", ""), show.Col("lower_is_better", ""), show.Col("segment", ""), show.Col("system", ""), show.Col("other", ""), show.Col("score", ""), show.Col("other_score", ""), show.Col("difference", ""),
	}}
	texts := []string{"source", "reference", "output", "other_output"}
	if d.hasTexts() {
		for _, key := range texts {
			t.Columns = append(t.Columns, show.Col(key, ""))
		}
	}
	for i, x := range d.Segments {
		row := []any{d.metric, d.lower, x.Item, d.A, d.B, x.A, x.B, x.Difference}
		if d.hasTexts() {
			row = append(row, nil, nil, nil, nil)
			for k, name := range []string{"source", "reference", d.A, d.B} {
				row[8+k] = d.text(i, name, k > 1)
			}
		}
		t.Add(row...)
	}
	return t
}

// text is a text of a segment, nil where it is not shown, or there is none.
func (d *compareDecision) text(segment int, name string, system bool) any {
	if segment < len(d.texts) {
		for _, l := range d.texts[segment] {
			if l.name == name && l.system == system {
				return l.text
			}
		}
	}
	return nil
}

// texted are the segments with their texts below.
func (d *compareDecision) texted() []string {
	out := []string{d.sentence()}
	for i, x := range d.shown {
		out = append(out, fmt.Sprintf("segment %s: %s %s, %s %s, difference %s", x.Item, d.A, show.Score.Format(x.A, 0), d.B, show.Score.Format(x.B, 0), show.Difference.Format(x.Difference, 0)))
		width := 0
		for _, l := range d.texts[i] {
			width = max(width, len([]rune(l.name)))
		}
		for _, l := range d.texts[i] {
			out = append(out, "  "+l.name+strings.Repeat(" ", width-len([]rune(l.name)))+"  "+l.text)
		}
	}
	return out
}

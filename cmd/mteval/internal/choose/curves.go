package choose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/report"
	"github.com/mteval/mteval/selection"
)

// A curveKind is what is drawn against the size of a choice.
type curveKind struct {
	title, axis string
	of          string // in a sentence
	decimals    int
	at          func(selection.Point) float64
	mean        func(*selection.Curve) (value, above float64)
	verdict     func(e *selection.Evaluation, curve int) selection.Verdict
	random      func(*selection.Evaluation) (bySize []selection.Interval, mean selection.Interval)
}

var (
	kendallOf = curveKind{
		title: "Kendall's tau of the ranking from the chosen segments and from all", axis: "Kendall's tau-b", of: "in ranking systems", decimals: 3,
		at:   func(p selection.Point) float64 { return p.Kendall },
		mean: func(c *selection.Curve) (float64, float64) { return c.Kendall, c.KendallAbove },
		verdict: func(e *selection.Evaluation, curve int) selection.Verdict {
			kendall, _ := e.Verdicts(curve)
			return kendall
		},
		random: func(e *selection.Evaluation) ([]selection.Interval, selection.Interval) {
			return e.Random.Kendalls, e.Random.Kendall
		},
	}
	clustersOf = curveKind{
		title: "Clusters of systems that the judgements tell apart", axis: "clusters", of: "in clusters told apart", decimals: 2,
		at:   func(p selection.Point) float64 { return p.Clusters },
		mean: func(c *selection.Curve) (float64, float64) { return c.Clusters, c.ClustersAbove },
		verdict: func(e *selection.Evaluation, curve int) selection.Verdict {
			_, clusters := e.Verdicts(curve)
			return clusters
		},
		random: func(e *selection.Evaluation) ([]selection.Interval, selection.Interval) {
			return e.Random.ClusterCounts, e.Random.Clusters
		},
	}
	curveKinds = []curveKind{kendallOf, clustersOf}
)

// head says what was judged.
func (c *selectCurves) head() []string {
	e := c.costs[0]
	out := []string{
		fmt.Sprintf("people: %s: %s on %s, %s at %v", c.people, app.Count(c.systems, "system"), app.Count(e.Segments, "segment"), app.Count(e.Clusters, "cluster"), c.in.options.alpha),
	}
	if c.in.options.whole {
		out = append(out, "documents are chosen whole")
	}
	return append(out, fmt.Sprintf("random: the mean of %d choices, and their middle 95%%; + above it, − below", c.in.options.choices))
}

const aboveKey = "above: how many of the random choices are below, by their means"

// signature says how the curves were made.
func (c *selectCurves) signature() mteval.Signature {
	o := c.in.options
	sig := mteval.Signature{
		{Key: "choices", Value: strconv.Itoa(o.choices)}, {Key: "seed", Value: strconv.FormatUint(o.seed, 10)},
		{Key: "permutations", Value: "1000"}, {Key: "alpha", Value: decimal.Format(o.alpha)},
	}
	if len(c.costs) > 1 {
		sig = append(sig, mteval.Field{Key: "words", Value: c.costs[1].of}, mteval.Field{Key: "tok", Value: o.wordTokenizer})
	}
	if o.whole {
		sig = append(sig, mteval.Field{Key: "documents", Value: "whole"})
	}
	return append(sig, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}

// title says what the budgets are of.
func (c costCurves) title() string {
	if c.unit == "words" {
		return "words of the " + c.of
	}
	return c.unit
}

func (k curveKind) format(v float64) string { return strconv.FormatFloat(v+0, 'f', k.decimals, 64) }

// marks are of a verdict below, within and above the middle 95% of random choices.
var marks = map[int]string{-1: "−", 1: "+"}

// means has the means over the sizes.
func (c costCurves) means() [][]string {
	rows := [][]string{{"method"}}
	random := []string{"random"}
	for _, k := range curveKinds {
		rows[0] = append(rows[0], k.axis, "above")
		_, in := k.random(c.Evaluation)
		random = append(random, fmt.Sprintf("%s [%s, %s]", k.format(in.Mean), k.format(in.Low), k.format(in.High)), "")
	}
	rows = append(rows, random)
	for i := range c.Curves {
		row := []string{c.Curves[i].Name}
		for _, k := range curveKinds {
			v, above := k.mean(&c.Curves[i])
			row = append(row, k.format(v)+marks[k.verdict(c.Evaluation, i).Mean], fmt.Sprintf("%.1f%%", 100*above))
		}
		rows = append(rows, row)
	}
	return rows
}

// bySize has a method a row and a size a column.
func (c costCurves) bySize(k curveKind) [][]string {
	head, mean, low, high := []string{c.unit}, []string{"random"}, []string{"random 2.5%"}, []string{"random 97.5%"}
	bySize, _ := k.random(c.Evaluation)
	for s, n := range c.Sizes {
		head, mean = append(head, strconv.Itoa(n)), append(mean, k.format(bySize[s].Mean))
		low, high = append(low, k.format(bySize[s].Low)), append(high, k.format(bySize[s].High))
	}
	rows := [][]string{head, mean, low, high}
	for i, curve := range c.Curves {
		row, verdict := []string{curve.Name}, k.verdict(c.Evaluation, i)
		for s, p := range curve.Points {
			row = append(row, k.format(k.at(p))+marks[verdict.Sizes[s]])
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *selectCurves) text(b *strings.Builder) {
	for _, line := range c.head() {
		b.WriteString(safe.Visible(line) + "\n")
	}
	for _, cost := range c.costs {
		fmt.Fprintf(b, "\nMean over budgets of %s\n", cost.sizes())
		safe.Grid(b, cost.means())
	}
	for _, cost := range c.costs {
		for _, k := range curveKinds {
			fmt.Fprintf(b, "\n%s, by %s\n", k.title, cost.title())
			safe.Grid(b, cost.bySize(k))
		}
	}
	b.WriteString("\n" + aboveKey + "\n")
	for _, p := range c.in.signed {
		fmt.Fprintf(b, "%s: %s\n", safe.Visible(p.Name), safe.Visible(p.Signature))
	}
	fmt.Fprintf(b, "%s\n", c.signature())
}

// sizes says which budgets there are.
func (c costCurves) sizes() string {
	return fmt.Sprintf("%d to %d %s", c.Sizes[0], c.Sizes[len(c.Sizes)-1], c.title())
}

var curveColumns = []string{"cost", "method", "size", "segments", "kendall", "kendall_low", "kendall_high", "kendall_above", "clusters", "clusters_low", "clusters_high", "clusters_above"}

// tsv writes a line for each cost, method and size, and one of size mean; what there is not is
// empty.
func (c *selectCurves) tsv(b *strings.Builder) {
	safe.TSV(b, curveColumns)
	number := decimal.Format
	interval := func(in selection.Interval) []string {
		return []string{number(in.Mean), number(in.Low), number(in.High), ""}
	}
	random := func(unit, size string, tau, clusters selection.Interval) {
		safe.TSV(b, append(append([]string{unit, "random", size, ""}, interval(tau)...), interval(clusters)...))
	}
	for _, cost := range c.costs {
		r := cost.Random
		for s, n := range cost.Sizes {
			random(cost.unit, strconv.Itoa(n), r.Kendalls[s], r.ClusterCounts[s])
		}
		random(cost.unit, "mean", r.Kendall, r.Clusters)
		for _, curve := range cost.Curves {
			for s, p := range curve.Points {
				safe.TSV(b, []string{cost.unit, curve.Name, strconv.Itoa(cost.Sizes[s]), strconv.Itoa(p.Segments), number(p.Kendall), "", "", "", number(p.Clusters), "", "", ""})
			}
			safe.TSV(b, []string{cost.unit, curve.Name, "mean", "", number(curve.Kendall), "", "", number(curve.KendallAbove), number(curve.Clusters), "", "", number(curve.ClustersAbove)})
		}
	}
}

type curvesJSON struct {
	Answer   string           `json:"answer"`
	Systems  int              `json:"systems"`
	Segments int              `json:"segments"`
	Clusters int              `json:"clusters"` // of all judgements
	Costs    []costCurvesJSON `json:"costs"`
	Metrics  []signedPart     `json:"metrics"`
	// LowerIsBetter is of the metrics of --scores.
	LowerIsBetter map[string]bool `json:"lower_is_better,omitempty"`
	Signature     string          `json:"signature"`
}

type costCurvesJSON struct {
	Unit   string          `json:"unit"` // segments or words
	Of     string          `json:"words_of,omitempty"`
	Sizes  []int           `json:"sizes"`
	Random randomCurveJSON `json:"random"`
	Curves []methodJSON    `json:"methods"`
}

type randomCurveJSON struct {
	Mean  randomPointJSON   `json:"mean"` // over sizes
	Curve []randomPointJSON `json:"curve"`
}

type randomPointJSON struct {
	Kendall  meanJSON `json:"kendall"`
	Clusters meanJSON `json:"clusters"`
}

type meanJSON struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type methodJSON struct {
	Method   string  `json:"method"`
	Kendall  float64 `json:"kendall"`
	Clusters float64 `json:"clusters"`
	// Above are the shares of random choices that are below.
	KendallAbove  float64          `json:"kendall_above"`
	ClustersAbove float64          `json:"clusters_above"`
	Curve         []curvePointJSON `json:"curve"`
}

type curvePointJSON struct {
	Segments int     `json:"segments"`
	Kendall  float64 `json:"kendall"`
	Clusters float64 `json:"clusters"`
}

func (c *selectCurves) json() curvesJSON {
	out := curvesJSON{Answer: c.answer(), Systems: c.systems, Segments: c.costs[0].Segments, Clusters: c.costs[0].Clusters,
		Metrics: append([]signedPart{}, c.in.signed...), LowerIsBetter: c.in.directions(), Signature: c.signature().String()}
	for _, cost := range c.costs {
		r := cost.Random
		j := costCurvesJSON{Unit: cost.unit, Of: cost.of, Sizes: cost.Sizes}
		j.Random.Mean = randomPointJSON{meanJSON(r.Kendall), meanJSON(r.Clusters)}
		for s := range cost.Sizes {
			j.Random.Curve = append(j.Random.Curve, randomPointJSON{meanJSON(r.Kendalls[s]), meanJSON(r.ClusterCounts[s])})
		}
		for _, curve := range cost.Curves {
			m := methodJSON{Method: curve.Name, Kendall: curve.Kendall, Clusters: curve.Clusters, KendallAbove: curve.KendallAbove, ClustersAbove: curve.ClustersAbove}
			for _, p := range curve.Points {
				m.Curve = append(m.Curve, curvePointJSON(p))
			}
			j.Curves = append(j.Curves, m)
		}
		out.Costs = append(out.Costs, j)
	}
	return out
}

// picture draws the curves of one kind.
func (c *selectCurves) picture(cost costCurves, k curveKind) *report.Lines {
	out := &report.Lines{Title: k.title + ", by " + cost.title(), X: cost.title(), Y: k.axis}
	bySize, _ := k.random(cost.Evaluation)
	line := func(name string, at func(s int) float64) report.Line {
		l := report.Line{Name: name}
		for s, n := range cost.Sizes {
			l.Points = append(l.Points, report.XY{X: float64(n), Y: at(s)})
		}
		return l
	}
	mean := line("random", func(s int) float64 { return bySize[s].Mean })
	mean.Main = true
	low := line("random 2.5%", func(s int) float64 { return bySize[s].Low })
	high := line("random 97.5%", func(s int) float64 { return bySize[s].High })
	low.Guide, high.Guide = true, true
	out.Lines = append(out.Lines, mean, low, high)
	for _, curve := range cost.Curves {
		out.Lines = append(out.Lines, line(curve.Name, func(s int) float64 { return k.at(curve.Points[s]) }))
	}
	return out
}

// details are head as sentences, and what above is.
func (c *selectCurves) details() []string {
	var out []string
	for _, line := range append(c.head(), aboveKey) {
		out = append(out, app.Sentence(line))
	}
	return append(append(out, c.worse()...), "To beat random choice is to be above the middle 95% of random choices; of many methods and budgets some are so by chance.",
		"Clusters are groups of systems that the judgements tell apart.")
}

func (c *selectCurves) page() *report.Page {
	p := &report.Page{Title: "Which segments people should judge", Answer: report.Answer{Text: c.answer(), Details: c.details(), Bars: c.costs[len(c.costs)-1].picture()}}
	for _, m := range c.in.signed {
		p.Made = append(p.Made, report.Made{Name: m.Name, Text: m.Signature})
	}
	p.Made = append(p.Made, report.Made{Name: "choices", Text: c.signature().String()})
	for _, cost := range c.costs {
		sec := report.Section{Title: "By " + cost.title(), Tables: []report.Table{app.PageTable("Mean over budgets of "+cost.sizes(), cost.means())}}
		for _, k := range curveKinds {
			sec.Lines = append(sec.Lines, *c.picture(cost, k))
		}
		p.Sections = append(p.Sections, sec)
	}
	return p
}

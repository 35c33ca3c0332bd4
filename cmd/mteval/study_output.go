package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

func (a *app) writeCurve(c *curve) error {
	var b strings.Builder
	switch c.options.output {
	case "json":
		j, err := c.json()
		if err != nil {
			return err
		}
		return writeJSON(a.stdout, j)
	case "tsv":
		c.tsv(&b)
	default:
		if err := c.text(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// tests is the signature of what is done with samples.
func (c *curve) tests() mteval.Signature {
	return mteval.Signature{
		{Key: "interval", Value: "boot-segments,boot-systems"},
		{Key: "test", Value: "paired-bootstrap-segments,perm-inputs"},
		{Key: "samples", Value: strconv.Itoa(c.options.samples)},
		{Key: "seed", Value: strconv.FormatUint(c.options.seed, 10)},
		{Key: "correction", Value: "holm-over-k"},
		{Key: "alpha", Value: mteval.FormatFloat(c.options.alpha)},
		{Key: "version", Value: "mteval-" + mteval.Version},
	}
}

// chances are what the ranks of each number of systems can say.
func (c *curve) chances() ([]chance, error) {
	var out []chance
	for k := fewest; k <= len(c.systems); k++ {
		of, err := chanceOf(k, c.options.alpha)
		if err != nil {
			return nil, err
		}
		out = append(out, of)
	}
	return out, nil
}

func (c *curve) text(b *strings.Builder) error {
	chances, err := c.chances()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%d systems by people's scores in %s, %d segments\n", len(c.systems), visible(c.options.human), c.segments)
	b.WriteString("\nHow much the order of the K best systems can say\n")
	rows := [][]string{{"K", "possible orders", "Kendall of one swapped pair", fmt.Sprintf("Kendall beyond chance at %v", c.options.alpha)}}
	for _, of := range chances {
		least := "none: not even +1"
		if of.least != nil {
			least = fmt.Sprintf("%.3f", *of.least)
		}
		orders := strconv.FormatFloat(of.rankings, 'f', 0, 64)
		if of.k > 12 {
			orders = strconv.FormatFloat(of.rankings, 'g', 2, 64)
		}
		rows = append(rows, []string{strconv.Itoa(of.k), orders, fmt.Sprintf("%.3f", of.step), least})
	}
	grid(b, rows)
	for j, f := range coefficients {
		fmt.Fprintf(b, "\n%s with people for the K best systems, difficulty estimated among them\n", f.title)
		c.table(b, j)
	}
	b.WriteString("\nIntervals are 95%, of samples of segments, and of systems; in brackets, how many samples are left out as undefined.\n" +
		"Those of few systems are too narrow, as only these are drawn, and a perfect order has none: go by the first table.\n")
	if c.forms() {
		fmt.Fprintf(b, "−: the difference to the metric as it is. p: paired bootstrap over segments; Holm: adjusted for all %d K of the line's form\n"+
			"and coefficient. PERM: PERM-INPUTS on means of segments' scores, not adjusted.\n", len(chances))
		fmt.Fprintf(b, "\nWhere difficulty helps and where it harms, of K from %d to %d (significant: Holm at most %v)\n", fewest, len(c.systems), c.options.alpha)
		rows := [][]string{{"form", "coefficient", "better at", "same at", "worse at", "mean difference", "significantly better", "significantly worse"}}
		for _, m := range c.metrics {
			for j, f := range coefficients {
				if v := m.verdict(j, c.options.alpha); v != nil {
					rows = append(rows, []string{m.name(), f.title, strconv.Itoa(v.Better), strconv.Itoa(v.Same), strconv.Itoa(v.Worse),
						fmt.Sprintf("%+.3f", v.Mean), ranges(v.SignificantlyBetter), ranges(v.SignificantlyWorse)})
				}
			}
		}
		if len(rows) == 1 {
			rows = [][]string{{"no difference is defined"}}
		}
		grid(b, rows)
	}
	b.WriteByte('\n')
	for _, m := range c.metrics {
		fmt.Fprintf(b, "%s: %s\n", m.name(), visible(m.info.Signature.String()))
	}
	fmt.Fprintf(b, "\n%s\n", c.tests())
	return nil
}

// table writes one coefficient's.
func (c *curve) table(b *strings.Builder, j int) {
	rows := [][]string{{"K", "metric", "value", "segments", "systems"}}
	if c.forms() {
		rows[0] = append(rows[0], "−", "segments", "systems", "p", "Holm", "PERM")
	}
	for k := range c.metrics[0].points {
		number := strconv.Itoa(k + fewest)
		for _, m := range c.metrics {
			f := m.points[k].found[j]
			row := []string{number, m.name(), coefficient(f.value), f.segments.cell(), f.systems.cell()}
			if d := f.difference; d != nil {
				perm := "–"
				if d.perm != nil {
					perm = pValue(&d.perm.P)
				}
				row = append(row, fmt.Sprintf("%+.3f", d.value), d.segments.cell(), d.systems.cell(), pValue(d.p), pValue(d.holm), perm)
			}
			rows = append(rows, row)
			number = ""
		}
	}
	grid(b, rows)
}

func (s sampledInterval) cell() string {
	cell := "–"
	if s.defined > 0 {
		cell = fmt.Sprintf("%+.2f to %+.2f", s.Low, s.High)
	}
	if s.undefined > 0 {
		cell += fmt.Sprintf(" (%d)", s.undefined)
	}
	return cell
}

func pValue(p *float64) string {
	if p == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *p)
}

// verdict counts the K at which a form agrees better with people than its metric.
type verdict struct {
	Better int     `json:"better"`
	Same   int     `json:"same"`
	Worse  int     `json:"worse"`
	Mean   float64 `json:"mean_difference"`
	// The K.
	SignificantlyBetter []int `json:"significantly_better"`
	SignificantlyWorse  []int `json:"significantly_worse"`
}

// verdict is nil for a metric as it is, and where no difference is defined.
func (m *curved) verdict(j int, alpha float64) *verdict {
	v := &verdict{SignificantlyBetter: []int{}, SignificantlyWorse: []int{}}
	sum := 0.0
	for k := range m.points {
		d := m.points[k].found[j].difference
		if d == nil {
			continue
		}
		sum += d.value
		significant := d.holm != nil && *d.holm <= alpha
		switch {
		case d.value > 1e-12: // or equal but for rounding
			v.Better++
			if significant {
				v.SignificantlyBetter = append(v.SignificantlyBetter, k+fewest)
			}
		case d.value < -1e-12:
			v.Worse++
			if significant {
				v.SignificantlyWorse = append(v.SignificantlyWorse, k+fewest)
			}
		default:
			v.Same++
		}
	}
	n := v.Better + v.Same + v.Worse
	if n == 0 {
		return nil
	}
	v.Mean = sum / float64(n)
	return v
}

// ranges writes ascending numbers, 3–5 for 3, 4, 5.
func ranges(ks []int) string {
	if len(ks) == 0 {
		return "–"
	}
	var out []string
	for i := 0; i < len(ks); {
		j := i
		for j+1 < len(ks) && ks[j+1] == ks[j]+1 {
			j++
		}
		part := strconv.Itoa(ks[i])
		if j > i {
			part += "–" + strconv.Itoa(ks[j])
		}
		out = append(out, part)
		i = j + 1
	}
	return "K " + strings.Join(out, ", ")
}

var curveColumns = []string{
	"metric", "difficulty", "leave_one_out", "k", "coefficient", "value",
	"segments_low", "segments_high", "segments_undefined", "systems_low", "systems_high", "systems_undefined",
	"difference", "difference_segments_low", "difference_segments_high", "difference_systems_low", "difference_systems_high",
	"p", "p_holm", "p_perm", "perm_difference",
}

// tsv writes a line for each K, metric and coefficient; what is undefined is empty.
func (c *curve) tsv(b *strings.Builder) {
	number := func(p *float64) string {
		if p == nil {
			return ""
		}
		return mteval.FormatFloat(*p)
	}
	tsvLine(b, curveColumns)
	for _, m := range c.metrics {
		for k := range m.points {
			for j, f := range coefficients {
				a := m.points[k].found[j].json()
				row := []string{m.info.Name, m.mode, strconv.FormatBool(m.leaveOneOut), strconv.Itoa(k + fewest), f.key, number(a.Value),
					number(a.Segments.Low), number(a.Segments.High), strconv.Itoa(a.Segments.Undefined),
					number(a.Systems.Low), number(a.Systems.High), strconv.Itoa(a.Systems.Undefined)}
				if d := a.Difference; d != nil {
					row = append(row, number(&d.Value), number(d.Segments.Low), number(d.Segments.High), number(d.Systems.Low), number(d.Systems.High),
						number(d.P), number(d.Holm), number(d.Perm), number(d.PermDifference))
				}
				for len(row) < len(curveColumns) {
					row = append(row, "")
				}
				tsvLine(b, row)
			}
		}
	}
}

type curveJSON struct {
	Systems  []curveSystemJSON `json:"systems"` // best first
	Segments int               `json:"segments"`
	Chance   []chanceJSON      `json:"chance"`
	Metrics  []curvedJSON      `json:"metrics"`
	Tests    string            `json:"tests"`
	Warnings []string          `json:"warnings,omitempty"`
}

type curveSystemJSON struct {
	System string  `json:"system"`
	Human  float64 `json:"human"`
}

type chanceJSON struct {
	K        int     `json:"k"`
	Rankings float64 `json:"rankings"`
	Step     float64 `json:"kendall_step"`
	// Least is null where no order is beyond chance.
	Least *float64 `json:"kendall_beyond_chance"`
}

type curvedJSON struct {
	Metric      string           `json:"metric"`
	Difficulty  string           `json:"difficulty,omitempty"`
	LeaveOneOut bool             `json:"leave_one_out,omitempty"`
	Signature   string           `json:"signature"`
	Curve       []curvePointJSON `json:"curve"`
	// Verdicts by coefficient.
	Verdicts map[string]*verdict `json:"verdicts,omitempty"`
}

type curvePointJSON struct {
	K           int                      `json:"k"`
	Scores      []float64                `json:"scores"` // of the K best systems
	Correlation map[string]agreementJSON `json:"correlation"`
}

type agreementJSON struct {
	Value      *float64            `json:"value"`
	Segments   sampledJSON         `json:"segments"`
	Systems    sampledJSON         `json:"systems"`
	Difference *formDifferenceJSON `json:"difference,omitempty"`
}

type sampledJSON struct {
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Undefined int      `json:"undefined"`
}

type formDifferenceJSON struct {
	Value    float64     `json:"value"`
	Segments sampledJSON `json:"segments"`
	Systems  sampledJSON `json:"systems"`
	P        *float64    `json:"p"`
	Holm     *float64    `json:"p_holm"`
	Perm     *float64    `json:"p_perm"`
	// PermDifference is that of the means of segments' scores, which Perm is of.
	PermDifference *float64 `json:"perm_difference"`
}

func (s sampledInterval) json() sampledJSON {
	out := sampledJSON{Undefined: s.undefined}
	if s.defined > 0 {
		out.Low, out.High = &s.Low, &s.High
	}
	return out
}

func (a curveAgreement) json() agreementJSON {
	out := agreementJSON{Value: a.value, Segments: a.segments.json(), Systems: a.systems.json()}
	if d := a.difference; d != nil {
		out.Difference = &formDifferenceJSON{Value: d.value, Segments: d.segments.json(), Systems: d.systems.json(), P: d.p, Holm: d.holm}
		if d.perm != nil {
			out.Difference.Perm, out.Difference.PermDifference = &d.perm.P, permDifference(d.perm)
		}
	}
	return out
}

func permDifference(d *significance.Difference) *float64 {
	v := d.X - d.Y
	return &v
}

func (c *curve) json() (curveJSON, error) {
	out := curveJSON{Segments: c.segments, Tests: c.tests().String(), Warnings: c.warnings}
	for k, name := range c.systems {
		out.Systems = append(out.Systems, curveSystemJSON{name, c.human[k]})
	}
	chances, err := c.chances()
	if err != nil {
		return out, err
	}
	for _, of := range chances {
		out.Chance = append(out.Chance, chanceJSON{of.k, of.rankings, of.step, of.least})
	}
	for _, m := range c.metrics {
		j := curvedJSON{Metric: m.info.Name, Difficulty: m.mode, LeaveOneOut: m.leaveOneOut, Signature: m.info.Signature.String()}
		for k, p := range m.points {
			at := curvePointJSON{K: k + fewest, Scores: p.scores, Correlation: make(map[string]agreementJSON)}
			for i, f := range coefficients {
				at.Correlation[f.key] = p.found[i].json()
			}
			j.Curve = append(j.Curve, at)
		}
		for i, f := range coefficients {
			if v := m.verdict(i, c.options.alpha); v != nil {
				if j.Verdicts == nil {
					j.Verdicts = make(map[string]*verdict)
				}
				j.Verdicts[f.key] = v
			}
		}
		out.Metrics = append(out.Metrics, j)
	}
	return out, nil
}

package study

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// coefficients are the correlations of a study, as they are printed.
var coefficients = []struct {
	key, title string
	of         significance.Coefficient
}{
	{"pearson", "Pearson", significance.Pearson},
	{"kendall", "Kendall", significance.Kendall},
	{"spearman", "Spearman", significance.Spearman},
}

// A studyPage is what is printed of a study.
type studyPage struct {
	options  *studyOptions
	result   *study.Result
	warnings []string
}

func writeStudyPage(ctx context.Context, a *app.App, p *studyPage) error {
	if path := p.options.html; path != "" {
		if err := a.WritePage(ctx, p.page(), path); err != nil {
			return err
		}
	}
	var b strings.Builder
	switch p.options.output {
	case "json":
		return safe.JSON(a.Stdout, p.json())
	case "tsv":
		p.tsv(&b)
	default:
		p.text(&b)
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// of says what was studied.
func (p *studyPage) of() string {
	return fmt.Sprintf("%d systems by people's scores in %s, %d segments", len(p.result.Systems), p.options.human, p.result.Segments)
}

const (
	chanceTitle    = "How much the order of the K best systems can say"
	studyIntervals = "Intervals are 95%, of samples of segments, and of systems; in brackets, how many samples are left out as undefined.\n" +
		"Those of few systems are too narrow, as only these are drawn, and a perfect order has none: go by the first table."
)

func studyTitle(coefficient string) string {
	return coefficient + " with people for the K best systems, difficulty estimated among them"
}

// studyDifferences says what the columns of differences are.
func studyDifferences(ks int) string {
	return fmt.Sprintf("−: the difference to the metric as it is. p: paired bootstrap over segments; Holm: adjusted for all %d K of the line's form\n"+
		"and coefficient. PERM: PERM-INPUTS on means of segments' scores, not adjusted.", ks)
}

func (p *studyPage) text(b *strings.Builder) {
	r := p.result
	b.WriteString(safe.Visible(p.of()) + "\n")
	b.WriteString("\n" + chanceTitle + "\n")
	safe.Grid(b, p.chanceRows())
	for _, c := range coefficients {
		b.WriteString("\n" + studyTitle(c.title) + "\n")
		rows := p.rows(c.of)
		for i := len(rows) - 1; i > 1; i-- { // each K once
			if rows[i][0] == rows[i-1][0] {
				rows[i][0] = ""
			}
		}
		safe.Grid(b, rows)
	}
	b.WriteString("\n" + studyIntervals + "\n")
	if r.HasForms() {
		b.WriteString(studyDifferences(len(r.Chance)) + "\n\n" + p.verdictTitle() + "\n")
		safe.Grid(b, p.verdictRows())
	}
	b.WriteByte('\n')
	for _, c := range r.Curves {
		fmt.Fprintf(b, "%s: %s\n", c.Name(), safe.Visible(c.Signature.String()))
	}
	fmt.Fprintf(b, "\n%s\n", p.result.Signature)
}

// chanceRows say what the orders of each number of systems can.
func (p *studyPage) chanceRows() [][]string {
	rows := [][]string{{"K", "possible orders", "Kendall of one swapped pair", fmt.Sprintf("Kendall beyond chance at %v", p.options.alpha)}}
	for _, of := range p.result.Chance {
		least := "none: not even +1"
		if of.Least != nil {
			least = fmt.Sprintf("%.3f", *of.Least)
		}
		orders := strconv.FormatFloat(of.Orders, 'f', 0, 64)
		if of.K > 12 {
			orders = strconv.FormatFloat(of.Orders, 'g', 2, 64)
		}
		rows = append(rows, []string{strconv.Itoa(of.K), orders, fmt.Sprintf("%.3f", of.Step), least})
	}
	return rows
}

func (p *studyPage) verdictTitle() string {
	return fmt.Sprintf("Where difficulty helps and where it harms, of K from %d to %d (significant: Holm at most %v)", ranking.FewestK, len(p.result.Systems), p.options.alpha)
}

// verdictRows say where forms are better and worse than their metrics.
func (p *studyPage) verdictRows() [][]string {
	rows := [][]string{{"form", "coefficient", "better at", "same at", "worse at", "mean difference", "significantly better", "significantly worse"}}
	for _, c := range p.result.Curves {
		for _, f := range coefficients {
			if v := c.Verdict(f.of, p.options.alpha); v != nil {
				rows = append(rows, []string{c.Name(), f.title, strconv.Itoa(v.Better), strconv.Itoa(v.Same), strconv.Itoa(v.Worse),
					fmt.Sprintf("%+.3f", v.Mean), ranges(v.SignificantlyBetter), ranges(v.SignificantlyWorse)})
			}
		}
	}
	if len(rows) == 1 {
		rows = [][]string{{"no difference is defined"}}
	}
	return rows
}

// rows are those of one coefficient.
func (p *studyPage) rows(of significance.Coefficient) [][]string {
	rows := [][]string{{"K", "metric", "value", "segments", "systems"}}
	if p.result.HasForms() {
		rows[0] = append(rows[0], "−", "segments", "systems", "p", "Holm", "PERM")
	}
	for i, chance := range p.result.Chance {
		for _, c := range p.result.Curves {
			f := c.Points[i].Agreements[of]
			row := []string{strconv.Itoa(chance.K), c.Name(), app.Coefficient(f.Value), intervalCell(f.Segments), intervalCell(f.Systems)}
			if d := f.Difference; d != nil {
				perm := "–"
				if d.Perm != nil {
					perm = pValue(&d.Perm.P)
				}
				row = append(row, fmt.Sprintf("%+.3f", d.Value), intervalCell(d.Segments), intervalCell(d.Systems), pValue(d.P), pValue(d.Holm), perm)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func intervalCell(in study.Interval) string {
	cell := "–"
	if in.Defined > 0 {
		cell = fmt.Sprintf("%+.2f to %+.2f", in.Low, in.High)
	}
	if in.Undefined > 0 {
		cell += fmt.Sprintf(" (%d)", in.Undefined)
	}
	return cell
}

func pValue(p *float64) string {
	if p == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *p)
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

var studyColumns = []string{
	"metric", "difficulty", "leave_one_out", "k", "coefficient", "value",
	"segments_low", "segments_high", "segments_undefined", "systems_low", "systems_high", "systems_undefined",
	"difference", "difference_segments_low", "difference_segments_high", "difference_systems_low", "difference_systems_high",
	"p", "p_holm", "p_perm", "perm_difference",
}

// formNames are those of a curve's form, empty for a metric as it is.
func formNames(c *study.Curve) (mode string, leaveOneOut bool) {
	if c.Form == nil {
		return "", false
	}
	return c.Form.Name, c.Form.Options.LeaveOneOut
}

// tsv writes a line for each K, metric and coefficient; what is undefined is empty.
func (p *studyPage) tsv(b *strings.Builder) {
	number := func(p *float64) string {
		if p == nil {
			return ""
		}
		return decimal.Format(*p)
	}
	safe.TSV(b, studyColumns)
	for _, c := range p.result.Curves {
		mode, leaveOneOut := formNames(c)
		for _, at := range c.Points {
			for _, f := range coefficients {
				a := newAgreementJSON(at.Agreements[f.of])
				row := []string{c.Metric, mode, strconv.FormatBool(leaveOneOut), strconv.Itoa(at.K), f.key, number(a.Value),
					number(a.Segments.Low), number(a.Segments.High), strconv.Itoa(a.Segments.Undefined),
					number(a.Systems.Low), number(a.Systems.High), strconv.Itoa(a.Systems.Undefined)}
				if d := a.Difference; d != nil {
					row = append(row, number(&d.Value), number(d.Segments.Low), number(d.Segments.High), number(d.Systems.Low), number(d.Systems.High),
						number(d.P), number(d.Holm), number(d.Perm), number(d.PermDifference))
				}
				for len(row) < len(studyColumns) {
					row = append(row, "")
				}
				safe.TSV(b, row)
			}
		}
	}
}

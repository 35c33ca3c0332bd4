package rank

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
)

// JSON is what --format json prints.
type JSON struct {
	Answer  string       `json:"answer"`
	Systems []systemJSON `json:"systems"`
	// Pairs of systems, each once, and Outside why it is not known what their probabilities
	// are worth. Without references there are none, and Calibration is null.
	Pairs       []pairJSON `json:"pairs"`
	Outside     []string   `json:"outside"`
	Calibration *string    `json:"calibration"`
	// People is how right the probabilities were; nil without human scores.
	People *preference.Check `json:"people,omitempty"`
	// Correlation by metric; empty without human scores.
	Correlation map[string]CorrelationJSON `json:"correlation"`
	// RankDifferences is the sum of absolute rank differences by metric.
	RankDifferences map[string]int    `json:"rank_differences"`
	TopK            []topKJSON        `json:"top_k"`
	LowerIsBetter   map[string]bool   `json:"lower_is_better"` // by metric
	Signature       map[string]string `json:"signature"`
	Warnings        []string          `json:"warnings,omitempty"`
}

// A pairJSON has the probability that people prefer A, which is listed before B.
type pairJSON struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Probability float64 `json:"probability"`
}

type systemJSON struct {
	System    string   `json:"system"`
	Human     *float64 `json:"human"`
	HumanRank *int     `json:"human_rank"`
	// Group counts from 1, Best is the probability that people prefer the system to all
	// others, and Wins the share of the others that they are expected to prefer it to; null
	// without references.
	Group  *int               `json:"group"`
	Best   *float64           `json:"best"`
	Wins   *float64           `json:"wins"`
	Scores map[string]float64 `json:"scores"`
	Ranks  map[string]int     `json:"ranks"`
	// Differences is the human rank less the metric's, by metric.
	Differences map[string]int `json:"rank_differences,omitempty"`
}

// CorrelationJSON has correlations with people; null: undefined.
type CorrelationJSON struct {
	Pearson  *float64 `json:"pearson"`
	Spearman *float64 `json:"spearman"`
	Kendall  *float64 `json:"kendall"`
}

type topKJSON struct {
	K           int                        `json:"k"`
	Correlation map[string]CorrelationJSON `json:"correlation"`
}

func (p *rankPage) json() JSON {
	r, o := p.ranking, p.opinion
	correlations := func(cs []ranking.Coefficients) map[string]CorrelationJSON {
		out := make(map[string]CorrelationJSON)
		for m, c := range cs {
			out[r.Metrics[m].Name] = CorrelationJSON(c)
		}
		return out
	}
	out := JSON{
		Answer:          p.answer(),
		Correlation:     correlations(r.Correlations),
		RankDifferences: make(map[string]int),
		TopK:            []topKJSON{},
		LowerIsBetter:   make(map[string]bool),
		Signature:       make(map[string]string),
		Warnings:        p.warnings,
		Pairs:           []pairJSON{},
		Outside:         []string{},
	}
	if o != nil {
		calibration := o.Calibration.Signature().String()
		out.Outside, out.Calibration, out.People = append(out.Outside, o.Outside...), &calibration, o.Check
	}
	for m, sig := range p.signatures {
		out.Signature[r.Metrics[m].Name] = sig.String()
	}
	for _, info := range r.Metrics {
		out.LowerIsBetter[info.Name] = info.LowerIsBetter
	}
	for m, d := range r.Differences {
		out.RankDifferences[r.Metrics[m].Name] = d
	}
	for i, s := range r.Systems {
		k := r.Order[i]
		j := systemJSON{System: s.Name, Human: s.Human, Scores: make(map[string]float64), Ranks: make(map[string]int)}
		if o != nil {
			j.Group, j.Best, j.Wins = &o.Groups[k], &o.Best[k], &o.Wins[k]
			for j, b := range r.Systems[i+1:] {
				out.Pairs = append(out.Pairs, pairJSON{s.Name, b.Name, o.P[k][r.Order[i+1+j]]})
			}
		}
		if s.Human != nil {
			j.HumanRank = &s.HumanRank
			j.Differences = make(map[string]int)
		}
		for m, info := range r.Metrics {
			j.Scores[info.Name] = s.Scores[m]
			j.Ranks[info.Name] = s.Ranks[m]
			if s.Human != nil {
				j.Differences[info.Name] = s.Differences[m]
			}
		}
		out.Systems = append(out.Systems, j)
	}
	for _, k := range r.Curve {
		out.TopK = append(out.TopK, topKJSON{k.K, correlations(k.Correlations)})
	}
	return out
}

func (p *rankPage) print(w io.Writer, format string) error {
	text := ""
	switch format {
	case "json":
		return safe.JSON(w, p.json())
	case "tsv":
		text = p.tsv()
	case "latex":
		text = p.latex()
	default:
		text = p.text()
	}
	_, err := io.WriteString(w, text)
	return err
}

// text is what a terminal shows.
func (p *rankPage) text() string {
	var b strings.Builder
	r := p.ranking
	safe.Grid(&b, p.rows())
	for _, part := range [][]string{p.key(), p.origin(), p.right()} {
		if len(part) > 0 {
			b.WriteString("\n" + strings.Join(part, "\n") + "\n")
		}
	}
	if len(r.Correlations) > 0 {
		b.WriteString("\n" + correlationTitle + "\n")
		safe.Grid(&b, correlationRows(r))
	}
	if len(r.Curve) > 0 {
		b.WriteString("\nThe same for the K best systems by human score" + p.among() + " (Kendall / Pearson)\n")
		safe.Grid(&b, curveRows(r))
	}
	b.WriteString("\n" + strings.Join(p.signed(), "\n") + "\n")
	return b.String()
}

// key says what the columns are.
func (p *rankPage) key() []string {
	var lines []string
	if p.opinion != nil {
		lines = p.opinion.key()
	}
	if len(p.ranking.Correlations) > 0 {
		lines = append(lines, rankingKey)
	}
	return lines
}

// right says how right the probabilities were, if there are some and people's scores.
func (p *rankPage) right() []string {
	if p.opinion == nil || p.opinion.Check == nil {
		return nil
	}
	return p.opinion.right()
}

// among is what is said of the K best systems where difficulty is.
func (p *rankPage) among() string {
	if p.field == nil {
		return ""
	}
	return ", difficulty estimated among them"
}

const correlationTitle = "Correlation with people (+1: the same order, -1: the opposite)"

// origin says where the probabilities come from, and why it is not known what they are worth, or
// why there are none.
func (p *rankPage) origin() []string {
	if p.opinion == nil {
		return []string{safe.Visible(p.withoutReferences())}
	}
	lines := []string{safe.Visible(p.opinion.source())}
	for i, reason := range p.opinion.Outside {
		if i == 0 {
			lines = append(lines, outside)
		}
		lines = append(lines, "- "+safe.Visible(reason))
	}
	return lines
}

// signed are the metrics' signatures.
func (p *rankPage) signed() []string {
	var lines []string
	for m, sig := range p.signatures {
		lines = append(lines, safe.Visible(p.ranking.Metrics[m].Name)+": "+safe.Visible(sig.String()))
	}
	return lines
}

// latex is the first table of the text, and what is said of it as comments.
func (p *rankPage) latex() string {
	var b strings.Builder
	safe.LaTeX(&b, p.rows())
	for _, line := range slices.Concat(p.key(), p.origin(), p.signed()) {
		b.WriteString("% " + line + "\n")
	}
	return b.String()
}

const rankingKey = "#: rank; ±: places higher (+) or lower (-) than people put the system"

// rows is Table 2 of the paper, as far as there are human scores, with what people would
// say.
func (p *rankPage) rows() [][]string {
	r := p.ranking
	human := len(r.Correlations) > 0
	head := []string{"system"}
	if human {
		head = append(head, "human", "#")
	}
	if p.opinion != nil {
		head = append(head, "group", "above next", "best")
	}
	first := len(head)
	for _, m := range r.Metrics {
		head = append(head, m.Name, "#")
		if human {
			head = append(head, "±")
		}
	}
	rows := [][]string{head}
	for i := range r.Systems {
		rows = append(rows, p.row(i, human, forPeople))
	}
	if human {
		row := append([]string{"sum of |±|"}, make([]string, first-1)...)
		for _, d := range r.Differences {
			row = append(row, "", "", strconv.Itoa(d))
		}
		rows = append(rows, row)
	}
	return rows
}

// cells are the forms of what stands in a row.
type cells struct {
	none       string // where there is no value
	share      func(float64) string
	score      func(mteval.Info, float64) string
	difference func(int) string
	direction  func(mteval.Info) []string // what says it
}

// forPeople are rounded numbers.
var forPeople = cells{
	none: "–", share: func(p float64) string { return show.Probability.Format(p, 0) }, difference: difference,
	score:     func(info mteval.Info, x float64) string { return app.Format(info, x, -1) },
	direction: func(mteval.Info) []string { return nil },
}

// row is that of a system. One that people did not judge has no values for what is beside theirs.
func (p *rankPage) row(i int, human bool, as cells) []string {
	r, o := p.ranking, p.opinion
	s, k := &r.Systems[i], r.Order[i]
	row := []string{s.Name}
	switch {
	case human && s.Human == nil:
		row = append(row, as.none, as.none)
	case human:
		row = append(row, strconv.FormatFloat(*s.Human, 'f', -1, 64), strconv.Itoa(s.HumanRank))
	}
	if o != nil {
		next := as.none
		if i+1 < len(r.Order) {
			next = as.share(o.P[k][r.Order[i+1]])
		}
		row = append(row, strconv.Itoa(o.Groups[k]), next, as.share(o.Best[k]))
	}
	for m, info := range r.Metrics {
		row = append(row, as.score(info, s.Scores[m]), strconv.Itoa(s.Ranks[m]))
		switch {
		case human && s.Human == nil:
			row = append(row, as.none)
		case human:
			row = append(row, as.difference(s.Differences[m]))
		}
		row = append(row, as.direction(info)...)
	}
	return row
}

func correlationRows(r *ranking.Result) [][]string {
	rows := [][]string{{"metric", "Pearson", "Spearman", "Kendall"}}
	for m, c := range r.Correlations {
		rows = append(rows, []string{r.Metrics[m].Name, app.Coefficient(c.Pearson), app.Coefficient(c.Spearman), app.Coefficient(c.Kendall)})
	}
	return rows
}

func curveRows(r *ranking.Result) [][]string {
	head := []string{"K"}
	for _, m := range r.Metrics {
		head = append(head, m.Name)
	}
	rows := [][]string{head}
	for _, k := range r.Curve {
		row := []string{strconv.Itoa(k.K)}
		for _, c := range k.Correlations {
			row = append(row, app.Coefficient(c.Kendall)+" / "+app.Coefficient(c.Pearson))
		}
		rows = append(rows, row)
	}
	return rows
}

func difference(d int) string {
	if d == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", d)
}

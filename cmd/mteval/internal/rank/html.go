package rank

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/report"
)

// rankPage is the page of a ranking.
type rankPage struct {
	ranking    *ranking.Result
	opinion    *opinion // of systems as they were given
	signatures []mteval.Signature
	warnings   []string
	refs       [][]string
	sources    []string        // nil: none were given
	systems    []mteval.System // as they were given
	base       mteval.Info
	field      *difficulty.Field
	poll       *difficulty.Poll // of the ranking's systems, in its order
	most       int              // segments
}

func writeRankPage(ctx context.Context, a *app.App, p *rankPage, path string) error {
	page, err := p.page(ctx)
	if err != nil {
		return err
	}
	return a.WritePage(ctx, page, path)
}

func (p *rankPage) page(ctx context.Context) (*report.Page, error) {
	r := p.ranking
	out := &report.Page{
		Title:  "Ranking of systems",
		Answer: report.Answer{Text: p.answer(), Details: p.details(), Bars: p.picture()},
		Made:   p.made(),
	}
	rank := report.Section{Title: "Ranking", Tables: []report.Table{p.table()}, Text: p.tableKey()}
	if p.opinion == nil {
		rank.Text = append(rank.Text, app.Sentence(p.withoutReferences()))
	}
	out.Sections = append(out.Sections, rank)
	if p.opinion != nil {
		out.Sections = append(out.Sections, report.Section{Title: "Pairs of systems", Text: p.right(), Matrices: []report.Matrix{p.opinion.pairs()}})
	}
	if len(r.Correlations) > 0 {
		out.Sections = append(out.Sections, p.agreement())
	}
	if p.field != nil {
		spread, err := p.distribution(ctx)
		if err != nil {
			return nil, err
		}
		out.Sections = append(out.Sections, spread)
		if out.Segments, err = p.segments(ctx); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// picture has the systems by expected wins, in their groups, or else by the first metric.
func (p *rankPage) picture() *report.Bars {
	o := p.opinion
	if o == nil {
		info := p.ranking.Metrics[0]
		out := &report.Bars{Title: "Systems by " + info.Name, Axis: app.ScoreAxis(info)}
		for _, s := range p.ranking.Systems {
			out.Bars = append(out.Bars, report.Bar{Name: s.Name, Value: s.Scores[0], Text: app.Format(info, s.Scores[0], -1)})
		}
		return out
	}
	out := &report.Bars{Title: "How many of the others people would put below each system, in groups that are not told apart at " + o.at() + " confidence", Axis: "percent of the other systems"}
	for _, k := range o.Order() {
		out.Bars = append(out.Bars, report.Bar{Name: o.Systems[k], Value: 100 * o.Wins[k], Text: show.Probability.Format(o.Wins[k], 0), Group: o.Groups[k]})
	}
	return out
}

// made has the signatures.
func (p *rankPage) made() []report.Made {
	var out []report.Made
	for m, sig := range p.signatures {
		out = append(out, report.Made{Name: p.ranking.Metrics[m].Name, Text: sig.String()})
	}
	if o := p.opinion; o != nil {
		out = append(out, report.Made{Name: "probabilities", Text: strings.TrimPrefix(o.source(), "probabilities: ")},
			report.Made{Name: "calibration", Text: o.Calibration.Signature().String()})
	}
	return out
}

// table is that of the text, without the sums below it, which sorting would move, and without the
// probabilities against the next row, which it would make untrue: pairs has them.
func (p *rankPage) table() report.Table {
	rows := p.rows()[:1+len(p.ranking.Systems)]
	if at := slices.Index(rows[0], "above next"); at >= 0 {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], at, at+1)
		}
	}
	bars := []string{"human", "best"}
	for _, m := range p.ranking.Metrics {
		bars = append(bars, m.Name)
	}
	return app.PageTable("Scores and ranks", rows, bars...)
}

// tableKey says what its columns are.
func (p *rankPage) tableKey() []string {
	var out []string
	if o := p.opinion; o != nil {
		out = append(out, "Best: how likely people would put the system above all others, in a campaign of judgements like WMT's. Group: systems that are not told apart at "+o.at()+" confidence.")
	}
	if len(p.ranking.Correlations) > 0 {
		out = append(out, app.Sentence(rankingKey))
	}
	return out
}

// pairs are the probabilities of all pairs.
func (o *opinion) pairs() report.Matrix {
	m := report.Matrix{Caption: "Probability in percent that people would put the row's system above the column's"}
	order := o.Order()
	for _, a := range order {
		m.Names = append(m.Names, o.Systems[a])
		row := make([]float64, len(order))
		for i, b := range order {
			row[i] = o.P[a][b]
		}
		m.Values = append(m.Values, row)
	}
	return m
}

// agreement says how far metrics agree with people.
func (p *rankPage) agreement() report.Section {
	rows := correlationRows(p.ranking)
	rows[0] = append(rows[0], "sum of |±|")
	for m, d := range p.ranking.Differences {
		rows[m+1] = append(rows[m+1], strconv.Itoa(d))
	}
	out := report.Section{Title: "Agreement with people", Tables: []report.Table{app.PageTable(correlationTitle, rows)}}
	if len(p.ranking.Curve) > 0 {
		out.Lines = p.curves()
	}
	return out
}

// curves is Figure 2 of the paper.
func (p *rankPage) curves() []report.Lines {
	var out []report.Lines
	for _, c := range []struct {
		name string
		of   func(ranking.Coefficients) *float64
	}{
		{"Kendall", func(c ranking.Coefficients) *float64 { return c.Kendall }},
		{"Pearson", func(c ranking.Coefficients) *float64 { return c.Pearson }},
	} {
		l := report.Lines{Title: c.name + "'s correlation with people for the K best systems" + p.among(), X: "K", Y: c.name}
		drawn := 0
		for m, info := range p.ranking.Metrics {
			line := report.Line{Name: info.Name}
			for _, k := range p.ranking.Curve {
				if v := c.of(k.Correlations[m]); v != nil {
					line.Points = append(line.Points, report.XY{X: float64(k.K), Y: *v})
				}
			}
			drawn += len(line.Points)
			l.Lines = append(l.Lines, line)
		}
		if drawn > 0 {
			out = append(out, l)
		}
	}
	return out
}

// topSystems is how many of n systems the paper's Figure 3 would compare with all: the
// six best, three of fewer, none where these are all.
func topSystems(n int) int {
	switch {
	case n > 6:
		return 6
	case n > 3:
		return 3
	}
	return 0
}

// distribution is Figure 3 of the paper.
func (p *rankPage) distribution(ctx context.Context) (report.Section, error) {
	h := report.Histogram{Title: "How difficult the tokens of the references are", X: "difficulty"}
	out := report.Section{Title: "Difficulty"}
	add := func(name string, w *difficulty.Weights) {
		all := w.All()
		if len(all) == 0 {
			return
		}
		sum := 0.0
		for _, x := range all {
			sum += x
		}
		h.Samples = append(h.Samples, report.Sample{Name: name, Values: all})
		out.Text = append(out.Text, fmt.Sprintf("Mean difficulty, as %s have it: %.4f over %d tokens.", name, sum/float64(len(all)), len(all)))
	}
	voters := p.ranking.Voters // best first
	add(app.AllSystems(len(voters)), p.poll.Weights())
	if k := topSystems(len(voters)); k > 0 && len(p.ranking.Correlations) > 0 {
		best, err := p.field.Poll(ctx, nil, voters[:k])
		if err != nil {
			return out, err
		}
		add(fmt.Sprintf("the %d best systems", k), best.Weights())
	}
	if len(h.Samples) > 0 {
		out.Histograms = []report.Histogram{h}
	} else {
		out.Text = []string{"No reference has a token."}
	}
	return out, nil
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mteval/mteval"
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
	systems    []mteval.System // as they were given
	base       mteval.Info
	field      *difficulty.Field
	poll       *difficulty.Poll // of the ranking's systems, in its order
	most       int              // segments
}

func (p *rankPage) write(ctx context.Context, path string) error {
	page, err := p.page(ctx)
	if err != nil {
		return err
	}
	return writePage(ctx, page, path)
}

func (p *rankPage) page(ctx context.Context) (*report.Page, error) {
	r := p.ranking
	out := &report.Page{Title: "Ranking of systems", Notes: []string{fmt.Sprintf("%d systems, %d segments.", len(r.Systems), len(p.refs))}}
	if len(p.warnings) > 0 {
		out.Sections = append(out.Sections, report.Section{Title: "Warnings", Text: p.warnings})
	}
	rank := report.Section{Title: "Ranking", Tables: []report.Table{pageTable("Scores and ranks", p.rows())}}
	rank.Text = p.key()
	if p.opinion == nil {
		rank.Text = append(rank.Text, sentence(p.withoutReferences()))
	}
	out.Sections = append(out.Sections, rank)
	if p.opinion != nil {
		out.Sections = append(out.Sections, p.pairs())
	}
	if len(r.Correlations) > 0 {
		agreement := report.Section{Title: "Agreement with people", Tables: []report.Table{pageTable(correlationTitle, correlationRows(r))}}
		if len(r.Curve) > 0 {
			agreement.Lines = p.curves()
		}
		out.Sections = append(out.Sections, agreement)
	}
	if p.field != nil {
		spread, err := p.distribution(ctx)
		if err != nil {
			return nil, err
		}
		segments, err := p.segments(ctx)
		if err != nil {
			return nil, err
		}
		out.Sections = append(out.Sections, spread, segments)
	}
	how := report.Section{Title: "How this was made"}
	for m, sig := range p.signatures {
		how.Text = append(how.Text, fmt.Sprintf("%s: %s", r.Metrics[m].Name, sig))
	}
	out.Sections = append(out.Sections, how)
	return out, nil
}

// pairs shows the probabilities of all pairs.
func (p *rankPage) pairs() report.Section {
	out := report.Section{Title: "What people would say"}
	o := p.opinion
	if o.check != nil {
		out.Text = append(out.Text, strings.Join(o.right(), " "))
	}
	out.Text = append(out.Text, sentence(o.source()))
	if len(o.Outside) > 0 {
		out.Text = append(out.Text, outside+" "+strings.Join(o.Outside, "; ")+".")
	}
	m := report.Matrix{Caption: "Probability in percent that a campaign of human judgements like WMT's would put the row's system above the column's"}
	order := o.Order()
	for _, a := range order {
		m.Names = append(m.Names, o.Systems[a])
		row := make([]float64, len(order))
		for i, b := range order {
			row[i] = o.P[a][b]
		}
		m.Values = append(m.Values, row)
	}
	out.Matrices = []report.Matrix{m}
	return out
}

// sentence makes one of a line of text.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

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
	h := report.Histogram{Title: "Difficulty of the reference's tokens (equation 2)", X: "difficulty"}
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
		out.Text = append(out.Text, fmt.Sprintf("Mean difficulty among %s: %.4f over %d tokens.", name, sum/float64(len(all)), len(all)))
	}
	voters := p.ranking.Voters // best first
	add(fmt.Sprintf("all %d systems", len(voters)), p.poll.Weights())
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

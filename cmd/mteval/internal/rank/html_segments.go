package rank

import (
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/report"
)

// segments is Table 3 of the paper, for all segments or those that difficulty changes most.
func (p *rankPage) segments(ctx context.Context) (*report.Segments, error) {
	all, err := p.poll.Changes(ctx)
	if err != nil {
		return nil, err
	}
	if all = all[:min(len(all), p.most)]; len(all) == 0 {
		return nil, nil
	}
	info := p.field.Info()
	return &report.Segments{
		Title: "Segments",
		Text: []string{"A pair of systems that one of the metrics puts level, and the other does not, is half a change of order. " +
			"A token's difficulty is how many systems miss it, and how far."},
		Systems: p.poll.Systems(),
		Scores:  []report.ScoreColumn{{Name: info.Name, Decimals: 4}, {Name: p.base.Name, Decimals: app.Decimals(p.base, -1), LowerIsBetter: p.base.LowerIsBetter}},
		Keys:    []report.Key{{Name: "change of order"}, {Name: "difficulty"}},
		All: func(yield func(report.Segment) bool) {
			for i := range all {
				if ctx.Err() != nil || !yield(p.segment(&all[i])) {
					return // and the file is not written
				}
			}
		},
	}, nil
}

// segment shows the outputs for one.
func (p *rankPage) segment(c *difficulty.Change) report.Segment {
	n := len(p.ranking.Systems)
	details := make([]difficulty.Detail, n)
	for i := range n {
		details[i] = p.poll.Detail(i, c.Segment)
	}
	out := report.Segment{Number: c.Segment + 1}
	if p.sources != nil {
		out.Source = p.sources[c.Segment]
	}
	kept := make([]places, len(p.refs[c.Segment]))
	var mean float64
	out.References, mean = p.references(c.Segment, details, kept)
	out.Keys = []float64{c.Pairs, math.Round(mean*1000) / 1000}
	for i := range details {
		o := shownOutput(p.systems[p.ranking.Order[i]].Hyps[c.Segment], &details[i], kept)
		o.Scores = []float64{finite(c.Scores[i]), finite(c.Base[i])}
		out.Outputs = append(out.Outputs, o)
	}
	return out
}

// places are the tokens that a page has of a text, by their places among all of its tokens; those
// that weigh nothing are not there, and have −1.
type places []int

func newPlaces(parts []difficulty.Part) places {
	out, n := make(places, len(parts)), 0
	for j := range parts {
		if out[j] = -1; parts[j].Weight != 0 {
			out[j] = n
			n++
		}
	}
	return out
}

func (p places) of(j int) int {
	if j < 0 || j >= len(p) {
		return -1
	}
	return p[j]
}

// references have the tokens of each that an output was scored with, and the mean difficulty of all
// these.
func (p *rankPage) references(segment int, outputs []difficulty.Detail, kept []places) ([]report.Text, float64) {
	sum, n := 0.0, 0
	texts := make([]report.Text, len(p.refs[segment]))
	for k, text := range p.refs[segment] {
		texts[k].Text = text
		at := slices.IndexFunc(outputs, func(o difficulty.Detail) bool { return o.Reference == k && len(o.Ref) > 0 })
		if at < 0 {
			continue
		}
		kept[k] = newPlaces(outputs[at].Ref)
		for j, t := range outputs[at].Ref {
			if t.Weight == 0 {
				continue
			}
			sum, n = sum+t.Difficulty, n+1
			tok := shownToken(text, &t)
			tok.Similarity = meanSimilarity(outputs, k, j)
			texts[k].Tokens = append(texts[k].Tokens, tok)
		}
	}
	return texts, level(sum / float64(max(n, 1)))
}

// meanSimilarity is that of a reference's token in the outputs that were scored with it.
func meanSimilarity(outputs []difficulty.Detail, reference, token int) float64 {
	sum, n := 0.0, 0
	for i := range outputs {
		if o := &outputs[i]; o.Reference == reference {
			n++
			if token < len(o.Ref) {
				sum += o.Ref[token].Sim
			}
		}
	}
	return level(sum / float64(n))
}

// shownOutput has the tokens of an output, and those that it lacks.
func shownOutput(text string, d *difficulty.Detail, kept []places) report.Output {
	out := report.Output{Text: report.Text{Text: text}}
	var ref places
	if d.Reference < len(kept) {
		out.Reference, ref = d.Reference, kept[d.Reference]
	}
	own := newPlaces(d.Hyp)
	for _, t := range d.Hyp {
		if t.Weight != 0 {
			tok := shownToken(text, &t)
			tok.Share, tok.To, tok.Novel = level(t.Share), ref.of(t.To), t.Alone
			out.Tokens = append(out.Tokens, tok)
		}
	}
	for j, t := range d.Ref {
		if t.Alone && ref.of(j) >= 0 {
			out.Missed = append(out.Missed, report.Missed{Index: ref.of(j), Difficulty: level(t.Difficulty), Similarity: level(t.Sim), Share: level(t.Share), To: own.of(t.To)})
		}
	}
	return out
}

// shownToken has the numbers that a token of either side has.
func shownToken(text string, t *difficulty.Part) report.Token {
	out := report.Token{Start: t.Start, End: t.End, Difficulty: level(t.Difficulty), Similarity: level(t.Sim)}
	if t.Start < 0 || t.Start > t.End || t.End > len(text) { // it is not in the text
		out.Start, out.End = 0, 0
	}
	if t.Text != text[out.Start:out.End] {
		out.Text = t.Text
	}
	return out
}

// level is a number that can be shown.
func level(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(-20, min(x, 20))
}

// finite is a score that can be shown: the released program's can be infinite, which is none.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

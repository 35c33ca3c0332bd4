package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/report"
)

// segments is Table 3 of the paper, for the segments that difficulty changes most.
func (p *rankPage) segments(ctx context.Context) (report.Section, error) {
	all, err := p.poll.Changes(ctx)
	if err != nil {
		return report.Section{}, err
	}
	all = all[:min(len(all), p.most)]
	list := report.SegmentList{
		Title:  fmt.Sprintf("The %d of %d segments that difficulty changes most", len(all), p.poll.Len()),
		Keys:   []report.Key{{Name: "change of order"}, {Name: "difficulty"}, {Name: "place in the text", Ascending: true}},
		Header: []string{"system", p.base.Name, "#", p.field.Info().Name, "#", "text"},
	}
	for _, c := range all {
		if err := ctx.Err(); err != nil {
			return report.Section{}, err
		}
		list.Segments = append(list.Segments, p.segment(&c))
	}
	out := report.Section{Title: "Segments", SegmentLists: []report.SegmentList{list}}
	out.Text = []string{"Each output has its scores of the segment and its rank among the outputs. A pair of systems that one of the metrics puts level, and the other does not, is half a change of order."}
	return out, nil
}

// segment shows the outputs for one.
func (p *rankPage) segment(c *difficulty.Change) report.Segment {
	n := len(p.ranking.Systems)
	outputs := make([]difficulty.Detail, n)
	for i := range n {
		outputs[i] = p.poll.Detail(i, c.Segment)
	}
	var seg report.Segment
	mean := p.reference(&seg, c.Segment, outputs)
	seg.Title = fmt.Sprintf("Segment %d: difficulty changes %s of %d pairs of systems, mean difficulty %s", c.Segment+1,
		strconv.FormatFloat(c.Pairs, 'f', -1, 64), n*(n-1)/2, short(mean))
	seg.Keys = []float64{c.Pairs, math.Round(mean*1e6) / 1e6, float64(c.Segment + 1)}
	plainRanks, awareRanks := ranking.Ranks(c.Base, p.base.LowerIsBetter), ranking.Ranks(c.Scores, false)
	for i, o := range outputs {
		row := report.Row{Name: p.ranking.Systems[i].Name, Cells: []string{format(p.base, c.Base[i], -1), strconv.Itoa(plainRanks[i]), fmt.Sprintf("%.4f", c.Scores[i]), strconv.Itoa(awareRanks[i])}}
		row.Tokens = tokens(p.systems[p.ranking.Order[i]].Hyps[c.Segment], o.Hyp, o.Ref, report.Novel)
		var ref string
		if o.Reference < len(p.refs[c.Segment]) {
			ref = p.refs[c.Segment][o.Reference]
		}
		for _, t := range tokens(ref, o.Ref, o.Hyp, report.Missed) {
			if t.Mark == report.Missed {
				t.Before = " "
				row.Missed = append(row.Missed, t)
			}
		}
		seg.Rows = append(seg.Rows, row)
	}
	return seg
}

// reference adds a row for each reference that an output was scored with, and returns
// the mean difficulty of their tokens.
func (p *rankPage) reference(seg *report.Segment, segment int, outputs []difficulty.Detail) float64 {
	sum, n := 0.0, 0
	refs := p.refs[segment]
	for k, text := range refs {
		at := slices.IndexFunc(outputs, func(o difficulty.Detail) bool { return o.Reference == k && len(o.Ref) > 0 })
		if at < 0 {
			continue
		}
		parts, missed, met := meanParts(outputs, at)
		for j := range parts {
			if parts[j].Weight != 0 {
				sum, n = sum+parts[j].Difficulty, n+1
			}
		}
		name := "reference"
		if len(refs) > 1 {
			name += " " + strconv.Itoa(k+1)
		}
		row := report.Row{Name: name, Cells: []string{"", "", "", ""}}
		row.Tokens = surface(text, parts, func(j int) (report.Mark, string) {
			t := parts[j]
			note := fmt.Sprintf("%s: difficulty %s, mean similarity %s, missed by %d of %d", t.Text, short(t.Difficulty), short(t.Sim), missed[j], met)
			if t.Alone {
				return report.Missed, note
			}
			return report.NoMark, note
		})
		seg.Rows = append(seg.Rows, row)
	}
	return sum / float64(max(n, 1))
}

// meanParts are the parts of the reference that an output was scored with: the difficulty is
// that of all outputs (without this one's vote if votes are left out), the match the mean over
// those that were scored with the same reference, whose number is met. Missed is how many of
// them lack each token.
func meanParts(outputs []difficulty.Detail, at int) (parts []difficulty.Part, missed []int, met int) {
	parts = slices.Clone(outputs[at].Ref)
	missed = make([]int, len(parts))
	for j := range parts {
		parts[j].Sim, parts[j].Alone = 0, false
	}
	for _, o := range outputs {
		if o.Reference != outputs[at].Reference {
			continue
		}
		met++
		for j, t := range o.Ref {
			parts[j].Sim += t.Sim
			if t.Alone {
				missed[j]++
			}
		}
	}
	for j := range parts {
		parts[j].Sim /= float64(met)
		parts[j].Alone = missed[j] == met
	}
	return parts, missed, met
}

// tokens are those of a text with its numbers; mark is for those that the other side
// lacks.
func tokens(text string, parts, other []difficulty.Part, mark report.Mark) []report.Token {
	return surface(text, parts, func(j int) (report.Mark, string) {
		t := parts[j]
		note := fmt.Sprintf("%s: difficulty %s, similarity %s", t.Text, short(t.Difficulty), short(t.Sim))
		if t.To >= 0 && t.To < len(other) && other[t.To].Text != t.Text {
			note += " to " + other[t.To].Text
		}
		note += ", share " + short(t.Share)
		if !t.Alone {
			return report.NoMark, note
		}
		if mark == report.Novel {
			return mark, note + ", novel"
		}
		return mark, note + ", missed"
	})
}

// surface puts tokens into the text that they are of, and leaves out those that weigh
// nothing and are not in it.
func surface(text string, parts []difficulty.Part, describe func(j int) (report.Mark, string)) []report.Token {
	var out []report.Token
	at := 0 // in the text, up to where it is written
	for j, t := range parts {
		var token report.Token
		switch {
		case t.Start >= at && t.End > t.Start && t.End <= len(text):
			token.Before, token.Text = text[at:t.Start], text[t.Start:t.End]
			at = t.End
		case t.Weight == 0:
			continue
		default: // made of text that another token was made of, too
			token.Text = t.Text
			if len(out) > 0 {
				token.Before = " "
			}
		}
		if t.Weight == 0 {
			token.Plain = true
		} else {
			token.Difficulty, token.Match = level(t.Difficulty), level(t.Sim)
			token.Mark, token.Note = describe(j)
		}
		out = append(out, token)
	}
	if rest := strings.TrimRight(text[at:], " "); rest != "" {
		out = append(out, report.Token{Text: rest, Plain: true})
	}
	return out
}

// level is a number as far as it can be shaded.
func level(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(x, 1))
}

// short writes a number for people.
func short(x float64) string { return strconv.FormatFloat(x+0, 'f', 3, 64) }

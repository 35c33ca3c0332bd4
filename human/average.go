package human

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/metaeval"
)

// Average returns the mean score of each system on each item, and in n how many
// judgements are behind it, for [metaeval.CountJudgements]. Systems and items come in the
// order of their first judgement. Degraded outputs and references are left out, repeats
// count.
//
// [metaeval.Scores.SystemMeans] of the result is the score of the systems as WMT has
// it, the mean over the items.
//
// Judgements of more than one language pair are an error, as a segment of one has
// nothing to do with the segment of the same number of another. So are scores that are
// not on the scale [AnyScore].
func Average(js []Judgement) (scores, n *metaeval.Scores, err error) {
	var g grid.Grid
	var first *Judgement
	for i := range js {
		j := &js[i]
		if j.Kind != SystemOutput && j.Kind != Repeat {
			continue
		}
		if first == nil {
			first = j
		}
		if j.Source != first.Source || j.Target != first.Target {
			return nil, nil, fmt.Errorf("human: judgements of %s-%s and of %s-%s: average one language pair at a time", first.Source, first.Target, j.Source, j.Target)
		}
		if err := AnyScore().Check(j.Score); err != nil {
			return nil, nil, fmt.Errorf("human: judge %s for system %s on item %s: %w", j.Judge, j.System, j.Item, err)
		}
		g.Add(j.System, j.Item)
	}
	if err := g.Check(); err != nil {
		return nil, nil, fmt.Errorf("human: %w", err)
	}
	scores = metaeval.NewScores(g.Systems.Names, g.Items.Names)
	n = metaeval.NewScores(g.Systems.Names, g.Items.Names)
	low, high := slices.Clone(scores.Values), slices.Clone(scores.Values)
	k := 0
	for i := range js {
		if j := &js[i]; j.Kind == SystemOutput || j.Kind == Repeat {
			c := g.At(k)
			k++
			if math.IsNaN(n.Values[c]) {
				scores.Values[c], n.Values[c] = 0, 0
				low[c], high[c] = j.Score, j.Score
			}
			low[c], high[c] = min(low[c], j.Score), max(high[c], j.Score)
			scores.Values[c] += j.Score
			n.Values[c]++
		}
	}
	for c := range scores.Values {
		scores.Values[c] = moments.Within(scores.Values[c]/n.Values[c], low[c], high[c]) // missing is NaN in all
	}
	return scores, n, nil
}

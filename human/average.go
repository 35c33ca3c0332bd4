package human

import (
	"fmt"
	"math"

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
// nothing to do with the segment of the same number of another.
func Average(js []Judgement) (scores, n *metaeval.Scores, err error) {
	var g grid
	var first *Judgement
	for i := range js {
		j := &js[i]
		if j.Kind != System && j.Kind != Repeat {
			continue
		}
		if first == nil {
			first = j
		}
		if j.Source != first.Source || j.Target != first.Target {
			return nil, nil, fmt.Errorf("human: judgements of %s-%s and of %s-%s: average one language pair at a time", first.Source, first.Target, j.Source, j.Target)
		}
		if math.IsNaN(j.Score) || math.IsInf(j.Score, 0) {
			return nil, nil, fmt.Errorf("human: the score of judge %s for system %s on item %s is %v", j.Judge, j.System, j.Item, j.Score)
		}
		g.add(j.System, j.Item)
	}
	if err := g.check(); err != nil {
		return nil, nil, fmt.Errorf("human: %w", err)
	}
	scores = metaeval.NewScores(g.systems.names, g.items.names)
	n = metaeval.NewScores(g.systems.names, g.items.names)
	k := 0
	for i := range js {
		if j := &js[i]; j.Kind == System || j.Kind == Repeat {
			c := g.at(k)
			k++
			if math.IsNaN(n.Values[c]) {
				scores.Values[c], n.Values[c] = 0, 0
			}
			scores.Values[c] += j.Score
			n.Values[c]++
		}
	}
	for c := range scores.Values {
		scores.Values[c] /= n.Values[c] // missing is NaN in both
	}
	return scores, n, nil
}

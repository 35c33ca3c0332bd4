package selection

import (
	"errors"
	"fmt"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// NetWins makes scores of pairs, such as relative rankings, for Evaluate: a system's score of a
// segment is how many more of its pairs there it won than lost, and 0 on a segment where only
// others were compared. A segment without a pair has no scores.
func NetWins(p *human.Pairs) (*metaeval.Scores, error) {
	if p == nil || len(p.Pairs) == 0 {
		return nil, errors.New("selection: no pairs")
	}
	out := metaeval.NewScores(p.Systems, p.Items)
	wins := make([][]float64, len(p.Items))
	for _, pair := range p.Pairs {
		if pair.Item < 0 || pair.Item >= len(p.Items) || min(pair.A, pair.B) < 0 || max(pair.A, pair.B) >= len(p.Systems) {
			return nil, fmt.Errorf("selection: a pair of systems %d and %d on segment %d, of %d systems and %d segments", pair.A, pair.B, pair.Item, len(p.Systems), len(p.Items))
		}
		if wins[pair.Item] == nil {
			wins[pair.Item] = make([]float64, len(p.Systems))
		}
		wins[pair.Item][pair.A] += float64(pair.Human)
		wins[pair.Item][pair.B] -= float64(pair.Human)
	}
	for i, of := range wins {
		for k, w := range of {
			out.Set(k, i, w)
		}
	}
	return out, nil
}

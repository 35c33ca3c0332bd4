package metaeval

import (
	"fmt"
	"math"
)

// PairwiseDifferencePearson is Pearson's correlation of the differences between the scores
// of any two systems on the same item, by people and by a metric, −1 to 1. All pairs of all
// items are taken together, each in both orders, so that the mean difference is 0; items
// on which one system alone has both scores add nothing. Groups is 1. It wraps ErrUndefined
// where no pair differs by people, or none by the metric, and ErrMismatch.
func PairwiseDifferencePearson(human *Scores, m Metric) (Agreement, error) {
	if err := aligned(human, m); err != nil {
		return Agreement{}, err
	}
	groups, err := grouped(tamed(human), Metric{m.Name, tamed(m.Scores), m.LowerIsBetter}, ByItem)
	if err != nil {
		return Agreement{}, err
	}
	a := Agreement{Groups: 1}
	var xy, xx, yy float64
	for _, g := range groups {
		a.Missing += g.missing
		for i := range g.human {
			for j := range i {
				x, y := g.human[i]-g.human[j], g.metric[i]-g.metric[j]
				xy += x * y
				xx += x * x
				yy += y * y
			}
		}
	}
	if xx == 0 || yy == 0 {
		return Agreement{}, fmt.Errorf("metaeval: %s: the correlation of differences is %w: no two systems differ on an item", m.Name, ErrUndefined)
	}
	a.Value = min(1, max(-1, xy/math.Sqrt(xx)/math.Sqrt(yy)))
	return a, nil
}

// Package ranking ranks systems by any number of metrics and sets the rankings
// beside people's: rank differences (Table 2 of Zhan et al., ACL 2021) and
// correlations for all systems (Table 1) and for the K best (Figure 2).
//
// Scores are turned so that more is better before they are ranked or correlated:
// a positive correlation means agreement with people, for error metrics too. The
// paper prints absolute values, which hides that among the six best systems of
// WMT19 English-German BLEU and TER go against people.
package ranking

import (
	"context"
	"slices"

	"github.com/mteval/mteval"
)

// Options of Rank.
type Options struct {
	// Human scores, in an order that decides which of equal systems is among
	// the K best. None: nothing is correlated.
	Human []Human
}

// A Result of systems.
type Result struct {
	// Metrics describes the metrics, in the order they were given.
	Metrics []mteval.Info
	// Systems, best first by human score, then those without one in the order
	// they were given. Without any human scores, as they were given.
	Systems []Row
	// Order holds the indices of Systems among those given.
	Order []int
	// Voters are the indices of those that were the metrics' field: the systems
	// with a human score, best first, and without any human scores all.
	Voters []int
	// Correlations with people, one for each metric, over the systems with a
	// human score. Nil if there are no human scores.
	Correlations []Coefficients
	// Differences is the sum over systems of the absolute differences between
	// a metric's rank and the human one, for each metric. Nil if there are no
	// human scores.
	Differences []int
	// Curve holds the correlations for the K best systems by human score, for
	// every K from FewestK up, each metric's field being these K.
	Curve []TopK
	// Unscored names the systems without a human score where others have one.
	// They were scored, but have no vote and no part in correlations.
	Unscored []string
	// Missing names the systems with a human score that were not given.
	Missing []string
}

// A Row in a ranking.
type Row struct {
	Name  string
	Human *float64 // nil: no human score
	// HumanRank is 1 for the best, shared by equal systems; 0: no human score.
	HumanRank int
	Scores    []float64 // by metric
	// Ranks by metric, among all systems ranked: 1 for the best, equal ones
	// share the best rank that they fill, so 1, 2, 2, 4.
	Ranks []int
	// Differences by metric: the human rank less the rank among the systems
	// with a human score, so that +2 is two places too high. Nil: no human
	// score.
	Differences []int
}

// Rank ranks systems by metrics. All metrics must be of these systems, in this
// order.
func Rank(ctx context.Context, systems []string, metrics []FieldMetric, o Options) (*Result, error) {
	order, err := NewOrder(systems, o.Human)
	if err != nil {
		return nil, err
	}
	r, err := newResult(systems, order, metrics)
	if err != nil {
		return nil, err
	}
	for _, m := range metrics {
		if err := r.add(ctx, order, m); err != nil {
			return nil, err
		}
	}
	for at, err := range Curve(ctx, order, metrics) {
		if err != nil {
			return nil, err
		}
		r.Curve = append(r.Curve, at)
	}
	return r, nil
}

// newResult has the systems in people's order, those with a human score first, and no
// scores yet.
func newResult(systems []string, order *Order, metrics []FieldMetric) (*Result, error) {
	r := &Result{Missing: order.Missing, Order: slices.Concat(order.Systems, order.Unscored), Voters: slices.Clone(order.Systems)}
	if err := checkMetrics(metrics); err != nil {
		return nil, err
	}
	for _, m := range metrics {
		r.Metrics = append(r.Metrics, m.Info())
	}
	if len(order.Systems) == 0 {
		r.Voters = slices.Clone(r.Order)
	} else {
		for _, k := range order.Unscored {
			r.Unscored = append(r.Unscored, systems[k])
		}
	}
	ranks := Ranks(order.Human, false)
	for i, k := range r.Order {
		row := Row{Name: systems[k]}
		if i < len(order.Human) {
			row.Human, row.HumanRank = &order.Human[i], ranks[i]
		}
		r.Systems = append(r.Systems, row)
	}
	return r, nil
}

// add adds a metric's scores, its ranks, and how far it agrees with people.
func (r *Result) add(ctx context.Context, order *Order, m FieldMetric) error {
	scores, err := scoresOf(ctx, m, r.Order, r.Voters)
	if err != nil {
		return err
	}
	human := len(order.Human)
	lower := m.Info().LowerIsBetter
	ranks, among := Ranks(scores, lower), Ranks(scores[:human], lower)
	sum := 0
	for i := range r.Systems {
		s := &r.Systems[i]
		s.Scores = append(s.Scores, scores[i])
		s.Ranks = append(s.Ranks, ranks[i])
		if i < human {
			d := s.HumanRank - among[i]
			s.Differences = append(s.Differences, d)
			sum += max(d, -d)
		}
	}
	if human == 0 {
		return nil
	}
	c, err := correlate(order.Human, scores[:human], m)
	if err != nil {
		return err
	}
	r.Correlations = append(r.Correlations, c)
	r.Differences = append(r.Differences, sum)
	return nil
}

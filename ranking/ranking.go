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
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
)

// A FieldMetric scores any of a fixed set of systems.
type FieldMetric interface {
	// Info describes the metric.
	Info() mteval.Info
	// Scores returns the scores of the systems with these indices. Voters are
	// the systems of the field that they are compared in: a metric that
	// depends on the field, as a difficulty-aware one does, takes it from
	// them, others ignore them.
	Scores(ctx context.Context, systems, voters []int) ([]float64, error)
}

// FromTable is the metric of a table of rows, for which voters do not matter. Nil is a
// table without systems.
func FromTable(t *mteval.Table) FieldMetric {
	if t == nil {
		t = &mteval.Table{}
	}
	return tableMetric{t, t.Scores()}
}

type tableMetric struct {
	t      *mteval.Table
	scores []float64
}

func (m tableMetric) Info() mteval.Info { return m.t.Info }

func (m tableMetric) Scores(_ context.Context, systems, _ []int) ([]float64, error) {
	out := make([]float64, len(systems))
	for i, k := range systems {
		if k < 0 || k >= len(m.scores) {
			return nil, fmt.Errorf("ranking: no system %d in a table of %d", k, len(m.scores))
		}
		out[i] = m.scores[k]
	}
	return out, nil
}

// A Human score of a system, more is better.
type Human struct {
	System string
	Score  float64
}

// Options of Rank.
type Options struct {
	// Human scores, in an order that decides which of equal systems is among
	// the K best. None: nothing is correlated.
	Human []Human
	// TopK, if not 0, keeps only the K best systems by human score.
	TopK int
}

// A Result of systems.
type Result struct {
	// Metrics describes the metrics, in the order they were given.
	Metrics []mteval.Info
	// Systems, best first by human score, then those without one in the order
	// they were given. Without any human scores, as they were given.
	Systems []Row
	// Correlations with people, one for each metric, over the systems with a
	// human score. Nil if there are no human scores.
	Correlations []Coefficients
	// Differences is the sum over systems of the absolute differences between
	// a metric's rank and the human one, for each metric. Nil if there are no
	// human scores.
	Differences []int
	// Curve holds the correlations for the K best systems by human score, for
	// every K from 3 up, each metric's field being these K.
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

// Coefficients of a metric with people. A nil coefficient is undefined, as that of
// equal scores is.
type Coefficients struct {
	Pearson, Spearman, Kendall *float64
}

// TopK holds the correlations for the K best systems.
type TopK struct {
	K            int
	Correlations []Coefficients // by metric
}

// Rank ranks systems by metrics. All metrics must be of these systems, in this
// order.
func Rank(ctx context.Context, systems []string, metrics []FieldMetric, o Options) (*Result, error) {
	index := make(map[string]int, len(systems))
	for k, name := range systems {
		if _, ok := index[name]; ok {
			return nil, fmt.Errorf("ranking: two systems are called %s", name)
		}
		index[name] = k
	}
	human, missing, err := order(o.Human, index)
	if err != nil {
		return nil, err
	}
	r := &Result{Missing: missing}
	for i, m := range metrics {
		if m == nil {
			return nil, fmt.Errorf("ranking: metric %d is nil", i+1)
		}
		r.Metrics = append(r.Metrics, m.Info())
	}
	if len(o.Human) > 0 && len(human) == 0 {
		return nil, errors.New("ranking: no human score is of any of the systems")
	}
	if o.TopK != 0 && (o.TopK < 1 || o.TopK > len(human)) {
		return nil, fmt.Errorf("ranking: no top %d of %d systems with a human score", o.TopK, len(human))
	}
	if o.TopK != 0 {
		human = human[:o.TopK]
	}

	// The systems in their order here, those with a human score first.
	ids := make([]int, 0, len(systems))
	scored := make(map[int]bool)
	scores := make([]float64, 0, len(human))
	for _, h := range human {
		ids = append(ids, index[h.System])
		scored[index[h.System]] = true
		scores = append(scores, h.Score)
	}
	voters := slices.Clone(ids)
	if o.TopK == 0 {
		for k, name := range systems {
			if !scored[k] {
				ids = append(ids, k)
				if len(human) > 0 {
					r.Unscored = append(r.Unscored, name)
				}
			}
		}
	}
	if len(human) == 0 {
		voters = ids
	}
	humanRanks := Ranks(scores, false)
	for i, k := range ids {
		s := Row{Name: systems[k]}
		if i < len(human) {
			s.Human, s.HumanRank = &human[i].Score, humanRanks[i]
		}
		r.Systems = append(r.Systems, s)
	}
	for m, metric := range metrics {
		got, err := scoresOf(ctx, metric, ids, voters)
		if err != nil {
			return nil, err
		}
		lower := r.Metrics[m].LowerIsBetter
		ranks := Ranks(got, lower)
		among := Ranks(got[:len(human)], lower)
		sum := 0
		for i := range r.Systems {
			s := &r.Systems[i]
			s.Scores = append(s.Scores, got[i])
			s.Ranks = append(s.Ranks, ranks[i])
			if i < len(human) {
				d := s.HumanRank - among[i]
				s.Differences = append(s.Differences, d)
				sum += max(d, -d)
			}
		}
		if len(human) > 0 {
			c, err := correlate(scores, got[:len(human)], lower)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Metrics[m].Name, err)
			}
			r.Correlations = append(r.Correlations, c)
			r.Differences = append(r.Differences, sum)
		}
	}
	for k := 3; k <= len(human); k++ {
		at := TopK{K: k}
		for m, metric := range metrics {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			got, err := scoresOf(ctx, metric, ids[:k], ids[:k])
			if err != nil {
				return nil, err
			}
			c, err := correlate(scores[:k], got, r.Metrics[m].LowerIsBetter)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Metrics[m].Name, err)
			}
			at.Correlations = append(at.Correlations, c)
		}
		r.Curve = append(r.Curve, at)
	}
	return r, nil
}

// scoresOf returns a metric's scores, one finite number for each system.
func scoresOf(ctx context.Context, m FieldMetric, systems, voters []int) ([]float64, error) {
	name := m.Info().Name
	got, err := m.Scores(ctx, systems, voters)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(got) != len(systems) {
		return nil, fmt.Errorf("%s: %d scores for %d systems", name, len(got), len(systems))
	}
	for _, x := range got {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s: a score is %v", name, x)
		}
	}
	return got, nil
}

// order returns the human scores of the systems there are, best first, equal ones
// as they stood, and the names of the others.
func order(human []Human, index map[string]int) (kept []Human, missing []string, err error) {
	seen := make(map[string]bool, len(human))
	for _, h := range human {
		if seen[h.System] {
			return nil, nil, fmt.Errorf("ranking: two human scores of %s", h.System)
		}
		seen[h.System] = true
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
			return nil, nil, fmt.Errorf("ranking: human score %v of %s", h.Score, h.System)
		}
		if _, ok := index[h.System]; ok {
			kept = append(kept, h)
		} else {
			missing = append(missing, h.System)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool { return kept[i].Score > kept[j].Score })
	return kept, missing, nil
}

// Best returns the names of the k best of the systems by human score, best first:
// those that Rank keeps with Options.TopK. It is an error if fewer than k have a
// score.
func Best(human []Human, systems []string, k int) ([]string, error) {
	index := make(map[string]int, len(systems))
	for i, name := range systems {
		index[name] = i
	}
	kept, _, err := order(human, index)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > len(kept) {
		return nil, fmt.Errorf("ranking: no top %d of %d systems with a human score", k, len(kept))
	}
	var names []string
	for _, h := range kept[:k] {
		names = append(names, h.System)
	}
	return names, nil
}

// Ranks returns the rank of each score: 1 for the best, equal scores share the
// best rank that they fill, so 1, 2, 2, 4. NaN is worse than any number.
func Ranks(scores []float64, lowerIsBetter bool) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		a, b := scores[i], scores[j]
		if lowerIsBetter && a == a && b == b {
			a, b = b, a
		}
		return cmp.Compare(b, a) // for which NaN is less than any number
	}
	slices.SortFunc(order, compare)
	out := make([]int, len(scores))
	for place, i := range order {
		out[i] = place + 1
		if place > 0 && compare(order[place-1], i) == 0 {
			out[i] = out[order[place-1]]
		}
	}
	return out
}

func correlate(human, scores []float64, lowerIsBetter bool) (Coefficients, error) {
	var c Coefficients
	if lowerIsBetter {
		turned := make([]float64, len(scores))
		for i, s := range scores {
			turned[i] = -s
		}
		scores = turned
	}
	for _, f := range []struct {
		of  func(x, y []float64) (float64, error)
		set **float64
	}{{metaeval.Pearson, &c.Pearson}, {metaeval.Spearman, &c.Spearman}, {metaeval.Kendall, &c.Kendall}} {
		v, err := f.of(human, scores)
		switch {
		case err == nil:
			*f.set = &v
		case !errors.Is(err, metaeval.ErrUndefined):
			return c, err
		}
	}
	return c, nil
}

package tune

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
)

// An Objective is a measure of agreement with people, more being better. Of several sets
// it is the mean, so that a small set counts as much as a large one; but Accuracy is of
// all sets' pairs of systems together, as in Kocmi et al. (2021).
type Objective int

const (
	// Kendall is WMT's tau of pairs of outputs of which people found one better, −1 to
	// 1, in which a metric's tie counts as disagreement: metaeval.Table4c. The share of
	// pairs on which the metric agrees is (1 + tau)/2, so that there is no objective for it.
	Kendall Objective = iota
	// Pearson is the correlation with people's scores of segments, all of a set's together.
	Pearson
	// SystemPearson is the correlation with people's scores of systems. A metric's score
	// of a system is the one of its corpus. Cross-validation by source has the same
	// systems on both sides, and flatters: sets that are left out, or test sets, do not.
	SystemPearson
	// Accuracy is the share of pairs of systems that the metric orders as people's
	// scores of systems do, 0 to 1: metaeval.PairwiseAccuracy. Cross-validation flatters,
	// too.
	Accuracy
)

var objectives = []string{"kendall", "pearson", "system-pearson", "accuracy"}

// Objectives are the names of the objectives.
func Objectives() []string { return append([]string(nil), objectives...) }

// String is "kendall", "pearson", "system-pearson" or "accuracy".
func (o Objective) String() string { return names.Of("Objective", objectives, o) }

func (o Objective) ofSystems() bool { return o == SystemPearson || o == Accuracy }

// worst is the least that an objective can be. Scores that are all equal, of which a correlation is
// not defined, have it: they tell nothing apart, and are as bad under Kendall.
func (o Objective) worst() float64 {
	if o == Accuracy {
		return 0
	}
	return -1
}

// An evaluator computes an objective again and again. It is for one goroutine. Once its
// buffers have grown it allocates nothing but an error metric's scores turned round.
type evaluator struct {
	objective Objective
	form      metaeval.KendallForm
	scores    []float64 // by hypothesis
	rows      []float64
	sums      []float64
	metric    []float64 // the metric's, one for each of people's
}

func newEvaluator(o Objective) *evaluator {
	return &evaluator{objective: o, form: metaeval.Table4c()}
}

// value is the objective over all the parts.
func (e *evaluator) value(s tunable.Scorer, parts []*part) float64 {
	if e.objective == Accuracy {
		var all metaeval.PairAccuracy
		for _, p := range parts {
			all = all.Plus(e.accuracy(s, p))
		}
		return float64(all.Agree) / float64(all.Pairs) // there is one: see part.check
	}
	sum := 0.0
	for _, p := range parts {
		sum += e.one(s, p)
	}
	return sum / float64(len(parts))
}

// one is the objective of one part.
func (e *evaluator) one(s tunable.Scorer, p *part) float64 {
	switch e.objective {
	case Kendall:
		return e.kendall(s, p)
	case Pearson:
		e.scores = p.kept.Scores(e.scores[:0], s)
		e.metric = e.metric[:0]
		for _, h := range p.hyps {
			e.metric = append(e.metric, e.scores[h])
		}
		return e.pearson(s, p.human)
	case SystemPearson:
		e.systems(s, p)
		return e.pearson(s, p.human)
	}
	a := e.accuracy(s, p)
	return float64(a.Agree) / float64(a.Pairs)
}

func (e *evaluator) kendall(s tunable.Scorer, p *part) float64 {
	e.scores = p.kept.Scores(e.scores[:0], s)
	var above, equal int64
	for _, c := range p.pairs {
		a, b := e.scores[c.better], e.scores[c.worse]
		if a > b {
			above++
		}
		if a == b {
			equal++
		}
	}
	var c metaeval.Counts // people's relation, then the metric's: see metaeval.CountPairs
	c[2] = [3]int64{int64(len(p.pairs)) - above - equal, equal, above}
	tau, err := e.form.Tau(c, s.Info().LowerIsBetter)
	if err != nil {
		return e.objective.worst() // not with a pair
	}
	return tau
}

// pearson is the correlation of e.metric with people's.
func (e *evaluator) pearson(s tunable.Scorer, human []float64) float64 {
	// Of equal scores rounding would make a number: the mean of three times .1 is not .1.
	if slices.Min(e.metric) == slices.Max(e.metric) {
		return e.objective.worst()
	}
	r := stat.Correlation(human, metaeval.Oriented(e.metric, s.Info().LowerIsBetter), nil)
	if r != r {
		return e.objective.worst()
	}
	return max(-1, min(1, r))
}

// systems sets e.metric to the metric's scores of the systems.
func (e *evaluator) systems(s tunable.Scorer, p *part) {
	e.rows = p.kept.Append(e.rows[:0], s)
	w := s.Width()
	if n := w * len(p.human); cap(e.sums) < n {
		e.sums = make([]float64, n)
	} else {
		e.sums = e.sums[:n]
		clear(e.sums)
	}
	for i, h := range p.hyps {
		sum := e.sums[p.systems[i]*w:][:w]
		for j, x := range e.rows[h*w:][:w] {
			sum[j] += x
		}
	}
	e.metric = e.metric[:0]
	for k := range p.human {
		e.metric = append(e.metric, s.Score(e.sums[k*w:][:w]))
	}
}

// accuracy counts as metaeval.PairwiseAccuracy does.
func (e *evaluator) accuracy(s tunable.Scorer, p *part) metaeval.PairAccuracy {
	e.systems(s, p)
	metric := metaeval.Oriented(e.metric, s.Info().LowerIsBetter)
	var out metaeval.PairAccuracy
	for b := range p.human {
		for a := range b {
			x, y := cmp.Compare(p.human[a], p.human[b]), cmp.Compare(metric[a], metric[b])
			out.Pairs++
			if x == y {
				out.Agree++
			}
		}
	}
	return out
}

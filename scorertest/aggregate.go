package scorertest

import (
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// aggregatePrepare is the PrepareAggregate of an AggregateScorer, and aggregateAppend the
// Append of what it returns.
const (
	aggregatePrepare = "PrepareAggregate"
	aggregateAppend  = "PrepareAggregate's Append"
)

// checkAggregate checks a scorer's mean of references: all that is checked of Prepare, and
// what makes it a mean.
func (t *tester) checkAggregate(s mteval.AggregateScorer) {
	if t.only {
		return // it prepares other references
	}
	mean := &tester{s: t.s, info: t.info, width: t.width, hyps: t.hyps, pairs: t.pairs, refs: t.refs}
	defer t.Join(&mean.Findings)
	side := mean.rowSide()
	side.prepare, side.call = aggregatePrepare, aggregateAppend
	side.make = func(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
		return s.PrepareAggregate(ctx, refs, nil)
	}
	if !side.checkAll() {
		return
	}
	mean.Guard(aggregateAppend, func() { mean.checkMeanFinite(side.want) })
	mean.Guard(aggregatePrepare, func() { mean.checkMean(s) })
	mean.Guard(aggregatePrepare, func() { mean.checkWeights(s, side.want) })
	mean.Guard(aggregatePrepare, func() { mean.checkWeightErrors(s) })
}

// checkMeanFinite looks at rows of means, and their scores.
func (t *tester) checkMeanFinite(rows [][]float64) {
	for i, row := range rows {
		if slices.ContainsFunc(row, notFinite) || notFinite(t.s.Score(slices.Clone(row))) {
			t.Fail(aggregateAppend, rowFinite, "%v: %v, Score %v", t.pairs[i], row, t.s.Score(slices.Clone(row)))
		}
	}
}

// checkMean compares the mean of one reference, and of the same one three times, with it.
func (t *tester) checkMean(s mteval.AggregateScorer) {
	one, three := make([][]string, len(t.refs)), make([][]string, len(t.refs))
	for i, r := range t.refs {
		one[i], three[i] = r[:1:1], slices.Repeat(r[:1], 3)
	}
	want, ok := t.allRows("Prepare", prepareFails)(s.Prepare(background, cloneRefs(one)))
	if !ok {
		return
	}
	for name, refs := range map[string][][]string{"one reference": one, "the same reference three times": three} {
		if got, ok := t.allRows(aggregatePrepare, aggregateMean)(s.PrepareAggregate(background, refs, nil)); ok {
			t.near(name, got, want, aggregateMean)
		}
	}
}

// checkWeights compares weights with others that must not differ.
func (t *tester) checkWeights(s mteval.AggregateScorer, want [][]float64) {
	weigh := func(refs [][]string, weight func(r int) float64) [][]float64 {
		out := make([][]float64, len(refs))
		for i := range refs {
			for r := range refs[i] {
				out[i] = append(out[i], weight(r))
			}
		}
		return out
	}
	equal := slices.Concat(want...)[:len(t.refs)*t.width] // of identity, which is first
	one := weigh(t.refs, func(int) float64 { return 3 })
	with := func(name string, refs [][]string, weights [][]float64, want []float64) []float64 {
		kept := make([][]float64, len(weights))
		for i := range weights {
			kept[i] = slices.Clone(weights[i])
		}
		p, err := s.PrepareAggregate(background, cloneRefs(refs), weights)
		got, ok := t.allRows(aggregatePrepare, aggregateWeights)(p, err)
		if ok && want != nil {
			t.near(name, got, want, aggregateWeights)
		}
		for i := range weights {
			if !sameBits(weights[i], kept[i]) {
				t.Fail(aggregatePrepare, aggregateKeeps, "%s: %v became %v", name, kept[i], weights[i])
			}
			for r := range weights[i] {
				weights[i][r] = -1 // overwritten after the call
			}
		}
		if ok {
			if again, err := t.rowsOf(p, nil); err != nil || !sameBits(got, again) {
				t.Fail(aggregatePrepare, aggregateKeeps, "%s: weights overwritten after the call: error %v, or other rows", name, err)
			}
		}
		return got
	}
	with("weights of 3 each, and none", t.refs, one, equal)
	with("nil as each segment's weights, and none", t.refs, make([][]float64, len(t.refs)), equal)
	small := with("weights 1, 2, 3 and so on", t.refs, weigh(t.refs, func(r int) float64 { return float64(r + 1) }), nil)
	with("weights 1, 2, 3 and so on, and a thousand times as much", t.refs, weigh(t.refs, func(r int) float64 { return 1000 * float64(r+1) }), small)

	more := cloneRefs(t.refs)
	for i := range more {
		more[i] = append(more[i], t.hyps[(i+1)%len(t.hyps)])
	}
	zero := weigh(more, func(int) float64 { return 1 })
	for _, w := range zero {
		w[len(w)-1] = 0
	}
	with("a reference of weight 0, and without it", more, zero, equal)
}

// checkWeightErrors gives weights that are none.
func (t *tester) checkWeightErrors(s mteval.AggregateScorer) {
	one := func() [][]float64 {
		out := make([][]float64, len(t.refs))
		for i, r := range t.refs {
			out[i] = slices.Repeat([]float64{1}, len(r))
		}
		return out
	}
	last := len(t.refs) - 1
	for name, spoil := range map[string]func(w [][]float64) [][]float64{
		"weights of a segment too few":  func(w [][]float64) [][]float64 { return w[1:] },
		"weights of a segment too many": func(w [][]float64) [][]float64 { return append(w, []float64{1}) },
		"a weight too many":             func(w [][]float64) [][]float64 { w[last] = append(w[last], 1); return w },
		"no weights that are not nil":   func(w [][]float64) [][]float64 { w[last] = []float64{}; return w },
		"a weight below 0":              func(w [][]float64) [][]float64 { w[last][0] = -1; return w },
		"a weight that is NaN":          func(w [][]float64) [][]float64 { w[last][0] = math.NaN(); return w },
		"a weight that is infinite":     func(w [][]float64) [][]float64 { w[last][0] = math.Inf(1); return w },
		"weights that are all 0":        func(w [][]float64) [][]float64 { clear(w[last]); return w },
	} {
		if _, err := s.PrepareAggregate(background, cloneRefs(t.refs), spoil(one())); err == nil {
			t.Fail(aggregatePrepare, aggregateErrors, "%s: no error", name)
		}
	}
}

// allRows returns a function that makes the rows of the kit's hypotheses, and reports an error
// there was as one of a method and rule.
func (t *tester) allRows(where string, r rule) func(p mteval.Prepared, err error) ([]float64, bool) {
	return func(p mteval.Prepared, err error) ([]float64, bool) {
		rows, err := t.rowsOf(p, err)
		if err == nil && len(rows) != len(t.hyps)*t.width {
			t.Fail(where, r, "%d numbers for %d hypotheses and a Width of %d", len(rows), len(t.hyps), t.width)
			return nil, false
		}
		if err != nil {
			t.Fail(where, r, "%w", err)
			return nil, false
		}
		return rows, true
	}
}

// near compares rows of the kit's hypotheses to what means of small numbers can be told by.
func (t *tester) near(name string, got, want []float64, r rule) {
	const most = 1e-5
	for i := range t.hyps {
		a, b := got[i*t.width:(i+1)*t.width], want[i*t.width:(i+1)*t.width]
		for j := range a {
			if !(math.Abs(a[j]-b[j]) <= most*max(1, math.Abs(b[j]))) {
				t.Fail(aggregatePrepare, r, "%s, %v: row %v, want %v", name, pair{i, t.hyps[i]}, a, b)
				break
			}
		}
	}
}

package scorertest

import (
	"context"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tunable"
)

// statisticsPrepare is the Prepare of a Reducer's Statistics, and statisticsAppend the
// Append of what it returns.
const (
	statisticsPrepare = "Statistics' Prepare"
	statisticsAppend  = "Statistics' Append"
)

// checkReducer checks a scorer's two steps, each with one reference a segment.
func (t *tester) checkReducer(s tunable.Reducer) {
	if t.only {
		return // it prepares other references
	}
	one := &tester{s: t.s, info: t.info, width: t.width, hyps: t.hyps, pairs: t.pairs}
	for _, r := range t.refs {
		one.refs = append(one.refs, r[:1])
	}
	defer t.Join(&one.Findings)
	side := one.statisticsSide(s)
	if !side.checkAll() {
		return
	}
	one.Guard("AppendRow", func() { one.checkAppendRow(s, side.want) })
}

func (t *tester) statisticsSide(s tunable.Reducer) *side[mteval.Prepared, []float64] {
	return &side[mteval.Prepared, []float64]{
		t: t, prepare: statisticsPrepare, call: statisticsAppend, single: true,
		make: func(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
			flat := make([]string, len(refs))
			for i, r := range refs {
				flat[i] = r[0]
				refs[i] = flat[i : i+1 : i+1] // what happens to one happens to the other
			}
			return s.Statistics().Prepare(ctx, flat)
		},
		run: func(ctx context.Context, p mteval.Prepared, segs []int, hyps []string) ([][]float64, error) {
			got, err := p.Append(ctx, nil, segs, hyps)
			if err != nil {
				return nil, err
			}
			w := s.Statistics().Width()
			if w < 1 || len(got) != len(hyps)*w || slices.ContainsFunc(got, notFinite) {
				t.Fail(statisticsAppend, statistics, "%v for %d hypotheses and a Width of %d", got, len(hyps), w)
				return nil, errReported
			}
			out := make([][]float64, len(hyps))
			for k := range out {
				out[k] = got[k*w : (k+1)*w : (k+1)*w]
			}
			return out, nil
		},
		differ: differRows,
	}
}

// checkAppendRow compares rows that come from statistics, by pair, with those of Append.
func (t *tester) checkAppendRow(s tunable.Reducer, stats [][]float64) {
	const where = "AppendRow"
	statistics := s.Statistics()
	p, err := s.Prepare(background, cloneRefs(t.refs))
	if err != nil {
		t.Fail("Prepare", prepareFails, "one reference a segment: %w", err)
		return
	}
	var all []int
	for i := range t.pairs {
		all = append(all, i)
	}
	segs, hyps := t.split(all)
	rows, err := p.Append(background, nil, segs, hyps)
	if err != nil || len(rows) != len(hyps)*t.width {
		t.Fail("Append", rowWidth, "one reference a segment: %d numbers for %d hypotheses, error %w", len(rows), len(hyps), err)
		return
	}
	w := t.width
	for i, pair := range t.pairs {
		given := slices.Clone(stats[i])
		got := statistics.AppendRow(nil, given)
		if d := differRows(got, rows[i*w:(i+1)*w]); d != "" {
			t.Fail(where, reduceRow, "%v: %s for statistics %v", pair, d, stats[i])
		}
		first := slices.Clone(got)
		if again := statistics.AppendRow(nil, given); !sameBits(first, again) || !sameBits(given, stats[i]) {
			t.Fail(where, reducePure, "%v: first %v, then %v; statistics %v became %v", pair, first, again, stats[i], given)
			return
		}
		for name, dst := range dsts(w) {
			n := len(dst)
			before := slices.Clone(dst)
			if got := statistics.AppendRow(dst, given); len(got) != n+w || !sameBits(got[:n], before) || !sameBits(dst, before) || !sameBits(got[n:], first) {
				t.Fail(where, reduceAppends, "%v: dst %s held %v, what came back is %v, the row is %v", pair, name, before, got, first)
			}
		}
	}
	t.checkAppendRowAllocations(statistics, stats)
}

// checkAppendRowAllocations: the room that it makes the first time must do.
func (t *tester) checkAppendRowAllocations(statistics tunable.Statistics, stats [][]float64) {
	var dst []float64
	for _, st := range stats {
		dst = statistics.AppendRow(dst[:0], st)
	}
	if n := allocations(func() {
		for _, st := range stats[:min(len(stats), 20)] {
			dst = statistics.AppendRow(dst[:0], st)
		}
	}); n > 0 {
		t.Fail("AppendRow", reduceAllocates, "%v allocations in %d calls", n, min(len(stats), 20))
	}
}

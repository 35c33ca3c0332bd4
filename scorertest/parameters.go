package scorertest

import (
	"math"
	"slices"

	"github.com/mteval/mteval/tunable"
)

func (t *tester) checkParameters(s tunable.Scorer) {
	t.Guard("Parameters", func() { t.checkValues(s) })
	t.Guard("WithParameters", func() { t.checkWithParameters(s) })
	t.Guard("Keep", func() { t.checkKeep(s) })
	if r, ok := s.(tunable.Reducer); ok {
		t.checkReducer(r)
	}
}

func (t *tester) checkValues(s tunable.Scorer) {
	params := s.Parameters()
	if len(params) == 0 {
		t.Fail("Parameters", paramValues, "there are none")
	}
	seen := make(map[string]bool)
	for _, p := range params {
		if p.Name == "" || seen[p.Name] || !(p.Value >= p.Min && p.Value <= p.Max) {
			t.Fail("Parameters", paramValues, "%+v", p)
		}
		seen[p.Name] = true
	}
	if again := s.Parameters(); !slices.Equal(again, params) {
		t.Fail("Parameters", paramValues, "first %+v, then %+v", params, again)
	}
}

// values are those of the parameters.
func values(s tunable.Scorer) []float64 {
	var out []float64
	for _, p := range s.Parameters() {
		out = append(out, p.Value)
	}
	return out
}

// moved are other values within the ranges.
func moved(s tunable.Scorer) []float64 {
	out := values(s)
	for i, p := range s.Parameters() {
		lo, hi := max(p.Min, p.Value-1), min(p.Max, p.Value+1)
		if out[i] = lo + (hi-lo)/3; out[i] == p.Value {
			out[i] = lo + (hi-lo)/2
		}
	}
	return out
}

func (t *tester) checkWithParameters(s tunable.Scorer) {
	const where = "WithParameters"
	same, err := s.WithParameters(values(s))
	if err != nil {
		t.Fail(where, paramSame, "%v: %w", values(s), err)
		return
	}
	if info := same.Info(); !sameInfo(info, t.info) {
		t.Fail(where, paramSame, "%+v became %+v", t.info, info)
	}
	for _, sum := range t.sums() {
		if a, b := s.Score(sum.row), same.Score(sum.row); math.Float64bits(a) != math.Float64bits(b) {
			t.Fail(where, paramSame, "%s: %v became %v for %v", sum.name, a, b, sum.row)
		}
	}
	if other, err := s.WithParameters(moved(s)); err != nil {
		t.Fail(where, paramSame, "%v: %w", moved(s), err)
	} else if t.checkSameRows(s, other) {
		t.checkWrongValues(s)
	}
}

// checkSameRows compares the statistics under other parameters, with one reference a segment.
// It is false where they could not be had.
func (t *tester) checkSameRows(s, other tunable.Scorer) bool {
	const where = "WithParameters"
	var single []string
	for _, r := range t.refs {
		single = append(single, r[0])
	}
	var rows [2][]float64
	for k, scorer := range []tunable.Scorer{s, other} {
		p, err := tunable.StatisticsOf(scorer).Prepare(background, single)
		if err == nil {
			rows[k], err = p.Append(background, nil, nil, t.hyps)
		}
		if err != nil {
			if !t.only { // other references are not for all scorers
				t.Fail(where, paramRows, "%w", err)
			}
			return false
		}
	}
	if !sameBits(rows[0], rows[1]) {
		t.Fail(where, paramRows, "%v became %v with parameters %v for %v", rows[0], rows[1], moved(s), values(s))
	}
	return true
}

func (t *tester) checkWrongValues(s tunable.Scorer) {
	wrong := [][]float64{nil, append(values(s), 0)}
	for i, p := range s.Parameters() {
		for _, v := range []float64{p.Min - 1, p.Max + 1, math.NaN()} {
			if !math.IsInf(v, 0) {
				x := values(s)
				x[i] = v
				wrong = append(wrong, x)
			}
		}
	}
	for _, x := range wrong {
		if _, err := s.WithParameters(x); err == nil {
			t.Fail("WithParameters", paramErrors, "no error for %v", x)
		}
	}
}

func (t *tester) checkKeep(s tunable.Scorer) {
	if t.only {
		return // it prepares other references
	}
	segs := make([]int, len(t.pairs))
	hyps := make([]string, len(t.pairs))
	for i, p := range t.pairs {
		segs[i], hyps[i] = p.seg, p.hyp
	}
	kept, err := tunable.Keep(background, s, t.refs, segs, hyps)
	if err != nil {
		t.Fail("Keep", keepRows, "%w", err)
		return
	}
	got := kept.Append(nil, s)
	if kept.Len() != len(t.pairs) || len(got) != len(t.pairs)*t.width {
		t.Fail("Keep", keepRows, "%d rows and %d numbers for %d hypotheses", kept.Len(), len(got), len(t.pairs))
		return
	}
	w := t.width
	for i, p := range t.pairs {
		if d := differRows(got[i*w:(i+1)*w], t.rows[i]); d != "" {
			t.Fail("Keep", keepRows, "%v: %s", p, d)
		}
	}
	// Scores are those of the rows, and a selection has those of its hypotheses.
	var back []int
	for i := kept.Len() - 1; i >= 0; i-- {
		back = append(back, i)
	}
	scores, reversed := kept.Scores(nil, s), kept.Select(back).Scores(nil, s)
	slices.Reverse(reversed)
	for i, p := range t.pairs {
		want := s.Score(got[i*w : (i+1)*w])
		if len(scores) != len(t.pairs) || !sameBits(scores[i:i+1], []float64{want}) || !sameBits(reversed[i:i+1], []float64{want}) {
			t.Fail("Keep", keepRows, "%v: scores are not %v, that of its row", p, want)
			return
		}
	}
}

package scorertest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// The methods of the Pairs of a PairScorer.
const (
	pairsSet    = "Pairs' Set"
	pairsAppend = "Pairs' Append"
)

// A matrix is texts of which each is scored against each.
type matrix struct {
	texts []string
	rows  []float64 // of text h against text r at r·len(texts)+h
	all   []int
}

// matrixOf makes the rows by Prepare and Append.
func (t *tester) matrixOf(texts []string) (*matrix, bool) {
	m := &matrix{texts: texts}
	refs := make([][]string, len(texts))
	var segs []int
	var hyps []string
	for r := range texts {
		refs[r] = texts[r : r+1 : r+1]
		m.all = append(m.all, r)
		for _, h := range texts {
			segs, hyps = append(segs, r), append(hyps, h)
		}
	}
	p, err := t.s.Prepare(background, cloneRefs(refs))
	if err == nil {
		m.rows, err = p.Append(background, nil, segs, hyps)
	}
	if err != nil || len(m.rows) != len(hyps)*t.width {
		t.Fail("Append", callFails, "%d texts against each other: %d numbers, error %w", len(texts), len(m.rows), err)
		return nil, false
	}
	return m, true
}

// row is that of a text against another.
func (m *matrix) row(width, r, h int) []float64 {
	at := (r*len(m.texts) + h) * width
	return m.rows[at : at+width]
}

// someTexts are hypotheses and references of the kit, of both the same ones.
func (t *tester) someTexts() []string {
	var out []string
	for i := range min(len(t.hyps), 10) {
		out = append(out, t.hyps[i], t.refs[i][0])
	}
	return append(out, t.hyps[len(t.hyps)-1], "", out[0])
}

// checkPairs checks a scorer's Pairs beside its Prepare and Append.
func (t *tester) checkPairs(s mteval.PairScorer) {
	p := s.NewPairs()
	if t.only || p == nil {
		return // it prepares other references, or there is no faster way
	}
	m, ok := t.matrixOf(t.someTexts())
	if !ok {
		return
	}
	if !t.setPairs(p, m, pairsFails, "texts") || !t.samePairs(p, m, pairsAppend, pairsRow, "texts") {
		return
	}
	t.Guard(pairsAppend, func() { t.checkPairsDst(p, m) })
	t.Guard(pairsAppend, func() { t.checkPairsIndex(p, m) })
	t.Guard(pairsAppend, func() { t.checkPairsCancelled(p, m) })
	t.Together(pairsAppend, 4, func(int) { t.samePairs(p, m, pairsAppend, pairsConcurrent, "several goroutines") })
	t.Guard(pairsSet, func() { t.checkSet(s, p, m) })
	t.Guard(pairsSet, func() { t.checkSetCancelled(p, m) })
}

// setPairs sets texts, which are overwritten then.
func (t *tester) setPairs(p mteval.Pairs, m *matrix, r rule, what string) bool {
	texts := slices.Clone(m.texts)
	err := p.Set(background, texts)
	if !slices.Equal(texts, m.texts) {
		t.Fail(pairsSet, pairsKeeps, "%s: %.60q became %.60q", what, m.texts, texts)
	}
	for i := range texts {
		texts[i] = "overwritten after the call"
	}
	if err != nil {
		t.Fail(pairsSet, r, "%s: %w", what, err)
	}
	return err == nil
}

// samePairs compares the rows of all pairs.
func (t *tester) samePairs(p mteval.Pairs, m *matrix, where string, rule rule, what string) bool {
	ok := true
	check := func(r int, hyps []int) {
		kept := slices.Clone(hyps)
		got, err := p.Append(background, nil, r, hyps)
		if !slices.Equal(hyps, kept) {
			t.Fail(where, rule, "%s: hyps %v became %v", what, kept, hyps)
			copy(hyps, kept)
		}
		if err != nil || len(got) != len(hyps)*t.width {
			t.Fail(where, rule, "%s, text %d: %d numbers for %d texts and a Width of %d, error %w", what, r, len(got), len(hyps), t.width, err)
			ok = false
			return
		}
		for k, h := range hyps {
			if d := differRows(got[k*t.width:(k+1)*t.width], m.row(t.width, r, h)); d != "" {
				t.Fail(where, rule, "%s, reference %.60q, hypothesis %.60q: %s", what, m.texts[r], m.texts[h], d)
				ok = false
			}
		}
	}
	backwards := slices.Clone(m.all)
	slices.Reverse(backwards)
	for r := range m.texts {
		hyps := slices.Clone(m.all)
		if r%2 == 1 {
			hyps = append(backwards[r:len(backwards):len(backwards)], r, r) // some, in another order
		}
		check(r, hyps)
	}
	check(0, nil)
	return ok
}

func (t *tester) checkPairsDst(p mteval.Pairs, m *matrix) {
	for name, dst := range dsts(len(m.all) * t.width) {
		n, before := len(dst), slices.Clone(dst)
		got, err := p.Append(background, dst, 1, m.all)
		if err != nil || len(got) != n+len(m.all)*t.width {
			t.Fail(pairsAppend, pairsAppends, "dst of %d, %s, is %d long after %d texts, error %w", n, name, len(got), len(m.all), err)
			continue
		}
		if !sameBits(got[:n], before) || !sameBits(dst, before) {
			t.Fail(pairsAppend, pairsAppends, "dst %s held %v, then %v, what came back starts with %v", name, before, dst, got[:n])
		}
		if want := m.rows[len(m.all)*t.width:][:len(m.all)*t.width]; !sameBits(got[n:], want) {
			t.Fail(pairsAppend, pairsAppends, "dst %s: %s", name, differRows(got[n:], want))
		}
	}
}

// checkPairsIndex asks for texts that are not there.
func (t *tester) checkPairsIndex(p mteval.Pairs, m *matrix) {
	n := len(m.texts)
	for _, c := range []struct {
		ref  int
		hyps []int
	}{
		{-1, m.all}, {n, m.all}, {math.MaxInt, nil}, {0, []int{-1}}, {0, []int{0, 1, n}}, {0, []int{math.MinInt, 0}},
	} {
		t.noPairs(p, pairsIndex, c.ref, c.hyps, "texts")
	}
}

// noPairs wants an error of Append, and dst as it was.
func (t *tester) noPairs(p mteval.Pairs, r rule, ref int, hyps []int, what string) {
	t.Guard(pairsAppend, func() {
		dst := slices.Clone(prefix)
		if got, err := p.Append(background, dst, ref, hyps); err == nil || !sameBits(got, prefix) || !sameBits(dst, prefix) {
			t.Fail(pairsAppend, r, "%s, reference %d, hypotheses %v: dst held %v, then %v, what came back is %v, error %v", what, ref, hyps, prefix, dst, got, err)
		}
	})
}

func (t *tester) checkPairsCancelled(p mteval.Pairs, m *matrix) {
	many := slices.Repeat(m.all, 20)
	run := func(ctx context.Context) { _, _ = p.Append(ctx, nil, 0, many) }
	contexts := cancelledContexts()
	for _, after := range kit.Looks(run) {
		contexts = append(contexts, namedContext{"a ctx cancelled on the way", kit.NewCountdown(after), context.Canceled})
	}
	want := slices.Repeat(m.rows[:len(m.all)*t.width], 20)
	for _, c := range contexts {
		dst := slices.Clone(prefix)
		got, err := p.Append(c.ctx, dst, 0, many)
		switch {
		case err == nil && (len(got) < len(prefix) || !sameBits(got[len(prefix):], want)):
			t.Fail(pairsAppend, pairsCancelled, "%s, no error, and rows that are not right", c.name)
		case err != nil && (!errors.Is(err, c.want) || !sameBits(got, prefix) || !sameBits(dst, prefix)):
			t.Fail(pairsAppend, pairsCancelled, "%s: error %v, want %v; dst held %v, what came back is %v", c.name, err, c.want, prefix, got)
		}
	}
	t.samePairs(p, m, pairsAppend, pairsCancelled, "after cancelled calls")
}

// checkSet sets other texts, fewer ones and none, and uses other Pairs beside these.
func (t *tester) checkSet(s mteval.PairScorer, p mteval.Pairs, m *matrix) {
	reversed := slices.Clone(m.texts)
	slices.Reverse(reversed)
	for name, texts := range map[string][]string{"fewer texts": reversed[:3], "other texts": reversed} {
		other, ok := t.matrixOf(texts)
		if !ok || !t.setPairs(p, other, pairsAgain, name) || !t.samePairs(p, other, pairsSet, pairsAgain, name) {
			return
		}
	}
	if !t.setPairs(p, &matrix{}, pairsAgain, "no text") {
		return
	}
	t.noPairs(p, pairsIndex, 0, nil, "no text")
	t.noPairs(s.NewPairs(), pairsIndex, 0, []int{0}, "before Set")
	if !t.setPairs(p, m, pairsAgain, "texts again") {
		return
	}
	if other, ok := t.matrixOf(reversed[:2]); ok {
		beside := s.NewPairs()
		t.setPairs(beside, other, pairsAgain, "other Pairs")
		t.samePairs(beside, other, pairsSet, pairsAgain, "other Pairs")
	}
	t.samePairs(p, m, pairsSet, pairsAgain, "texts again, and other Pairs since")
}

// checkSetCancelled: after a Set that was stopped no text is there.
func (t *tester) checkSetCancelled(p mteval.Pairs, m *matrix) {
	contexts := cancelledContexts()
	for _, after := range kit.Looks(func(ctx context.Context) { _ = p.Set(ctx, slices.Clone(m.texts)) }) {
		contexts = append(contexts, namedContext{"a ctx cancelled on the way", kit.NewCountdown(after), context.Canceled})
	}
	for i, c := range contexts {
		if i > 0 && !t.setPairs(p, m, setCancelled, "after a Set that was stopped") {
			return
		}
		switch err := p.Set(c.ctx, slices.Clone(m.texts)); {
		case err == nil:
			t.samePairs(p, m, pairsSet, setCancelled, c.name+", and no error")
		case !errors.Is(err, c.want):
			t.Fail(pairsSet, setCancelled, "%s: error %v, want %v", c.name, err, c.want)
		default:
			if got, err := p.Append(background, nil, 0, []int{0}); err == nil {
				t.Fail(pairsSet, setCancelled, "%s, then Append gives %v", c.name, got)
			}
		}
	}
	// Stopped in the middle of a long text too, of which nothing may be left.
	long := append(slices.Clone(m.texts[:2]), strings.Repeat("one long text that goes on, and on, ", 400))
	for _, after := range kit.Looks(func(ctx context.Context) { _ = p.Set(ctx, slices.Clone(long)) }) {
		err := p.Set(kit.NewCountdown(after), slices.Clone(long))
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, mteval.ErrTooLong) {
			t.Fail(pairsSet, setCancelled, "a ctx cancelled on the way, with a long text: error %v, want %v", err, context.Canceled)
		}
		if t.setPairs(p, m, setCancelled, "after a Set that was stopped") {
			t.samePairs(p, m, pairsSet, setCancelled, "after a Set that was stopped")
		}
	}
}

// checkSymmetric compares sentence scores both ways.
func (t *tester) checkSymmetric(s mteval.SymmetricScorer) {
	const where = "Symmetric"
	symmetric := s.Symmetric()
	if again := s.Symmetric(); again != symmetric {
		t.Fail(where, infoSame, "first %v, then %v", symmetric, again)
	}
	if !symmetric || t.only {
		return
	}
	m, ok := t.matrixOf(t.someTexts())
	if !ok {
		return
	}
	for r := range m.texts {
		for h := range r {
			one, other := t.s.Score(slices.Clone(m.row(t.width, r, h))), t.s.Score(slices.Clone(m.row(t.width, h, r)))
			if !sameBits([]float64{one}, []float64{other}) {
				t.Fail(where, symmetricScores, "%.60q and %.60q: %v, and %v", m.texts[h], m.texts[r], one, other)
			}
		}
	}
}

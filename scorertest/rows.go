package scorertest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// rowSide is the way from references and hypotheses to rows.
func (t *tester) rowSide() *side[mteval.Prepared, []float64] {
	return &side[mteval.Prepared, []float64]{
		t: t, prepare: "Prepare", call: "Append",
		make: t.s.Prepare,
		run: func(ctx context.Context, p mteval.Prepared, segs []int, hyps []string) ([][]float64, error) {
			rows, err := p.Append(ctx, nil, segs, hyps)
			if err != nil {
				if len(rows) != 0 {
					t.Fail("Append", dstOnError, "dst nil became %d numbers, with the error %w", len(rows), err)
				}
				return nil, err
			}
			return t.cut(rows, len(hyps))
		},
		differ: differRows,
	}
}

// cut returns the n rows that stand one after another.
func (t *tester) cut(rows []float64, n int) ([][]float64, error) {
	w := t.width
	if len(rows) != n*w {
		t.Fail("Append", rowWidth, "%d numbers for %d hypotheses and a Width of %d", len(rows), n, w)
		return nil, errReported
	}
	out := make([][]float64, n)
	for k := range out {
		out[k] = slices.Clone(rows[k*w : (k+1)*w])
	}
	return out, nil
}

// differRows says where two rows differ in any bit.
func differRows(got, want []float64) string {
	if sameBits(got, want) {
		return ""
	}
	return fmt.Sprintf("row %v, want %v", got, want)
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// prefix is what dst holds before: numbers of all sorts that must come through.
var prefix = []float64{1.5, math.Copysign(0, -1), math.Float64frombits(0x7ff8_0000_dead_beef), math.Inf(1), -7}

// dsts returns slices that hold prefix, with room behind it or not. The room is
// full of garbage.
func dsts(room int) map[string][]float64 {
	dirty := append(slices.Clone(prefix), make([]float64, room+9)...)
	for i := range dirty[len(prefix):] {
		dirty[len(prefix)+i] = math.NaN()
	}
	little := slices.Clone(dirty)
	n := len(prefix)
	return map[string][]float64{
		"without room":       slices.Clip(slices.Clone(prefix)),
		"with room":          dirty[:n],
		"with a little room": little[: n : n+min(room, 3)],
		"empty with room":    slices.Clone(dirty[n:])[:0],
	}
}

func (t *tester) checkDst(p mteval.Prepared) {
	of := t.identity()
	segs, hyps := t.split(of)
	w := t.width
	for name, dst := range dsts(len(of) * w) {
		n, before := len(dst), slices.Clone(dst)
		rows, err := p.Append(background, dst, segs, hyps)
		if err != nil {
			t.Fail("Append", callFails, "dst %s: %w", name, err)
			continue
		}
		if len(rows) != n+len(of)*w {
			t.Fail("Append", rowWidth, "dst of %d, %s, is %d long after %d hypotheses, Width is %d", n, name, len(rows), len(of), w)
			continue
		}
		if !sameBits(rows[:n], before) || !sameBits(dst, before) {
			t.Fail("Append", dstPrefix, "dst %s held %v, then %v, what came back starts with %v", name, before, dst, rows[:n])
		}
		for k, i := range of {
			if d := differRows(rows[n+k*w:n+(k+1)*w], t.rows[i]); d != "" {
				t.Fail("Append", dstSpare, "dst %s, %v: %s", name, t.pairs[i], d)
			}
		}
	}
}

func (t *tester) checkDstOnError(p mteval.Prepared) {
	type call struct {
		badCall
		ctx func() context.Context
	}
	var calls []call
	for _, c := range t.badCalls() {
		calls = append(calls, call{c, func() context.Context { return background }})
	}
	segs, hyps := t.split(t.many(4))
	for _, c := range cancelledContexts() {
		calls = append(calls, call{badCall{c.name, callCancelled, c.want, segs, hyps}, func() context.Context { return c.ctx }})
	}
	for _, after := range kit.Looks(func(ctx context.Context) { _, _ = p.Append(ctx, nil, segs, hyps) }) {
		calls = append(calls, call{badCall{"a ctx cancelled on the way", callCancelled, context.Canceled, segs, hyps},
			func() context.Context { return kit.NewCountdown(after) }})
	}
	for _, c := range calls {
		for name, dst := range dsts(len(c.hyps) * t.width) {
			t.Guard("Append", func() {
				before := slices.Clone(dst)
				got, err := p.Append(c.ctx(), dst, c.segs, c.hyps)
				if err == nil {
					return // told elsewhere, where it is wrong
				}
				if !sameBits(got, before) || !sameBits(dst, before) {
					t.Fail("Append", dstOnError, "%s, dst %s held %v, then %v, what came back is %v", c.name, name, before, dst, got)
				}
			})
		}
	}
}

func (t *tester) checkFinite() {
	for i, row := range t.rows {
		if slices.ContainsFunc(row, notFinite) {
			t.Fail("Append", rowFinite, "%v: %v", t.pairs[i], row)
		}
	}
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// A sum is a row that Score must take, and what it is.
type sum struct {
	name string
	row  []float64
}

// sums returns each row alone, their sum, none, and bootstrap samples.
func (t *tester) sums() []sum {
	out := []sum{{"no row", make([]float64, t.width)}}
	add := func(name string, of []int) {
		row := make([]float64, t.width)
		for _, i := range of {
			for j, x := range t.rows[i] {
				row[j] += x
			}
		}
		out = append(out, sum{name, row})
	}
	for i := range t.rows {
		add(t.pairs[i].String(), []int{i})
	}
	add("all segments", t.identity())
	rng := rand.New(rand.NewPCG(5, 0))
	for range 20 {
		of := make([]int, len(t.refs))
		for k := range of {
			of[k] = rng.IntN(len(of))
		}
		add(fmt.Sprintf("the sum of the rows of segments %v", of), of)
	}
	return out
}

func (t *tester) checkScore() {
	const where = "Score"
	sums := t.sums()
	scores := make([]float64, len(sums))
	for i, s := range sums {
		row := slices.Clone(s.row)
		scores[i] = t.s.Score(row)
		if !sameBits(row, s.row) {
			t.Fail(where, scoreRow, "%s: %v became %v", s.name, s.row, row)
		}
		if notFinite(scores[i]) {
			t.Fail(where, scoreFinite, "%s: %v for %v", s.name, scores[i], s.row)
		}
	}
	again := func() {
		t.Guard(where, func() {
			for i, s := range slices.Backward(sums) {
				for range 2 {
					got := t.s.Score(slices.Clone(s.row))
					if math.Float64bits(got) != math.Float64bits(scores[i]) {
						t.Fail(where, scorePure, "%s: first %v, then %v for %v", s.name, scores[i], got, s.row)
					}
				}
			}
		})
	}
	again()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(again)
	}
	wg.Wait()
	for _, row := range t.wrongRows() {
		if !panics(func() { t.s.Score(row) }) {
			t.Fail(where, scorePanics, "a row of %d numbers, Width is %d", len(row), t.width)
		}
	}

	row := slices.Clone(sums[len(sums)-1].row)
	if n := allocations(func() { t.s.Score(row) }); n > 0 {
		t.Fail(where, scoreAllocates, "%v allocations a call", n)
	}
}

// allocations is the least of a few measurements: what other goroutines allocate
// is counted too.
func allocations(f func()) float64 {
	least := math.Inf(1)
	for i := 0; i < 3 && least > 0; i++ {
		least = min(least, testing.AllocsPerRun(100, f))
	}
	return least
}

func (t *tester) wrongRows() [][]float64 {
	w := t.width
	rows := [][]float64{nil, make([]float64, w+1), make([]float64, 2*w), make([]float64, w-1, w)}
	return slices.DeleteFunc(rows, func(row []float64) bool { return len(row) == w })
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// systems returns the hypotheses as one system and two others that differ.
func (t *tester) systems() []mteval.System {
	n := len(t.hyps)
	rotated := append(slices.Clone(t.hyps[n/3:]), t.hyps[:n/3]...)
	copied := make([]string, n)
	for i := range copied {
		copied[i] = t.refs[i][0]
	}
	return []mteval.System{{Name: "a", Hyps: t.hyps}, {Name: "b", Hyps: rotated}, {Name: "c", Hyps: copied}}
}

// checkCorpora checks that what is built on rows gives what rows give.
func (t *tester) checkCorpora() {
	systems := t.systems()
	table, err := mteval.Systems(background, t.s, cloneRefs(t.refs), systems)
	if err != nil {
		t.Fail("Systems", systemsRows, "%w", err)
		return
	}
	for k, system := range systems {
		r, err := mteval.Corpus(background, t.s, cloneRefs(t.refs), slices.Clone(system.Hyps))
		if err != nil {
			t.Fail("Corpus", corpusSum, "%w", err)
			return
		}
		if len(r.Rows) != len(t.refs)*t.width {
			t.Fail("Append", rowWidth, "%d numbers for %d hypotheses and a Width of %d", len(r.Rows), len(t.refs), t.width)
			return
		}
		row := make([]float64, t.width)
		for i := range t.refs {
			segment := r.Row(i)
			for j, x := range segment {
				row[j] += x
			}
			if k == 0 {
				if d := differRows(segment, t.rows[i]); d != "" {
					t.Fail("Corpus", corpusSum, "%v: %s", t.pairs[i], d)
				}
			}
			if d := differRows(table.Row(k, i), segment); d != "" {
				t.Fail("Systems", systemsRows, "system %s, %v: %s", system.Name, pair{i, system.Hyps[i]}, d)
			}
		}
		if score := t.s.Score(row); !sameBits([]float64{r.Score}, []float64{score}) {
			t.Fail("Corpus", corpusSum, "system %s scores %v, the sum of its rows, %v, scores %v", system.Name, r.Score, row, score)
		}
	}
	if !t.only {
		r, err := mteval.Corpus(background, t.s, nil, nil)
		switch {
		case err != nil:
			t.Fail("Corpus", corpusSum, "no segment: %w", err)
		case !sameBits([]float64{r.Score}, []float64{t.s.Score(make([]float64, t.width))}):
			t.Fail("Corpus", corpusSum, "no segment scores %v", r.Score)
		}
	}
}

func (t *tester) checkPRF(s mteval.PRFScorer) {
	const where = "PRF"
	sums := t.sums()
	first := make([]mteval.PRF, len(sums))
	numbers := func(p mteval.PRF) []float64 { return []float64{p.P, p.R, p.F} }
	for i, sum := range sums {
		row := slices.Clone(sum.row)
		first[i] = s.PRF(row)
		if !sameBits(row, sum.row) {
			t.Fail(where, prfPure, "%s: %v became %v", sum.name, sum.row, row)
		}
		if slices.ContainsFunc(numbers(first[i]), notFinite) {
			t.Fail(where, prfFinite, "%s: %+v for %v", sum.name, first[i], sum.row)
		}
		if score := s.Score(slices.Clone(sum.row)); math.Float64bits(score) != math.Float64bits(first[i].F) {
			t.Fail(where, prfScore, "%s: Score is %v, F %v for %v", sum.name, score, first[i].F, sum.row)
		}
	}
	for i, sum := range slices.Backward(sums) {
		if again := s.PRF(slices.Clone(sum.row)); !sameBits(numbers(again), numbers(first[i])) {
			t.Fail(where, prfPure, "%s: first %+v, then %+v for %v", sum.name, first[i], again, sum.row)
		}
	}
	for _, row := range t.wrongRows() {
		if !panics(func() { s.PRF(row) }) {
			t.Fail(where, prfPanics, "a row of %d numbers, Width is %d", len(row), t.width)
		}
	}
}

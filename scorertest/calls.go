package scorertest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// A side is one of the ways to a score, with what they have in common: the
// references are prepared (Prepare, PrepareMatch, Statistics' Prepare), then hypotheses are
// put to what comes out (Append, Match), which gives a T for each.
type side[P interface{ Len() int }, T any] struct {
	t             *tester
	prepare, call string // the methods' names
	single        bool   // a segment can't be without a reference
	make          func(ctx context.Context, refs [][]string) (P, error)
	run           func(ctx context.Context, p P, segs []int, hyps []string) ([]T, error)
	differ        func(got, want T) string

	p    P
	want []T // by pair

	// broken is set where batches do not give what their hypotheses give one
	// by one. Checks of other things that compare batches are left out then:
	// they would find the same once more and call it something else.
	broken bool
}

var background = context.Background()

// prepared prepares the references, and says whether that went well.
func (s *side[P, T]) prepared() (ok bool) {
	s.t.Guard(s.prepare, func() {
		p, err := s.make(background, cloneRefs(s.t.refs))
		if err != nil {
			s.t.Fail(s.prepare, prepareFails, "%d segments: %w", len(s.t.refs), err)
			return
		}
		if n := p.Len(); n != len(s.t.refs) {
			s.t.Fail(s.prepare, prepareLen, "%d for %d segments", n, len(s.t.refs))
			return
		}
		s.p, ok = p, true
	})
	return ok
}

// checkAll runs all checks, and says whether there is anything to go on with.
func (s *side[P, T]) checkAll() (ok bool) {
	if !s.prepared() {
		return false
	}
	s.t.Guard(s.call, func() { ok = s.oneByOne() })
	if !ok {
		return false
	}
	s.t.Guard(s.call, s.checkErrors)
	if !s.single {
		s.t.Guard(s.prepare, s.checkNoReference)
	}
	s.t.Guard(s.call, s.checkBatches)
	s.broken = s.t.Found(s.call, noPanic, callFails, callBatch, callNilSegs)
	if s.broken {
		return true
	}
	s.t.Guard(s.call, s.checkKeeps)
	s.t.Guard(s.call, s.checkCancelled)
	s.t.Guard(s.prepare, s.checkRefs)
	s.t.Guard(s.prepare, s.checkZero)
	s.t.Guard(s.prepare, s.checkPrepareCancelled)
	s.checkConcurrent()
	s.t.Guard("Info", s.t.checkInfoAgain)
	return true
}

// do runs hypotheses, sees that neither they nor the segments are changed, and
// then overwrites both, as a caller may: what keeps them comes out wrong later.
func (s *side[P, T]) do(ctx context.Context, p P, segs []int, hyps []string, what string) ([]T, bool) {
	segs, hyps = slices.Clone(segs), slices.Clone(hyps)
	keptSegs, keptHyps := slices.Clone(segs), slices.Clone(hyps)
	got, err := s.run(ctx, p, segs, hyps)
	for k := range hyps {
		switch {
		case hyps[k] != keptHyps[k]:
			s.t.Fail(s.call, callInput, "%s, place %d of %d: hypothesis %.60q became %.60q", what, k, len(hyps), keptHyps[k], hyps[k])
		case segs != nil && segs[k] != keptSegs[k]:
			s.t.Fail(s.call, callInput, "%s, place %d of %d: segment %d became %d", what, k, len(hyps), keptSegs[k], segs[k])
		}
	}
	for i := range segs {
		segs[i] = -1
	}
	for i := range hyps {
		hyps[i] = "overwritten after the call"
	}
	if err == errReported {
		return nil, false
	}
	if err != nil {
		s.t.Fail(s.call, callFails, "%s: %w", what, err)
		return nil, false
	}
	return got, true
}

// errReported is returned where what is wrong was told already.
var errReported = errors.New("reported")

// split returns the segments and hypotheses of pairs.
func (t *tester) split(of []int) (segs []int, hyps []string) {
	segs, hyps = make([]int, len(of)), make([]string, len(of))
	for k, i := range of {
		segs[k], hyps[k] = t.pairs[i].seg, t.pairs[i].hyp
	}
	return segs, hyps
}

// same runs pairs in one call and compares what comes with what they gave one by
// one.
func (s *side[P, T]) same(p P, of []int, where string, r rule, what string) {
	segs, hyps := s.t.split(of)
	got, ok := s.do(background, p, segs, hyps, what)
	if ok {
		s.compare(got, of, where, r, what)
	}
}

func (s *side[P, T]) compare(got []T, of []int, where string, r rule, what string) {
	for k, i := range of {
		if d := s.differ(got[k], s.want[i]); d != "" {
			s.t.Fail(where, r, "%s, place %d of %d, %v: %s", what, k, len(of), s.t.pairs[i], d)
		}
	}
}

func (s *side[P, T]) oneByOne() bool {
	s.want = make([]T, len(s.t.pairs))
	for i, p := range s.t.pairs {
		got, ok := s.do(background, s.p, []int{p.seg}, []string{p.hyp}, p.String())
		if !ok {
			return false
		}
		s.want[i] = got[0]
	}
	return true
}

// identity is every hypothesis with its own segment.
func (t *tester) identity() []int {
	of := make([]int, len(t.refs))
	for i := range of {
		of[i] = i
	}
	return of
}

// many is more pairs than fit in the blocks that implementations work in, in no
// order and with repetitions.
func (t *tester) many(seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0))
	of := make([]int, 0, 700)
	for len(of) < 600 {
		if i := rng.IntN(len(t.pairs)); rng.IntN(4) == 0 && len(of) > 0 {
			of = append(of, of[len(of)-1])
		} else {
			of = append(of, i)
		}
	}
	return of
}

func (s *side[P, T]) checkBatches() {
	all := make([]int, len(s.t.pairs))
	for i := range all {
		all[i] = i
	}
	s.same(s.p, all, s.call, callBatch, "a batch")
	slices.Reverse(all)
	s.same(s.p, all, s.call, callBatch, "a batch in reverse")
	s.same(s.p, s.t.many(2), s.call, callBatch, "a batch in no order with repetitions")
	s.same(s.p, nil, s.call, callBatch, "no hypothesis")

	got, ok := s.do(background, s.p, nil, s.t.hyps, "segs nil")
	if ok {
		s.compare(got, s.t.identity(), s.call, callNilSegs, "segs nil")
	}
}

// checkKeeps reuses the same slices, with other contents, from call to call.
func (s *side[P, T]) checkKeeps() {
	segs, hyps := make([]int, 1), make([]string, 1)
	for _, i := range s.t.identity() {
		segs[0], hyps[0] = s.t.pairs[i].seg, s.t.pairs[i].hyp
		got, err := s.run(background, s.p, segs, hyps)
		if err != nil {
			s.t.Fail(s.call, callFails, "the same slices with other contents: %w", err)
			return
		}
		s.compare(got, []int{i}, s.call, callKeeps, "the same slices with other contents")
	}
}

// A badCall is one that must fail.
type badCall struct {
	name string
	rule rule
	want error
	segs []int
	hyps []string
}

func (t *tester) badCalls() []badCall {
	n := len(t.refs)
	segs := t.identity()
	last := func(seg int) []int {
		out := slices.Clone(segs)
		out[n-1] = seg
		return out
	}
	one := t.hyps[:1]
	calls := []badCall{
		{"segs nil and a hypothesis too few", callLength, mteval.ErrLength, nil, t.hyps[:n-1]},
		{"segs nil and a hypothesis too many", callLength, mteval.ErrLength, nil, append(slices.Clone(t.hyps), "")},
		{"a hypothesis fewer than segments", callLength, mteval.ErrLength, segs, t.hyps[:n-1]},
		{"a hypothesis more than segments", callLength, mteval.ErrLength, segs, append(slices.Clone(t.hyps), "")},
		{"segs empty and not nil with hypotheses", callLength, mteval.ErrLength, []int{}, t.hyps},
		{"segment -1", callSegment, mteval.ErrSegment, []int{-1}, one},
		{"segment MinInt", callSegment, mteval.ErrSegment, []int{math.MinInt}, one},
		{"segment Len", callSegment, mteval.ErrSegment, []int{n}, one},
		{"segment MaxInt", callSegment, mteval.ErrSegment, []int{math.MaxInt}, one},
		{"last segment -1", callSegment, mteval.ErrSegment, last(-1), t.hyps},
		{"last segment Len", callSegment, mteval.ErrSegment, last(n), t.hyps},
	}
	return calls
}

func (s *side[P, T]) checkErrors() {
	for _, c := range s.t.badCalls() {
		s.t.Guard(s.call, func() {
			_, err := s.run(background, s.p, slices.Clone(c.segs), slices.Clone(c.hyps))
			if err != errReported && !errors.Is(err, c.want) {
				s.t.Fail(s.call, c.rule, "%s (%d segments, %d hypotheses): error %v, want %v", c.name, len(s.t.refs), len(c.hyps), err, c.want)
			}
		})
	}
}

func (s *side[P, T]) checkCancelled() {
	of := s.t.many(3)
	segs, hyps := s.t.split(of)
	for _, c := range cancelledContexts() {
		_, err := s.run(c.ctx, s.p, slices.Clone(segs), slices.Clone(hyps))
		if err != errReported && !errors.Is(err, c.want) {
			s.t.Fail(s.call, callCancelled, "%s and %d hypotheses: error %v, want %v", c.name, len(hyps), err, c.want)
		}
	}
	// Cancelled on the way it may be too late to stop, but there is no third
	// way.
	for _, after := range kit.Looks(func(ctx context.Context) { _, _ = s.run(ctx, s.p, slices.Clone(segs), slices.Clone(hyps)) }) {
		got, err := s.run(kit.NewCountdown(after), s.p, slices.Clone(segs), slices.Clone(hyps))
		switch {
		case err == nil:
			s.compare(got, of, s.call, callCancelled, "ctx cancelled on the way and no error")
		case err != errReported && !errors.Is(err, context.Canceled):
			s.t.Fail(s.call, callCancelled, "ctx cancelled on the way: error %v, want %v", err, context.Canceled)
		}
	}
	// Nothing may be left of a call that was stopped.
	s.same(s.p, s.t.identity(), s.call, callCancelled, "after cancelled calls")
}

// namedContext is a context that is done, and why.
type namedContext struct {
	name string
	ctx  context.Context
	want error
}

func cancelledContexts() []namedContext {
	cancelled, cancel := context.WithCancel(background)
	cancel()
	late, cancel := context.WithDeadline(background, time.Unix(0, 0))
	cancel()
	return []namedContext{
		{"a cancelled ctx", cancelled, context.Canceled},
		{"a ctx with a deadline that is past", late, context.DeadlineExceeded},
	}
}

func (s *side[P, T]) checkNoReference() {
	n := len(s.t.refs)
	for _, at := range slices.Compact([]int{0, n / 2, n - 1}) {
		for _, empty := range [][]string{nil, {}} {
			refs := cloneRefs(s.t.refs)
			refs[at] = empty
			_, err := s.make(background, refs)
			var segment *mteval.SegmentError
			if !errors.As(err, &segment) || segment.Segment != at || !errors.Is(err, mteval.ErrNoReference) {
				s.t.Fail(s.prepare, prepareNoReference, "segment %d of %d has none: error %v (%T)", at, n, err, err)
			}
		}
	}
}

// checkRefs prepares from slices that are then overwritten, and prepares other
// references in between.
func (s *side[P, T]) checkRefs() {
	refs := cloneRefs(s.t.refs)
	p, err := s.make(background, refs)
	if err != nil {
		s.t.Fail(s.prepare, prepareFails, "a second time: %w", err)
		return
	}
	for i := range refs {
		if !slices.Equal(refs[i], s.t.refs[i]) {
			s.t.Fail(s.prepare, prepareInput, "segment %d: %.60q became %.60q", i, s.t.refs[i], refs[i])
		}
		for k := range refs[i] {
			refs[i][k] = "overwritten after Prepare"
		}
		refs[i] = []string{"so is this"}
	}
	s.same(p, s.t.identity(), s.prepare, prepareKeeps, "refs overwritten after the call")

	other := cloneRefs(s.t.refs)
	if !s.t.only {
		slices.Reverse(other)
		other = append(other, []string{"one more segment"})
	}
	if _, err := s.make(background, other); err != nil {
		s.t.Fail(s.prepare, prepareFails, "the same references in reverse: %w", err)
	}
	s.same(s.p, s.t.identity(), s.prepare, prepareOthers, "other references were prepared since")
	s.same(p, s.t.identity(), s.prepare, prepareOthers, "other references were prepared since")
}

func (s *side[P, T]) checkZero() {
	if s.t.only {
		return
	}
	for _, refs := range [][][]string{nil, {}} {
		p, err := s.make(background, refs)
		if err != nil {
			s.t.Fail(s.prepare, prepareZero, "%w", err)
			continue
		}
		if n := p.Len(); n != 0 {
			s.t.Fail(s.prepare, prepareLen, "%d for no segment", n)
		}
		if got, err := s.run(background, p, nil, nil); err != errReported && (err != nil || len(got) != 0) {
			s.t.Fail(s.prepare, prepareZero, "%s of no hypothesis gives %d, error %v", s.call, len(got), err)
		}
		if _, err := s.run(background, p, []int{0}, []string{"a"}); err != errReported && !errors.Is(err, mteval.ErrSegment) {
			s.t.Fail(s.call, callSegment, "segment 0 of none: error %v, want %v", err, mteval.ErrSegment)
		}
	}
}

func (s *side[P, T]) checkPrepareCancelled() {
	// Several times over, so that there are blocks to stop between.
	refs := cloneRefs(s.t.refs)
	for !s.t.only && len(refs) < 600 {
		refs = append(refs, cloneRefs(s.t.refs)...)
	}
	for _, c := range cancelledContexts() {
		if _, err := s.make(c.ctx, cloneRefs(refs)); !errors.Is(err, c.want) {
			s.t.Fail(s.prepare, prepareCancelled, "%s and %d segments: error %v, want %v", c.name, len(refs), err, c.want)
		}
	}
	for _, after := range kit.Looks(func(ctx context.Context) { _, _ = s.make(ctx, cloneRefs(s.t.refs)) }) {
		p, err := s.make(kit.NewCountdown(after), cloneRefs(s.t.refs))
		switch {
		case err == nil:
			s.same(p, s.t.identity(), s.prepare, prepareCancelled, "ctx cancelled on the way and no error")
		case !errors.Is(err, context.Canceled):
			s.t.Fail(s.prepare, prepareCancelled, "ctx cancelled on the way: error %v, want %v", err, context.Canceled)
		}
	}
}

// checkConcurrent uses the same prepared references from several goroutines while
// others prepare their own.
func (s *side[P, T]) checkConcurrent() {
	const workers = 4
	s.t.Together(s.call, workers, func(w int) {
		p := s.p
		if w == 0 {
			var err error
			if p, err = s.make(background, cloneRefs(s.t.refs)); err != nil {
				s.t.Fail(s.call, callConcurrent, "%s beside %s: %w", s.prepare, s.call, err)
				return
			}
		}
		of := s.t.identity()
		rotated := append(of[w*len(of)/workers:len(of):len(of)], of[:w*len(of)/workers]...)
		half := len(rotated) / 2
		s.same(p, rotated[:half], s.call, callConcurrent, "several goroutines")
		s.same(p, rotated[half:], s.call, callConcurrent, "several goroutines")
	})
}

func cloneRefs(refs [][]string) [][]string {
	out := make([][]string, len(refs))
	for i, r := range refs {
		out[i] = slices.Clone(r)
	}
	return out
}

package meteor

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/pace"
)

// A state is a way to match the reference's words up to some place. Its rank is in the beam.
type state struct {
	free int32 // the reference's first word after the last match
	end  int32 // the hypothesis's first word after the last match of the chunk that is open, −1 if none is
	// used is the set of the hypothesis's words that are matched, if there are at most
	// 64; others are in the generation's.
	used uint64
}

// A rank is what states are compared by, the smaller the better.
type rank struct {
	order    int64 // the chunks that are closed, less the reward shifted by rewardBits
	distance int64 // how far words moved
}

const rewardBits = 32

func (r rank) before(o rank) bool {
	return r.order < o.order || r.order == o.order && r.distance < o.distance
}

// An entry of the beam is a state by its slot.
type entry struct {
	rank
	slot int32
}

// A move is a match that is tried.
type move struct {
	span     mteval.Span
	gain     int64 // what is added to the order
	distance int64
	hypEnd   int32
	refEnd   int32
	words    uint64 // of the hypothesis, if it has at most 64
}

// A step leads from a state before a word of the reference to one after it.
type step struct {
	from int32       // the slot of the state before
	span mteval.Span // what is matched, nothing if its lengths are 0
}

// generation holds the states at one place.
type generation struct {
	beam   []entry // best first
	states []state // by slot
	used   []uint64
}

// aligner aligns two sides, and keeps its memory for the next two.
type aligner struct {
	s     *Scorer
	pace  pace.Pace
	hyp   []*word
	ref   []*word
	keys  []uint64 // of the hypothesis
	stem  []uint64
	bloom []uint64

	modules []Module
	phrases phraseMatcher

	found   []mteval.Span // the candidates that begin at one word of the reference
	all     []mteval.Span // those of all words, unless they are too many
	first   []int32       // where those of a word begin in all
	fixed   []mteval.Span // by word of the reference: its only candidate, if its words have no other
	count   []int32       // how many candidates begin at a word of the reference
	coverH  []int32       // how many cover a word
	coverR  []int32
	stride  int // how long a set of the hypothesis's words is, 0 if it is in the state
	moves   []move
	runs    []moveRun // of moves
	offered []uint64  // of runs
	now     generation
	next    generation
	steps   []step
	starts  []int // where those from a word of the reference begin in steps
	matches []mteval.Span
}

// align returns the alignment in the order of the reference. The error is that of the context
// of a.pace, or wraps mteval.ErrTooLong.
//
// For a hypothesis of n words and a reference of m it takes some 24·Beam·m + 200·(n + m)
// bytes, and time that is linear for equal texts, and at most n·m·Beam.
func (a *aligner) align(s *Scorer, h, r *side) ([]mteval.Span, error) {
	hyp, ref := h.words, r.words
	a.s, a.hyp, a.ref = s, hyp, ref
	a.matches = a.matches[:0]
	if len(hyp) == 0 || len(ref) == 0 {
		return a.matches, nil
	}
	a.modules = s.modules
	if slices.EqualFunc(hyp, ref, func(x, y *word) bool { return x.key == y.key }) {
		if !s.opt.Correct.AllModules {
			a.modules = a.modules[:1]
		}
		if a.modules[0] == Exact && (len(a.modules) == 1 || len(h.phrases)+len(r.phrases) == 0) {
			return a.same(), nil
		}
	}
	a.keys, a.stem, a.bloom = a.keys[:0], a.stem[:0], a.bloom[:0]
	for _, w := range hyp {
		a.keys = append(a.keys, w.key)
		a.stem = append(a.stem, w.stem)
		a.bloom = append(a.bloom, w.bloom)
	}
	for stage, m := range a.modules {
		if m == Paraphrase {
			if err := a.phrases.set(s.paraphrases, h, r, int32(stage), &a.pace); err != nil {
				return nil, err
			}
		}
	}
	if err := a.cover(); err != nil {
		return nil, err
	}
	if err := a.search(); err != nil {
		return nil, err
	}
	return a.matches, nil
}

// same matches each word of equal texts with itself. The search finds just that where exact
// matches are tried first and all others are of single words: this state has the
// largest reward that there can be at each word, no chunk that is closed and no distance,
// and of its children the next such state is the first.
func (a *aligner) same() []mteval.Span {
	for i := range a.ref {
		a.matches = append(a.matches, mteval.Span{Hyp: int32(i), Ref: int32(i), HypLen: 1, RefLen: 1})
	}
	return a.matches
}

// candidates sets a.found to those that begin at word i of the reference, in the order in
// which they are tried.
func (a *aligner) candidates(i int) error {
	a.found = a.found[:0]
	ref, work := a.ref[i], len(a.hyp)
	for stage, m := range a.modules {
		switch m {
		case Exact:
			for j, key := range a.keys {
				if key == ref.key {
					a.found = append(a.found, mteval.Span{Hyp: int32(j), Ref: int32(i), HypLen: 1, RefLen: 1, Stage: int32(stage)})
				}
			}
		case Stem:
			for j, stem := range a.stem {
				if stem == ref.stem && a.keys[j] != ref.key {
					a.found = append(a.found, mteval.Span{Hyp: int32(j), Ref: int32(i), HypLen: 1, RefLen: 1, Stage: int32(stage)})
				}
			}
		case Synonym:
			if ref.bloom == 0 {
				continue
			}
			for j, bloom := range a.bloom {
				if bloom&ref.bloom == 0 || a.keys[j] == ref.key {
					continue
				}
				work += len(ref.synsets) + len(a.hyp[j].synsets)
				if shareSynset(a.hyp[j], ref) {
					a.found = append(a.found, mteval.Span{Hyp: int32(j), Ref: int32(i), HypLen: 1, RefLen: 1, Stage: int32(stage)})
				}
			}
		case Paraphrase:
			spans, err := a.phrases.at(i, &a.pace)
			if err != nil {
				return err
			}
			a.found = append(a.found, spans...)
		}
	}
	return a.pace.Done(work + 4*len(a.found))
}

// cover counts the candidates, and finds those that are fixed before the search: the only
// one at a word of the reference, of words that no other covers.
func (a *aligner) cover() error {
	n, m := len(a.hyp), len(a.ref)
	a.all, a.first = a.all[:0], zeros(a.first, m)
	a.coverH, a.coverR = zeros(a.coverH, n), zeros(a.coverR, m)
	a.count, a.fixed = zeros(a.count, m), slices.Grow(a.fixed[:0], m)[:m]
	for i := range m {
		if err := a.candidates(i); err != nil {
			return err
		}
		a.count[i] = int32(len(a.found))
		a.first[i] = int32(len(a.all))
		if len(a.all) < maxKept {
			a.all = append(a.all, a.found...)
		}
		work := 0
		for _, c := range a.found {
			work += int(c.HypLen + c.RefLen)
			for j := c.Hyp; j < c.Hyp+c.HypLen; j++ {
				a.coverH[j]++
			}
			for j := c.Ref; j < c.Ref+c.RefLen; j++ {
				a.coverR[j]++
			}
			a.fixed[i] = c
		}
		if err := a.pace.Done(work); err != nil {
			return err
		}
	}
	once := func(cover []int32, from, n int32) bool {
		for _, c := range cover[from : from+n] {
			if c != 1 {
				return false
			}
		}
		return true
	}
	for i := range m {
		if a.count[i] == 1 {
			c := a.fixed[i]
			if once(a.coverH, c.Hyp, c.HypLen) && once(a.coverR, c.Ref, c.RefLen) {
				a.count[i] = fixedCount
			}
		}
	}
	return nil
}

// maxKept bounds the candidates that are kept between the two passes over them: a long text
// of few different words has as many as its length squared.
const maxKept = 1 << 16

// again returns the candidates at word i.
func (a *aligner) again(i int) ([]mteval.Span, error) {
	if first := int(a.first[i]); first < maxKept {
		return a.all[first : first+int(a.count[i])], nil
	}
	err := a.candidates(i)
	return a.found, err
}

// fixedCount marks a word of the reference whose match is fixed.
const fixedCount = -1

func zeros(x []int32, n int) []int32 {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}

// reward is what a match adds to a state, for its words of one side, doubled: 2 a word for
// an exact match and 1 for others. The program adds halves to whole numbers and
// drops what is left, so that a single word that is not matched exactly adds nothing.
func (a *aligner) reward(stage int32, words int32) int64 {
	if a.modules[stage] == Exact {
		return 2 * int64(words)
	}
	if !a.s.opt.Correct.Rewards {
		return 2 * int64(words/2)
	}
	return int64(words)
}

func (a *aligner) move(c mteval.Span) move {
	m := move{
		span: c, gain: -(a.reward(c.Stage, c.HypLen) + a.reward(c.Stage, c.RefLen)) << rewardBits,
		distance: int64(max(c.Hyp-c.Ref, c.Ref-c.Hyp)), hypEnd: c.Hyp + c.HypLen, refEnd: c.Ref + c.RefLen,
	}
	if a.stride == 0 {
		m.words = (1<<c.HypLen - 1) << c.Hyp
	}
	return m
}

// search finds the best alignment by beam search over the words of the reference.
func (a *aligner) search() error {
	a.start()
	for i := range a.ref {
		var err error
		if a.count[i] > 0 {
			err = a.branch(i)
		} else {
			a.pass(i)
			err = a.pace.Done(3 * len(a.now.beam))
		}
		if err != nil {
			return err
		}
	}
	a.collect()
	return nil
}

// start makes the state before the first word.
func (a *aligner) start() {
	n := len(a.ref)
	a.stride = 0
	if len(a.hyp) > 64 {
		a.stride = (len(a.hyp) + 63) / 64
	}
	a.now.reset()
	a.steps, a.starts = a.steps[:0], slices.Grow(a.starts[:0], n)[:n]
	a.now.put(a.now.place(rank{}, a.s.beam), state{end: -1})
	a.now.used = append(a.now.used, make([]uint64, a.stride)...)
}

// branch takes all states past a word that has a choice.
func (a *aligner) branch(i int) error {
	beam := a.s.beam
	a.next.reset()
	a.moves = a.moves[:0]
	again, err := a.again(i)
	if err != nil {
		return err
	}
	for _, c := range again {
		a.moves = append(a.moves, a.move(c))
	}
	a.setRuns()
	// A state that is pushed out of the beam leaves its slot to the other.
	start := len(a.steps)
	a.starts[i] = start
	slots := min(beam, len(a.now.beam)*(len(a.moves)+1))
	if start+slots > maxSteps {
		return fmt.Errorf("%w: a reference of %d words, for a beam of %d", mteval.ErrTooLong, len(a.ref), beam)
	}
	a.steps = slices.Grow(a.steps, slots)[:start+slots]
	steps := a.steps[start:]
	// Of a state: its moves, and what it takes to keep those that are good enough.
	work := 3*len(a.moves) + min(beam, len(a.moves)+1)*(beam/8+a.stride)
	for b, e := range a.now.beam {
		if b%16 == 0 || work > 1<<16 {
			if err := a.pace.Done(16 * work); err != nil {
				return err
			}
		}
		if s := &a.now.states[e.slot]; int(s.free) > i { // within a match
			a.offer(e.rank, *s, step{from: e.slot}, nil, steps)
		} else {
			a.follow(i, e, steps)
		}
	}
	a.now, a.next = a.next, a.now
	return nil
}

// offer puts a state into the next beam, if that has room for it, and notes the step to it: by a
// move, or by none.
func (a *aligner) offer(r rank, s state, by step, m *move, steps []step) {
	if slot := a.next.place(r, a.s.beam); slot >= 0 {
		a.next.put(slot, s)
		steps[slot] = by
		a.copyUsed(slot, by.from, m)
	}
}

// follow offers the states that a state leads to at word i: by each move, and by none.
func (a *aligner) follow(i int, e entry, steps []step) {
	from, r, beam := e.slot, e.rank, a.s.beam
	s := &a.now.states[from]
runs:
	for at := range a.runs {
		run := &a.runs[at]
		plain := run.offered != nil
		for k := range run.moves {
			m := &run.moves[k]
			if plain && len(a.next.beam) == beam && !a.next.accepts(leap(s, r, m)) {
				r.distance = a.rest(s, from, r, run, m, steps)
				continue runs
			}
			if a.overlaps(s, from, m) {
				continue
			}
			child := rank{r.order + m.gain, r.distance}
			if s.end >= 0 && s.end != m.span.Hyp {
				child.order++
			}
			if a.s.opt.Correct.Distance {
				child.distance += m.distance
			} else {
				// The program adds it to the state that the child was
				// copied from, from where the children after it take it on.
				r.distance += m.distance
			}
			a.offer(child, state{m.refEnd, m.hypEnd, s.used | m.words}, step{from, m.span}, m, steps)
		}
	}
	if s.end >= 0 {
		r.order++
	}
	a.offer(r, state{int32(i + 1), -1, s.used}, step{from: from}, nil, steps)
}

// collect sets the matches of the best state at the end.
func (a *aligner) collect() {
	// The open chunk counts, too; at equal rank the order stays.
	best := entry{rank{math.MaxInt64, 0}, 0}
	for _, e := range a.now.beam {
		if a.now.states[e.slot].end >= 0 {
			e.order++
		}
		if e.before(best.rank) {
			best = e
		}
	}
	slot := best.slot
	for i := len(a.ref) - 1; i >= 0; i-- {
		if a.count[i] <= 0 {
			if a.count[i] == fixedCount {
				a.matches = append(a.matches, a.fixed[i])
			}
			continue
		}
		st := a.steps[a.starts[i]+int(slot)]
		if st.span.HypLen > 0 {
			a.matches = append(a.matches, st.span)
		}
		slot = st.from
	}
	slices.Reverse(a.matches)
}

// pass takes all states past a word that leaves no choice: its match is fixed, or it has
// none. They stay in their slots. What a fixed match adds to ranks, but for a chunk, is the
// same for all, and no other takes its words, so that neither is kept.
func (a *aligner) pass(i int) {
	beam, hyp, end, free := a.now.beam, int32(-1), int32(-1), int32(i+1)
	if a.count[i] == fixedCount {
		c := a.fixed[i]
		hyp, end, free = c.Hyp, c.Hyp+c.HypLen, c.Ref+c.RefLen
	}
	for b, e := range beam {
		s := &a.now.states[e.slot]
		if int(s.free) <= i { // else it is within a match
			if s.end >= 0 && s.end != hyp {
				e.order++
			}
			s.end, s.free = end, free
		}
		for b > 0 && e.before(beam[b-1].rank) {
			beam[b] = beam[b-1]
			b--
		}
		beam[b] = e
	}
}

// overlaps says whether a move takes a word that the state has matched.
func (a *aligner) overlaps(s *state, slot int32, m *move) bool {
	if a.stride == 0 {
		return s.used&m.words != 0
	}
	set := a.now.used[int(slot)*a.stride:]
	for j := m.span.Hyp; j < m.hypEnd; j++ {
		if set[j>>6]&(1<<(j&63)) != 0 {
			return true
		}
	}
	return false
}

// copyUsed gives a state of the next generation the words of the one it comes from, and
// those of the move.
func (a *aligner) copyUsed(slot, from int32, m *move) {
	if a.stride == 0 {
		return
	}
	g, k := &a.next, a.stride
	if need := int(slot+1) * k; need > len(g.used) {
		g.used = slices.Grow(g.used, need-len(g.used))[:need]
	}
	set := g.used[int(slot)*k : int(slot+1)*k]
	copy(set, a.now.used[int(from)*k:int(from+1)*k])
	if m != nil {
		for j := m.span.Hyp; j < m.hypEnd; j++ {
			set[j>>6] |= 1 << (j & 63)
		}
	}
}

// accepts says whether the beam, which is full, has room for a rank.
func (g *generation) accepts(r rank) bool { return r.before(g.beam[len(g.beam)-1].rank) }

func (g *generation) reset() { g.beam, g.states, g.used = g.beam[:0], g.states[:0], g.used[:0] }

// place makes room in the beam for a state if it is among the best, and returns its slot,
// else −1. At equal rank the one that came first is better.
func (g *generation) place(r rank, size int) int32 {
	n := len(g.beam)
	slot := int32(n)
	if n == size {
		n--
		if !r.before(g.beam[n].rank) {
			return -1
		}
		slot = g.beam[n].slot
	} else {
		g.beam = append(g.beam, entry{})
	}
	beam := g.beam
	for n > 0 && r.before(beam[n-1].rank) {
		beam[n] = beam[n-1]
		n--
	}
	beam[n] = entry{r, slot}
	return slot
}

// put sets the state of a slot, in use or the next one.
func (g *generation) put(slot int32, s state) {
	if int(slot) == len(g.states) {
		g.states = append(g.states, s)
	} else {
		g.states[slot] = s
	}
}

// large says whether the aligner holds more memory than is worth keeping.
func (a *aligner) large() bool { return cap(a.steps) > 1<<18 }

// maxBeam bounds the option: the memory of a search is this many steps a word.
const maxBeam = math.MaxInt16

// maxSteps bounds the steps of a search, of 24 bytes each: more than 800,000 words of the
// reference with a choice for a beam of 40, and 1,024 for the largest.
const maxSteps = 1 << 25

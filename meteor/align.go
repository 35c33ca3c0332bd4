package meteor

import (
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// A state is a way to match the reference's words up to some place.
type state struct {
	reward int64 // of the matched words of both sides
	// distance adds up how far words moved.
	distance int64
	chunks   int32 // that are closed
	free     int32 // the reference's first word after the last match
	end      int32 // the hypothesis's first word after the last match of the chunk that is open, −1 if none is
}

// A rank is what states are compared by: more reward, then fewer chunks, then less distance.
type rank struct{ order, distance int64 }

func (s *state) rank() rank { return rank{int64(s.chunks) - s.reward<<32, s.distance} }

func (r rank) before(o rank) bool {
	return r.order < o.order || r.order == o.order && r.distance < o.distance
}

// An entry of the beam is a state by its slot.
type entry struct {
	rank rank
	slot int32
}

// A step leads from a state before a word of the reference to one after it.
type step struct {
	from  int32 // the slot of the state before
	match mteval.Span
	taken bool // match is part of the step
}

// generation holds the states at one place.
type generation struct {
	beam   []entry // best first
	states []state // by slot
	used   []uint64
}

// aligner aligns two sides, and keeps its memory for the next two.
type aligner struct {
	s    *Scorer
	hyp  []*word
	ref  []*word
	keys []uint64 // of the hypothesis
	stem []uint64

	modules []Module
	phrases phraseMatcher

	found   []mteval.Span // those that begin at one word of the reference
	fixed   []mteval.Span // by word of the reference: its only candidate, if its words have no other
	count   []int32       // how many candidates begin at a word of the reference
	coverH  []int32       // how many cover a word
	coverR  []int32
	stride  int // words of a bit set of the hypothesis's words
	now     generation
	next    generation
	steps   []step
	matches []mteval.Span
}

// align returns the alignment in the order of the reference.
func (a *aligner) align(s *Scorer, hyp, ref []*word) []mteval.Span {
	a.s, a.hyp, a.ref = s, hyp, ref
	a.matches = a.matches[:0]
	if len(hyp) == 0 || len(ref) == 0 {
		return a.matches
	}
	a.keys, a.stem = a.keys[:0], a.stem[:0]
	for _, w := range hyp {
		a.keys = append(a.keys, w.key)
		a.stem = append(a.stem, w.stem)
	}
	a.modules = s.modules
	if !s.opt.Correct.AllModules && slices.EqualFunc(hyp, ref, func(x, y *word) bool { return x.key == y.key }) {
		a.modules = a.modules[:1]
	}
	a.phrases.reset()
	for stage, m := range a.modules {
		if m == Paraphrase {
			a.phrases.match(s.paraphrases, hyp, ref, int32(stage))
		}
	}
	a.cover()
	a.search()
	return a.matches
}

// candidates sets a.found to those that begin at word i of the reference, in the order in
// which they are tried.
func (a *aligner) candidates(i int) {
	a.found = a.found[:0]
	ref := a.ref[i]
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
			for j, w := range a.hyp {
				if w.bloom&ref.bloom != 0 && w.key != ref.key && shareSynset(w, ref) {
					a.found = append(a.found, mteval.Span{Hyp: int32(j), Ref: int32(i), HypLen: 1, RefLen: 1, Stage: int32(stage)})
				}
			}
		case Paraphrase:
			a.found = append(a.found, a.phrases.at(i)...)
		}
	}
}

// cover counts the candidates, and finds those that are fixed before the search: the only
// one at a word of the reference, of words that no other covers.
func (a *aligner) cover() {
	n, m := len(a.hyp), len(a.ref)
	a.coverH, a.coverR = zeros(a.coverH, n), zeros(a.coverR, m)
	a.count, a.fixed = zeros(a.count, m), slices.Grow(a.fixed[:0], m)[:m]
	for i := range m {
		a.candidates(i)
		a.count[i] = int32(len(a.found))
		for _, c := range a.found {
			for j := c.Hyp; j < c.Hyp+c.HypLen; j++ {
				a.coverH[j]++
			}
			for j := c.Ref; j < c.Ref+c.RefLen; j++ {
				a.coverR[j]++
			}
			a.fixed[i] = c
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

// search finds the best alignment by beam search over the words of the reference.
func (a *aligner) search() {
	beam, m := a.s.beam, len(a.ref)
	a.stride = (len(a.hyp) + 63) / 64
	slots := beam // one that is pushed out of the beam leaves its slot
	a.now.reset()
	a.next.reset()
	a.steps = a.steps[:0]
	a.now.put(state{end: -1}, nil, a.stride)
	for i := range m {
		a.next.reset()
		if need := (i + 1) * slots; need > len(a.steps) {
			a.steps = slices.Grow(a.steps, need-len(a.steps))[:need]
		}
		steps := a.steps[i*slots : (i+1)*slots]
		if a.count[i] > 0 {
			a.candidates(i)
		}
		for b := range a.now.beam {
			from := a.now.beam[b].slot
			s := &a.now.states[from]
			used := a.now.used[int(from)*a.stride : int(from+1)*a.stride]
			if int(s.free) > i { // within a match
				a.add(*s, used, step{from: from}, steps)
				continue
			}
			if a.count[i] == fixedCount {
				c := a.fixed[i]
				child := a.take(s, c)
				child.distance += distance(c)
				a.add(child, used, step{from, c, true}, steps)
				continue
			}
			if a.count[i] > 0 {
				for _, c := range a.found {
					if overlaps(used, c.Hyp, c.HypLen) {
						continue
					}
					child := a.take(s, c)
					if a.s.opt.Correct.Distance {
						child.distance += distance(c)
					} else {
						// The program adds it to the state that the child
						// was copied from, from where the children after
						// it take it on.
						s.distance += distance(c)
					}
					a.add(child, used, step{from, c, true}, steps)
				}
			}
			child := *s
			child.free = int32(i + 1)
			if child.end >= 0 {
				child.chunks++
				child.end = -1
			}
			a.add(child, used, step{from: from}, steps)
		}
		a.now, a.next = a.next, a.now
	}
	// At the end the open chunk counts, too; at equal rank the order stays.
	best := entry{rank{math.MaxInt64, 0}, 0}
	for _, e := range a.now.beam {
		if a.now.states[e.slot].end >= 0 {
			e.rank.order++
		}
		if e.rank.before(best.rank) {
			best = e
		}
	}
	slot := best.slot
	for i := m - 1; i >= 0; i-- {
		st := a.steps[i*slots+int(slot)]
		if st.taken {
			a.matches = append(a.matches, st.match)
		}
		slot = st.from
	}
	slices.Reverse(a.matches)
}

func distance(c mteval.Span) int64 {
	if c.Hyp > c.Ref {
		return int64(c.Hyp - c.Ref)
	}
	return int64(c.Ref - c.Hyp)
}

// take returns the state after a match, without its distance.
func (a *aligner) take(s *state, c mteval.Span) state {
	child := *s
	if child.end >= 0 && child.end != c.Hyp {
		child.chunks++
	}
	child.end = c.Hyp + c.HypLen
	child.free = c.Ref + c.RefLen
	child.reward += a.reward(c.Stage, c.HypLen) + a.reward(c.Stage, c.RefLen)
	return child
}

// add puts a state into the next generation if it is among the best. At equal rank the one
// that came first is better.
func (a *aligner) add(s state, used []uint64, st step, steps []step) {
	g, size := &a.next, a.s.beam
	r := s.rank()
	n := len(g.beam)
	slot := int32(n)
	if n == size {
		if !r.before(g.beam[n-1].rank) {
			return
		}
		slot = g.beam[n-1].slot
		n--
	} else {
		g.beam = append(g.beam, entry{})
	}
	g.set(slot, s, used, a.stride)
	if st.taken {
		set := g.used[int(slot)*a.stride : int(slot+1)*a.stride]
		for j := st.match.Hyp; j < st.match.Hyp+st.match.HypLen; j++ {
			set[j>>6] |= 1 << (j & 63)
		}
	}
	steps[slot] = st
	for n > 0 && r.before(g.beam[n-1].rank) {
		g.beam[n] = g.beam[n-1]
		n--
	}
	g.beam[n] = entry{r, slot}
}

func (g *generation) reset() { g.beam, g.states, g.used = g.beam[:0], g.states[:0], g.used[:0] }

// put adds a state.
func (g *generation) put(s state, used []uint64, stride int) {
	slot := int32(len(g.states))
	g.beam = append(g.beam, entry{s.rank(), slot})
	g.set(slot, s, used, stride)
}

// set sets the state of a slot, in use or the next one.
func (g *generation) set(slot int32, s state, used []uint64, stride int) {
	if int(slot) == len(g.states) {
		g.states = append(g.states, state{})
		n := len(g.used)
		g.used = slices.Grow(g.used, stride)[:n+stride]
	}
	g.states[slot] = s
	set := g.used[int(slot)*stride : int(slot+1)*stride]
	if used == nil {
		clear(set)
	} else {
		copy(set, used)
	}
}

// overlaps says whether one of n words from `from` on is in the set.
func overlaps(set []uint64, from, n int32) bool {
	for j := from; j < from+n; j++ {
		if set[j>>6]&(1<<(j&63)) != 0 {
			return true
		}
	}
	return false
}

// maxBeam bounds the option: the memory of a search is this many states a word.
const maxBeam = math.MaxInt16

package meteor

import "math/bits"

// A long text of few different words has as many moves at each word as it has words, nearly
// all of which lead nowhere. Where the moves are plain, of single words and all of one gain,
// a state's children are worse the later they come, but for the one that goes on with
// the open chunk: once one is not good enough, only that one is left to try, and what they
// add to the distance is found from sets of words, 64 at a time.

// minPlain is the number of moves from which sets are worth while.
const minPlain = 64

// plain says whether the moves are, and sets a.offered to their words of the hypothesis.
func (a *aligner) plain() bool {
	if a.stride == 0 || len(a.moves) < minPlain {
		return false
	}
	last := int32(-1)
	for k := range a.moves {
		m := &a.moves[k]
		if m.span.HypLen != 1 || m.span.RefLen != 1 || m.gain != a.moves[0].gain || m.span.Hyp <= last {
			return false
		}
		last = m.span.Hyp
	}
	if cap(a.offered) < a.stride {
		a.offered = make([]uint64, a.stride)
	}
	a.offered = a.offered[:a.stride]
	clear(a.offered)
	for k := range a.moves {
		j := a.moves[k].span.Hyp
		a.offered[j>>6] |= 1 << (j & 63)
	}
	return true
}

// leap is the best rank that a plain move can have from a state, with the distance so far,
// that does not go on with its chunk.
func (a *aligner) leap(s *state, r rank) rank {
	r.order += a.moves[0].gain
	if s.end >= 0 {
		r.order++
	}
	return r
}

// rest makes the one child that is left to try when no leap is good enough any more, of the
// moves with words of the hypothesis from a place on, and returns the distance after
// all of these.
func (a *aligner) rest(s *state, slot int32, r rank, from, i int32, steps []step) int64 {
	used := a.now.used[int(slot)*a.stride : int(slot+1)*a.stride]
	n, next := int32(len(a.hyp)), s.end
	if next < from || next >= n || (a.offered[next>>6]&^used[next>>6])>>(next&63)&1 == 0 {
		if a.s.opt.Correct.Distance {
			return r.distance
		}
		return r.distance + a.distances(used, from, n, i)
	}
	distance := int64(max(next-i, i-next))
	child := rank{r.order + a.moves[0].gain, r.distance}
	if a.s.opt.Correct.Distance {
		child.distance += distance
	} else {
		child.distance += a.distances(used, from, next, i)
		r.distance = child.distance + distance + a.distances(used, next+1, n, i)
	}
	if to := a.next.place(child, a.s.beam); to >= 0 {
		m := move{hypEnd: next + 1, refEnd: i + 1}
		m.span.Hyp, m.span.Ref, m.span.HypLen, m.span.RefLen, m.span.Stage = next, i, 1, 1, a.moves[0].span.Stage
		a.next.put(to, state{m.refEnd, m.hypEnd, s.used})
		steps[to] = step{slot, m.span}
		a.copyUsed(to, slot, &m)
	}
	return r.distance
}

// distances is how far the offered words of the hypothesis from one place to another
// that are not used are from place i, added up.
func (a *aligner) distances(used []uint64, from, to, i int32) int64 {
	sum := int64(0)
	for k := int(from >> 6); k<<6 < int(to); k++ {
		set := a.offered[k] &^ used[k]
		base := int32(k << 6)
		if base < from {
			set &= ^uint64(0) << (from - base)
		}
		if base+64 > to {
			set &= 1<<(to-base) - 1
		}
		if set == 0 {
			continue
		}
		before := set
		switch {
		case i <= base:
			before = 0
		case i < base+64:
			before &= 1<<(i-base) - 1
		}
		sum += span64(set&^before, base-i) - span64(before, base-i)
	}
	return sum
}

// span64 is the sum of the places in a set, each with base added.
func span64(set uint64, base int32) int64 {
	n := bits.OnesCount64(set)
	places := bits.OnesCount64(set&0xaaaaaaaaaaaaaaaa) +
		bits.OnesCount64(set&0xcccccccccccccccc)<<1 +
		bits.OnesCount64(set&0xf0f0f0f0f0f0f0f0)<<2 +
		bits.OnesCount64(set&0xff00ff00ff00ff00)<<3 +
		bits.OnesCount64(set&0xffff0000ffff0000)<<4 +
		bits.OnesCount64(set&0xffffffff00000000)<<5
	return int64(places) + int64(n)*int64(base)
}

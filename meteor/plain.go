package meteor

import "math/bits"

// A long text of few different words has as many moves at each word as it has words, nearly
// all of which lead nowhere. In a plain run, of moves of single words from left to right
// with one gain, a state's children are worse the later they come, but for the one that
// goes on with the open chunk: once one is not good enough, only that one is left to try, and
// what they add to the distance is found from sets of words, 64 at a time.

// A moveRun is moves that follow each other, all of them if they are not plain.
type moveRun struct {
	moves   []move
	offered []uint64 // their words of the hypothesis, nil if the run is not plain
}

const (
	minPlain = 64 // the number of moves from which sets are worth while
	maxRuns  = 8
)

// setRuns divides the moves into runs.
func (a *aligner) setRuns() {
	a.runs, a.offered = append(a.runs[:0], moveRun{moves: a.moves}), a.offered[:0]
	if a.stride == 0 || len(a.moves) < minPlain {
		return
	}
	a.runs = a.runs[:0]
	for from := 0; from < len(a.moves); {
		first := &a.moves[from]
		to := from
		for last := int32(-1); to < len(a.moves); to++ {
			m := &a.moves[to]
			if m.span.HypLen != 1 || m.span.RefLen != 1 || m.gain != first.gain || m.span.Stage != first.span.Stage || m.span.Hyp <= last {
				break
			}
			last = m.span.Hyp
		}
		if to-from < minPlain || len(a.runs) == maxRuns { // the rest is no run
			a.runs = append(a.runs, moveRun{moves: a.moves[from:]})
			return
		}
		at := len(a.offered)
		for range a.stride {
			a.offered = append(a.offered, 0)
		}
		words := a.offered[at:len(a.offered):len(a.offered)]
		for k := from; k < to; k++ {
			j := a.moves[k].span.Hyp
			words[j>>6] |= 1 << (j & 63)
		}
		a.runs = append(a.runs, moveRun{a.moves[from:to], words})
		from = to
	}
}

// leap is the best rank that a plain move, and those after it in its run, can have from a
// state, with the distance so far, if it does not go on with the open chunk.
func leap(s *state, r rank, m *move) rank {
	r.order += m.gain
	if s.end >= 0 {
		r.order++
	}
	return r
}

// rest makes the one child that is left to try of a run from a move on when no leap is
// good enough any more, and returns the distance after all of these moves.
func (a *aligner) rest(s *state, slot int32, r rank, run *moveRun, m *move, steps []step) int64 {
	used := a.now.used[int(slot)*a.stride : int(slot+1)*a.stride]
	from, n, i, next := m.span.Hyp, int32(len(a.hyp)), m.span.Ref, s.end
	if next < from || next >= n || (run.offered[next>>6]&^used[next>>6])>>(next&63)&1 == 0 {
		if a.s.opt.Correct.Distance {
			return r.distance
		}
		return r.distance + distances(run.offered, used, from, n, i)
	}
	distance := int64(max(next-i, i-next))
	child := rank{r.order + m.gain, r.distance}
	if a.s.opt.Correct.Distance {
		child.distance += distance
	} else {
		child.distance += distances(run.offered, used, from, next, i)
		r.distance = child.distance + distance + distances(run.offered, used, next+1, n, i)
	}
	goesOn := *m
	goesOn.span.Hyp, goesOn.hypEnd = next, next+1
	a.offer(child, state{m.refEnd, next + 1, s.used}, step{slot, goesOn.span}, &goesOn, steps)
	return r.distance
}

// distances is how far the offered words of the hypothesis from one place to another that
// are not used are from place i, added up.
func distances(offered, used []uint64, from, to, i int32) int64 {
	sum := int64(0)
	for k := int(from >> 6); k<<6 < int(to); k++ {
		set := offered[k] &^ used[k]
		if set == 0 {
			continue
		}
		base := int32(k << 6)
		if base < from {
			set &= ^uint64(0) << (from - base)
		}
		if base+64 > to {
			set &= 1<<(to-base) - 1
		}
		before := set
		switch {
		case i <= base:
			before = 0
		case i < base+64:
			before &= 1<<(i-base) - 1
		}
		sum += places64(set&^before, base-i) - places64(before, base-i)
	}
	return sum
}

// places64 is the sum of the places in a set, each with base added.
func places64(set uint64, base int32) int64 {
	n := bits.OnesCount64(set)
	places := bits.OnesCount64(set&0xaaaaaaaaaaaaaaaa) +
		bits.OnesCount64(set&0xcccccccccccccccc)<<1 +
		bits.OnesCount64(set&0xf0f0f0f0f0f0f0f0)<<2 +
		bits.OnesCount64(set&0xff00ff00ff00ff00)<<3 +
		bits.OnesCount64(set&0xffff0000ffff0000)<<4 +
		bits.OnesCount64(set&0xffffffff00000000)<<5
	return int64(places) + int64(n)*int64(base)
}

package ter

import (
	"math"
	"slices"

	"github.com/mteval/mteval/internal/pace"
)

// The limits of the search: tercom's, but for the last, which is sacreBLEU's.
const (
	maxShiftSize  = 10
	maxShiftDist  = 50
	beamWidth     = 25
	maxCandidates = 1000
)

// infinity is the cost of a cell outside of the beam.
const infinity = 1 << 29

// search finds the edits that make a reference of a hypothesis. Its buffers serve
// again; the zero value is ready. Words are numbers; those of the hypothesis that no
// reference has are 0, and none of the reference's is.
type search struct {
	words  []uint32 // the hypothesis, with the shifts made so far
	tried  []uint32 // the same with one more
	ref    []uint32
	shifts []move
	// limited: the search was ended by the number of shifts tried.
	limited bool

	// rows holds the edit distances of the words from the reference: row i, of
	// the first i words, from rows[i*stride] on, for the first lo[i] to hi[i]-1
	// words of the reference. Beyond these it is infinite.
	rows   []int32
	stride int
	lo, hi []int32
	trial  [2][]int32 // two rows of a shift that is tried

	align  []int32 // by word of the reference: the place in words at or before it
	hypErr []int32 // hypErr[i]: how many of the first i words are wrong
	refErr []int32 // the same for the reference
}

// A move takes length words from start to before target.
type move struct{ start, length, target int }

// edits returns the number of edits that make ref of hyp. Its only error is that of w.
func (s *search) edits(w *pace.Pace, hyp, ref []uint32) (int, error) {
	s.words = append(s.words[:0], hyp...)
	s.ref = ref
	s.shifts = s.shifts[:0]
	s.limited = false
	s.beam()
	if len(ref) == 0 {
		return len(hyp), nil
	}
	if err := s.fill(w, 1); err != nil {
		return 0, err
	}
	for tried := 0; s.distance() > 0; {
		var best candidate
		var err error
		if best, tried, err = s.bestShift(w, tried); err != nil {
			return 0, err
		}
		if tried >= maxCandidates {
			// What the last round found is given up, as sacreBLEU does.
			s.limited = true
			break
		}
		if best.gain <= 0 {
			break
		}
		s.shifts = append(s.shifts, best.move)
		s.tried = best.apply(s.tried[:0], s.words)
		s.words, s.tried = s.tried, s.words
		from, _ := best.changed(len(s.words))
		if err := s.fill(w, from+1); err != nil {
			return 0, err
		}
	}
	return len(s.shifts) + s.distance(), nil
}

// large says whether the buffers are so large, after long texts, that they should rather
// not be kept.
func (s *search) large() bool { return cap(s.rows) > 1<<20 }

// beam sets the bounds of the rows. They depend on the two lengths only, which a
// shift does not change.
func (s *search) beam() {
	nh, nr := len(s.words), len(s.ref)
	ratio := 1.0
	if nh > 0 {
		ratio = float64(nr) / float64(nh)
	}
	width := beamWidth
	if beamWidth < ratio/2 {
		// So different in length that rows would not overlap.
		width = int(math.Ceil(ratio/2 + beamWidth))
	}
	s.lo, s.hi = resize(s.lo, nh+1), resize(s.hi, nh+1)
	s.lo[0], s.hi[0] = 0, int32(nr+1)
	s.stride = 0
	for i := 1; i <= nh; i++ {
		diagonal := int(math.Floor(float64(i) * ratio))
		s.lo[i] = int32(max(0, diagonal-width))
		s.hi[i] = int32(min(nr+1, diagonal+width))
		if i == nh {
			s.hi[i] = int32(nr + 1)
		}
		s.stride = max(s.stride, int(s.hi[i]-s.lo[i]))
	}
	// Row 0, which is not in the beam, stands after the others.
	s.rows = resize(s.rows, (nh+1)*s.stride+nr+1)
	for j := range nr + 1 {
		s.rows[(nh+1)*s.stride+j] = int32(j)
	}
	for i := range s.trial {
		s.trial[i] = resize(s.trial[i], s.stride)
	}
}

func resize(v []int32, n int) []int32 { return slices.Grow(v[:0], n)[:n] }

// row is a row of distances, from the cell of lo[i].
func (s *search) row(i int) []int32 {
	if i == 0 {
		return s.rows[(len(s.words)+1)*s.stride:]
	}
	return s.rows[i*s.stride : i*s.stride+int(s.hi[i]-s.lo[i])]
}

// distance is the edit distance of the words.
func (s *search) distance() int {
	n := len(s.words)
	return int(s.row(n)[len(s.ref)-int(s.lo[n])])
}

// interval is the number of rows or steps between two looks at the context.
const interval = 256

// fill computes the rows from a row on.
func (s *search) fill(w *pace.Pace, from int) error {
	for i := from; i <= len(s.words); i++ {
		s.step(s.row(i), s.row(i-1), i, s.words[i-1])
		if i%interval == 0 {
			if err := w.Done(interval * s.stride); err != nil {
				return err
			}
		}
	}
	return nil
}

// step computes row i from the one before, and returns its least distance.
func (s *search) step(row, above []int32, i int, word uint32) int32 {
	lo, hi := int(s.lo[i]), int(s.hi[i])
	loAbove, hiAbove := int(s.lo[i-1]), int(s.hi[i-1])
	least, left := int32(infinity), int32(infinity)
	j := lo
	if j == loAbove { // nothing is above on the left
		left = above[0] + 1
		row[0] = left
		least = left
		j++
	}
	// Row i starts within the row above, or just after it.
	diagonal := int32(infinity)
	if j-1 < hiAbove {
		diagonal = above[j-1-loAbove]
	}
	for ; j < min(hi, hiAbove); j++ {
		cost := diagonal
		if word != s.ref[j-1] {
			cost++
		}
		diagonal = above[j-loAbove]
		cost = min(cost, diagonal+1, left+1)
		row[j-lo] = cost
		least = min(least, cost)
		left = cost
	}
	for ; j < hi; j++ { // nothing is above
		cost := diagonal
		if word != s.ref[j-1] {
			cost++
		}
		diagonal = infinity
		cost = min(cost, left+1, infinity)
		row[j-lo] = cost
		least = min(least, cost)
		left = cost
	}
	return least
}

// Operations of a trace.
const (
	opMatch = iota
	opSubstitute
	opDelete // a word of the hypothesis
	opInsert // a word of the reference
)

// trace calls each for the edits of the words as they are, from the end. Of ways as
// short, it prefers a match or substitution, then a deletion, then an insertion: the
// shifts that are found depend on it.
func (s *search) trace(w *pace.Pace, each func(op, i, j int)) error {
	at := func(i, j int) int32 {
		if j < int(s.lo[i]) || j >= int(s.hi[i]) {
			return infinity
		}
		return s.row(i)[j-int(s.lo[i])]
	}
	i, j := len(s.words), len(s.ref)
	for n := 1; i > 0 || j > 0; n++ {
		if n%interval == 0 {
			if err := w.Done(8 * interval); err != nil {
				return err
			}
		}
		cost := at(i, j)
		if i > 0 && j > 0 {
			op, c := opMatch, at(i-1, j-1)
			if s.words[i-1] != s.ref[j-1] {
				op, c = opSubstitute, c+1
			}
			if c == cost {
				i, j = i-1, j-1
				each(op, i, j)
				continue
			}
		}
		if i > 0 && at(i-1, j)+1 == cost {
			i--
			each(opDelete, i, j)
			continue
		}
		j--
		each(opInsert, i, j)
	}
	return nil
}

// errors sets align, hypErr and refErr from the trace.
func (s *search) errors(w *pace.Pace) error {
	s.align = resize(s.align, len(s.ref))
	s.hypErr, s.refErr = resize(s.hypErr, len(s.words)+1), resize(s.refErr, len(s.ref)+1)
	s.hypErr[0], s.refErr[0] = 0, 0
	err := s.trace(w, func(op, i, j int) {
		wrong := int32(1)
		if op == opMatch {
			wrong = 0
		}
		if op != opInsert {
			s.hypErr[i+1] = wrong
		}
		switch op {
		case opMatch, opSubstitute:
			s.align[j] = int32(i)
			s.refErr[j+1] = wrong
		case opInsert:
			s.align[j] = int32(i - 1)
			s.refErr[j+1] = wrong
		}
	})
	for i := range s.words {
		s.hypErr[i+1] += s.hypErr[i]
	}
	for j := range s.ref {
		s.refErr[j+1] += s.refErr[j]
	}
	return err
}

// candidate is a shift that was tried.
type candidate struct {
	move
	gain int // how much shorter the edit distance is
}

// better says whether c comes before d: by gain, then the longer, then the one that
// starts earlier, then the one that goes to the earlier place.
func (c candidate) better(d candidate) bool {
	switch {
	case c.gain != d.gain:
		return c.gain > d.gain
	case c.length != d.length:
		return c.length > d.length
	case c.start != d.start:
		return c.start < d.start
	}
	return c.target < d.target
}

// bestShift returns the best shift of a run of words to where the reference has it,
// and the number of shifts tried so far, of which `tried` came before. Its gain is 0
// if no shift makes the edit distance shorter.
func (s *search) bestShift(w *pace.Pace, tried int) (best candidate, _ int, _ error) {
	if err := s.errors(w); err != nil {
		return best, tried, err
	}
	nh, nr := len(s.words), len(s.ref)
	for h := range nh {
		if h%interval == 0 {
			if err := w.Done(interval * 2 * maxShiftDist); err != nil {
				return best, tried, err
			}
		}
		for r := max(0, h-maxShiftDist); r < min(nr, h+maxShiftDist+1); r++ {
			for length := 1; length <= maxShiftSize && h+length <= nh && r+length <= nr &&
				s.words[h+length-1] == s.ref[r+length-1]; length++ {
				// Only a run with a wrong word, to a place where the
				// reference is not matched, and which is not its own.
				if s.hypErr[h+length] == s.hypErr[h] || s.refErr[r+length] == s.refErr[r] {
					continue
				}
				if own := int(s.align[r]); h <= own && own < h+length {
					continue
				}
				n, err := s.tryTargets(w, h, r, length, &best)
				if tried += n; err != nil || tried >= maxCandidates {
					return best, tried, err
				}
			}
		}
	}
	return best, tried, nil
}

// tryTargets tries the shifts of a run from h to where the reference has it, from r on, and
// returns how many there are. One that is better than best takes its place.
func (s *search) tryTargets(w *pace.Pace, h, r, length int, best *candidate) (n int, _ error) {
	before, last := s.distance(), -1
	for k := r - 1; k < min(r+length, len(s.ref)); k++ {
		target := 0
		if k >= 0 {
			target = int(s.align[k]) + 1
		}
		if target == last {
			continue
		}
		last = target
		n++
		c := candidate{move: move{h, length, target}}
		// A shift that can't be the best need not be computed to the end.
		least := max(1, best.gain)
		after, err := s.try(w, c.move, before-least)
		if err != nil {
			return n, err
		}
		c.gain = before - after
		if c.gain >= least && c.better(*best) {
			*best = c
		}
	}
	return n, nil
}

// try returns the edit distance after a shift, or some number above enough if it is
// above that.
func (s *search) try(w *pace.Pace, m move, enough int) (int, error) {
	nh := len(s.words)
	from, to := m.changed(nh)
	if from == to {
		return s.distance(), nil
	}
	s.tried = m.apply(s.tried[:0], s.words)
	above := s.row(from)
	for i := from + 1; i <= nh; i++ {
		row := s.trial[i&1][:s.hi[i]-s.lo[i]]
		if int(s.step(row, above, i, s.tried[i-1])) > enough {
			return enough + 1, w.Done(nh / 8)
		}
		// After the words that moved, a row that is the old one plus a
		// constant stays so to the end.
		if i >= to {
			if d, ok := shiftedBy(row, s.row(i)); ok {
				return s.distance() + d, w.Done(nh / 8)
			}
		}
		if i%interval == 0 {
			if err := w.Done(interval * s.stride); err != nil {
				return 0, err
			}
		}
		above = row
	}
	return int(above[len(s.ref)-int(s.lo[nh])]), nil
}

// shiftedBy says whether a is b plus a constant, and which.
func shiftedBy(a, b []int32) (int, bool) {
	d := a[0] - b[0]
	for i, x := range a {
		if x-b[i] != d {
			return 0, false
		}
	}
	return int(d), true
}

// changed returns the bounds of the places in n words at which a shift may change the
// word.
func (m move) changed(n int) (from, to int) {
	switch {
	case m.target < m.start:
		return m.target, m.start + m.length
	case m.target > m.start+m.length:
		return m.start, m.target
	case m.target == m.start:
		return m.start, m.start
	}
	return m.start, min(n, m.target+m.length)
}

// apply appends the words, shifted, to dst. A target within the run itself means as
// many words further on, as in tercom.
func (m move) apply(dst, words []uint32) []uint32 {
	end := m.start + m.length
	run := words[m.start:end]
	switch {
	case m.target < m.start:
		dst = append(append(dst, words[:m.target]...), run...)
		dst = append(dst, words[m.target:m.start]...)
		return append(dst, words[end:]...)
	case m.target > end:
		dst = append(append(dst, words[:m.start]...), words[end:m.target]...)
		dst = append(dst, run...)
		return append(dst, words[m.target:]...)
	}
	to := min(len(words), m.target+m.length)
	dst = append(append(dst, words[:m.start]...), words[end:to]...)
	dst = append(dst, run...)
	return append(dst, words[to:]...)
}

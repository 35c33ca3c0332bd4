package ngram

import (
	"math/bits"
	"slices"

	"github.com/mteval/mteval/internal/pace"
)

// sameBits are the bits of an event for the number of codes that are the same.
const sameBits = 8

// merge walks along two lists of keys, and sets events to the places where an n-gram begins
// that is another than the one before: how much more there was of b than of a so far, and how
// many of the last key's codes are the first ones of this, too. An event is in one number.
func (s *Sorter) merge(w *pace.Pace, a, b []uint64, l layout) error {
	n := (len(a) + len(b)) / l.parts
	s.events = slices.Grow(s.events[:0], n)[:n]
	if l.parts > 1 {
		return s.mergeParts(w, a, b, l)
	}
	m := merging{unused: 64 - l.width*l.part, inverse: 1<<16/l.width + 1, part: l.part}
	for left := n - 2; left > 0; {
		n := min(left, stretch)
		left -= n
		m.merge(s.events, a, b, n)
		if err := w.Done(8 * n); err != nil {
			return err
		}
	}
	s.events[m.events] = int64(m.j-m.i) << sameBits
	s.events = s.events[:m.events+1]
	return nil
}

// merging is where a merge is.
type merging struct {
	i, j, events int
	last         uint64
	unused, part int
	inverse      int // of the width, as a division takes longer
}

// merge takes n keys. There is no branch, which would be a guess.
func (m *merging) merge(events []int64, a, b []uint64, n int) {
	i, j, at, last := m.i, m.j, m.events, m.last
	unused, inverse, part := m.unused, m.inverse, m.part
	for range n {
		x, y := a[i], b[j]
		later := int64(y-x) >> 63 // -1 if the next is b's, else 0
		key := x + (y-x)&uint64(later)
		same := (bits.LeadingZeros64(key^last) - unused) * inverse >> 16
		last = key
		events[at] = int64(j-i)<<sameBits | int64(same)
		at += int(uint(same-part) >> (bits.UintSize - 1))
		i += 1 + int(later)
		j -= int(later)
	}
	m.i, m.j, m.events, m.last = i, j, at, last
}

// mergeParts is merge of keys of several parts.
func (s *Sorter) mergeParts(w *pace.Pace, a, b []uint64, l layout) error {
	i, j, at := 0, 0, 0
	unused := 64 - l.width*l.part
	an, bn := len(a)/l.parts, len(b)/l.parts
	var all [MaxOrder]uint64
	last := all[:l.parts]
	for left := an + bn - 2; left > 0; {
		n := min(left, stretch)
		left -= n
		for range n {
			p := 0
			for p < l.parts-1 && a[p*an+i] == b[p*bn+j] {
				p++
			}
			keys, n, k := a, an, i
			later := a[p*an+i] > b[p*bn+j]
			if later {
				keys, n, k = b, bn, j
			}
			same, equal := 0, true
			for p := range last {
				key := keys[p*n+k]
				if equal {
					codes := (bits.LeadingZeros64(key^last[p]) - unused) / l.width
					same += codes
					equal = codes == l.part
				}
				last[p] = key
			}
			if same < l.part*l.parts {
				s.events[at] = int64(j-i)<<sameBits | int64(same)
				at++
			}
			if later {
				j++
			} else {
				i++
			}
		}
		if err := w.Done(steps * n); err != nil {
			return err
		}
	}
	s.events[at] = int64(j-i) << sameBits
	s.events = s.events[:at+1]
	return nil
}

// apart returns how many n-grams of an order, in both lists, have none in the other to go
// with. Events are those of n-grams of this order, and become those of the order below.
func (s *Sorter) apart(w *pace.Pace, order int) (int, error) {
	sum, kept, last := int64(0), 0, int64(0)
	for lo := 0; lo < len(s.events); lo += stretch {
		part := s.events[lo:min(len(s.events), lo+stretch)]
		next := part[len(part)-1] >> sameBits
		between, n := step(s.events[kept:], part, last, int64(order-1))
		sum += between
		kept += n
		last = next
		if err := w.Done(4 * len(part)); err != nil {
			return 0, err
		}
	}
	s.events = s.events[:kept]
	return int(sum), nil
}

// step is a stretch of apart: it moves the events for the order to kept, and returns what
// is between each and the one before, and how many it moved. It is a function of its own as
// its variables then all have registers.
//
//go:noinline
func step(kept, events []int64, last, order int64) (sum int64, n int) {
	for _, e := range events {
		more := e >> sameBits
		sum += max(more-last, last-more)
		last = more
		kept[n] = e
		n += int(uint64(e&(1<<sameBits-1)-order) >> 63)
	}
	return sum, n
}

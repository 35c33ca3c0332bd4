package editdist

import (
	"math"

	"github.com/mteval/mteval/internal/pace"
)

// infinity is more than any distance, and twice it is a number of 32 bits.
const infinity = math.MaxInt32 / 2

// firstBand is the width of the first band that is tried.
const firstBand = 1024

// strips is what goes through the matrix by strips of rows: rows are of the pattern,
// columns of the text, as numbers.
type strips struct {
	// slots holds, by number, which of the masks of the strip is the symbol's; all zero
	// between strips. Mask 0 has no bits.
	slots []uint32
	masks []uint64
	// deltas holds by column, of the row at the border of two strips, whether the cell is
	// one more (1) or one less (2) than that on its left.
	deltas []uint8
	column []int32  // see lastColumn
	kept   []window // of keep
}

// A window is the part of a strip that is computed: columns after from up to to.
type window struct{ from, to, offset int }

func (s *strips) init(numbers int) {
	if len(s.slots) < numbers {
		s.slots = make([]uint32, numbers)
	}
}

// open makes the masks of the strip of these symbols, in so many blocks.
func (s *strips) open(pattern []uint32, blocks int) {
	s.masks = append(s.masks[:0], zeros[:blocks]...)
	for i, number := range pattern {
		slot := s.slots[number]
		if slot == 0 {
			slot = uint32(len(s.masks) / blocks)
			s.slots[number] = slot
			s.masks = append(s.masks, zeros[:blocks]...)
		}
		s.masks[int(slot)*blocks+i/64] |= 1 << (i % 64)
	}
}

var zeros [shortBlocks]uint64

// close undoes open.
func (s *strips) close(pattern []uint32) {
	for _, number := range pattern {
		s.slots[number] = 0
	}
}

// A band is the part of the matrix in which all ways of at most `most` edits run: cells
// whose column is at most below less than the row, and at most above more.
type band struct{ most, below, above int }

// newBand returns the band of at most so many edits, no less than the difference of the
// lengths, between a pattern of n symbols and a text of m.
func newBand(n, m, most int) band { return band{most, (most - (m - n)) / 2, (most + (m - n)) / 2} }

// window returns the columns of a strip of rows after top up to bottom.
func (b band) window(top, bottom, columns int) (from, to int) {
	return max(0, top-b.below), min(columns, bottom+b.above)
}

// growBand calls try for wider and wider bands between a pattern of n symbols and a text
// of m, until it says that the band was wide enough. The last one is the whole matrix.
func growBand(n, m int, try func(b band) (bool, error)) error {
	all := max(n, m)
	most := firstBand + max(n, m) - min(n, m)
	for {
		if most >= all/4 {
			most = 2 * all // the whole matrix, as all is no less than the distance
		}
		if ok, err := try(newBand(n, m, most)); ok || err != nil {
			return err
		}
		most *= 4
	}
}

// distance is the edit distance.
func (sc *Scratch) distance(w *pace.Pace, pattern, text []uint32) (dist int, _ error) {
	err := growBand(len(pattern), len(text), func(b band) (bool, error) {
		if err := sc.lastColumn(w, pattern, text, b); err != nil {
			return false, err
		}
		dist = int(sc.column[len(pattern)])
		return dist <= b.most, nil
	})
	return dist, err
}

// lastColumn sets sc.column to the distances of the pattern's beginnings, from none of it
// on, from the text. Those of ways in the band are right, others may be too large. Where no
// way is as short as the band allows it may give up, with infinity for all but the first.
func (sc *Scratch) lastColumn(w *pace.Pace, pattern, text []uint32, b band) error {
	sc.column = resize(sc.column, len(pattern)+1)
	for i := range sc.column {
		sc.column[i] = infinity
	}
	sc.column[0] = int32(len(text))
	sc.deltas = resize(sc.deltas, len(text))
	for j := range sc.deltas {
		sc.deltas[j] = 1
	}
	sc.plus, sc.minus = resize(sc.plus, shortBlocks), resize(sc.minus, shortBlocks)
	corner, at := 0, 0 // the distance at the top left of the strip, and its column
	for top := 0; top < len(pattern); top += 64 * shortBlocks {
		rows := pattern[top:min(len(pattern), top+64*shortBlocks)]
		from, to := b.window(top, top+len(rows), len(text))
		if from > len(text) {
			break
		}
		corner += sum(sc.deltas[at:from])
		at = from
		deltas := sc.deltas[from:to]
		border := 0
		if to == len(text) {
			border = corner + sum(deltas)
		}
		if err := sc.strip(w, rows, text[from:to], deltas); err != nil {
			return err
		}
		if to == len(text) {
			for i := range rows {
				border += int(sc.plus[i/64]>>(i%64)&1) - int(sc.minus[i/64]>>(i%64)&1)
				sc.column[top+1+i] = int32(border)
			}
		}
		corner += len(rows)
		// In the border row all ways that go on must be short enough.
		if to < len(text) && b.leastMost(corner, from-top-len(rows), deltas) > b.most {
			return nil
		}
		if err := w.Done(len(rows) + len(deltas)); err != nil {
			return err
		}
	}
	return nil
}

// leastMost returns the least edits that a way to the end takes which goes through a row,
// whose first cell is a distance of dist, and is so many columns right of the diagonal.
func (b band) leastMost(dist, diagonal int, deltas []uint8) int {
	goal := b.above - b.below
	least := dist + abs(goal-diagonal)
	for _, d := range deltas {
		dist += delta(d)
		diagonal++
		least = min(least, dist+abs(goal-diagonal))
	}
	return least
}

func abs(x int) int { return max(x, -x) }

func delta(d uint8) int { return int(d&1) - int(d>>1) }

func sum(deltas []uint8) int {
	n := 0
	for _, d := range deltas {
		n += delta(d)
	}
	return n
}

// strip goes through the columns of a strip, from one in which each cell is one more than
// that above it. deltas are of the row above it, and become those of its last row. sc.plus
// and sc.minus become those of the last column.
func (sc *Scratch) strip(w *pace.Pace, pattern, text []uint32, deltas []uint8) error {
	blocks := (len(pattern) + 63) / 64
	plus, minus := sc.plus[:blocks], sc.minus[:blocks]
	for b := range blocks {
		plus[b], minus[b] = ^uint64(0), 0
	}
	last := (len(pattern) - 1) % 64
	sc.open(pattern, blocks)
	defer sc.close(pattern)
	for len(text) > 0 {
		part := text[:min(len(text), chunk)]
		for j, number := range part {
			slot := int(sc.slots[number]) * blocks
			places := sc.masks[slot : slot+len(plus)]
			minus := minus[:len(plus)]
			upCarry, downCarry := uint64(deltas[j]&1), uint64(deltas[j]>>1)
			var up, down uint64
			for b, here := range places {
				plus[b], minus[b], up, down = step(here, plus[b], minus[b], upCarry, downCarry)
				upCarry, downCarry = up>>63, down>>63
			}
			deltas[j] = uint8(up>>last&1 | down>>last&1<<1)
		}
		if err := w.Done((4 + 2*blocks) * len(part)); err != nil {
			return err
		}
		text, deltas = text[len(part):], deltas[len(part):]
	}
	return nil
}

// keep goes through the matrix within the band by strips of 64 rows, and keeps the bits of
// every column, from that before the window on, in sc.plus and sc.minus.
func (sc *Scratch) keep(w *pace.Pace, pattern, text []uint32, b band) error {
	sc.deltas = resize(sc.deltas, len(text))
	for j := range sc.deltas {
		sc.deltas[j] = 1
	}
	sc.kept = sc.kept[:0]
	n := 0
	for top := 0; top < len(pattern); top += 64 {
		from, to := b.window(top, min(len(pattern), top+64), len(text))
		sc.kept = append(sc.kept, window{from, to, n})
		n += to - from + 1
	}
	sc.plus, sc.minus = resize(sc.plus, n), resize(sc.minus, n)
	for k, win := range sc.kept {
		rows := pattern[64*k : min(len(pattern), 64*k+64)]
		sc.open(rows, 1)
		keptPlus, keptMinus := sc.plus[win.offset:], sc.minus[win.offset:]
		plus, minus := ^uint64(0), uint64(0)
		keptPlus[0], keptMinus[0] = plus, minus
		deltas := sc.deltas[win.from:win.to]
		keptPlus, keptMinus = keptPlus[1:1+len(deltas)], keptMinus[1:1+len(deltas)]
		for j, number := range text[win.from:win.to] {
			var up, down uint64
			plus, minus, up, down = step(sc.masks[sc.slots[number]], plus, minus, uint64(deltas[j]&1), uint64(deltas[j]>>1))
			keptPlus[j], keptMinus[j] = plus, minus
			deltas[j] = uint8(up>>63 | down>>63<<1)
		}
		sc.close(rows)
		if err := w.Done(4*len(deltas) + 2*len(rows)); err != nil {
			return err
		}
	}
	return nil
}

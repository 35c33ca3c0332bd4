// Package editdist is the edit distance (Levenshtein) of sequences of symbols, by
// Myers' bit vectors (J. ACM 46(3), 1999) in the form of Hyyrö (2003): 64 cells of
// the matrix in a few operations on a word.
//
// Long pairs take memory in proportion to their lengths: the matrix is gone through in
// strips of rows, of which only the border to the next is kept, and within a band about
// the diagonal that is made wider until it holds the distance (Ukkonen, Information and
// Control 64, 1985). An alignment is found by dividing the pair in two (Hirschberg, CACM
// 18(6), 1975).
package editdist

import (
	"slices"

	"github.com/mteval/mteval/internal/pace"
)

// shortBlocks bounds the words of 64 symbols of a pattern that holds the places of its
// symbols as bits. Those of longer ones, quadratic in the length, are made strip by strip.
const shortBlocks = 16

// A Pattern is the sequence that others are compared with. It is immutable and safe
// for concurrent use.
type Pattern struct {
	symbols []uint32
	blocks  int // words of 64 bits for a column
	// table is a hash table of the different symbols, open addressing, its length
	// a power of two.
	table []entry
	// counts holds, by number, how often the symbol stands in the pattern. Number 0 is
	// a symbol that does not.
	counts []uint32
	// masks holds, by number, the places at which the symbol stands, as blocks words.
	// A long pattern has none.
	masks []uint64
}

// An entry gives the symbols numbers.
type entry struct{ symbol, number uint32 } // number 0: free

// An Arena gives patterns their memory in large pieces. The zero value is ready.
type Arena struct {
	entries []entry
	counts  []uint32
	masks   []uint64
	exact   bool     // no more than is needed
	found   []uint32 // by place, the number of the symbol
	count   []uint32 // by number, as in Pattern
}

// take returns n zeros cut off the arena's piece.
func take[T any](a *Arena, piece *[]T, n int) []T {
	if a.exact {
		return make([]T, n)
	}
	if len(*piece) < n {
		*piece = make([]T, max(n, 1<<14))
	}
	out := (*piece)[:n:n]
	*piece = (*piece)[n:]
	return out
}

// NewPattern returns the pattern of symbols, which it keeps.
func NewPattern(symbols []uint32) Pattern {
	return (&Arena{exact: true}).NewPattern(symbols)
}

// NewPattern is NewPattern with memory of the arena's.
func (a *Arena) NewPattern(symbols []uint32) Pattern {
	p := Pattern{symbols: symbols, blocks: (len(symbols) + 63) / 64}
	size := 2
	for size < len(symbols)+len(symbols)/2 {
		size *= 2
	}
	p.table = take(a, &a.entries, size)
	// First the different symbols, as masks of all would be quadratic in the length.
	a.found = resize(a.found, len(symbols))
	a.count = append(a.count[:0], 0)
	for i, s := range symbols {
		e := p.entry(s)
		if e.number == 0 {
			*e = entry{s, uint32(len(a.count))}
			a.count = append(a.count, 0)
		}
		a.found[i] = e.number
		a.count[e.number]++
	}
	p.counts = take(a, &a.counts, len(a.count))
	copy(p.counts, a.count)
	if p.blocks <= shortBlocks {
		p.masks = take(a, &a.masks, len(p.counts)*p.blocks)
		for i, number := range a.found {
			p.masks[int(number)*p.blocks+i/64] |= 1 << (i % 64)
		}
	}
	return p
}

// entry returns the entry of a symbol, or the free one where it would be.
func (p *Pattern) entry(symbol uint32) *entry {
	for at := p.slot(symbol); ; at = (at + 1) & (len(p.table) - 1) {
		if e := &p.table[at]; e.number == 0 || e.symbol == symbol {
			return e
		}
	}
}

// Len is the number of symbols.
func (p *Pattern) Len() int { return len(p.symbols) }

func (p *Pattern) slot(symbol uint32) int {
	h := symbol * 0x9e3779b1
	return int(h^h>>16) & (len(p.table) - 1)
}

// places returns where a symbol stands, as bits.
func (p *Pattern) places(symbol uint32) []uint64 {
	at := int(p.entry(symbol).number) * p.blocks // number 0 has no bits
	return p.masks[at : at+p.blocks]
}

// numbers sets dst to the numbers of symbols.
func (p *Pattern) numbers(dst, symbols []uint32) []uint32 {
	dst = resize(dst, len(symbols))
	for i, s := range symbols {
		dst[i] = p.entry(s).number
	}
	return dst
}

// Scratch holds buffers that serve again. The zero value is ready.
type Scratch struct {
	plus, minus   []uint64
	ops           []Op
	left          []uint32 // of Common
	pattern, text []uint32 // numbers of symbols
	strips
	halves
}

// Large says whether the scratch holds so much memory, after long texts, that it should
// rather not be kept.
func (sc *Scratch) Large() bool {
	const most = 1 << 18
	return cap(sc.plus) > most || cap(sc.text) > most || cap(sc.pattern) > most || cap(sc.left) > most || cap(sc.ops) > most
}

// step computes the 64 cells of a column below one another from those of the column before
// on the left. Bits of plus and minus say where a cell is one more or less than that above
// it; those of up and down where it is one more or less than that on its left. Of the cell
// above all, up and down are in carry bits.
func step(places, plus, minus, upCarry, downCarry uint64) (newPlus, newMinus, up, down uint64) {
	places |= downCarry
	diagonal := (((places & plus) + plus) ^ plus) | places | minus
	up = minus | ^(diagonal | plus)
	down = plus & diagonal
	u, d := up<<1|upCarry, down<<1|downCarry
	return d | ^(diagonal | u), diagonal & u, up, down
}

// chunk is the number of columns between two looks at the context.
const chunk = 1 << 13

// Distance is the least number of insertions, deletions and substitutions of single
// symbols that make the pattern of text, in O(len(text)·(Len()/64 + 1)) time at most, and
// memory in proportion to both lengths. Of long ones it takes less time the more equal they
// are. Its only error is that of w.
func (p *Pattern) Distance(w *pace.Pace, text []uint32, sc *Scratch) (int, error) {
	switch {
	case p.blocks == 1:
		return p.distance64(w, text)
	case p.blocks <= shortBlocks:
		return p.short(w, text, sc)
	}
	inner, text, _, _ := trim(p.symbols, text)
	if len(inner) == 0 || len(text) == 0 {
		return len(inner) + len(text), w.Done(p.Len())
	}
	sc.pattern, sc.text = p.numbers(sc.pattern, inner), p.numbers(sc.text, text)
	sc.strips.init(len(p.counts))
	return sc.distance(w, sc.pattern, sc.text)
}

// trim takes off what both begin and end with.
func trim(pattern, text []uint32) (_, _ []uint32, prefix, suffix int) {
	n := min(len(pattern), len(text))
	for prefix < n && text[prefix] == pattern[prefix] {
		prefix++
	}
	for suffix < n-prefix && text[len(text)-1-suffix] == pattern[len(pattern)-1-suffix] {
		suffix++
	}
	return pattern[prefix : len(pattern)-suffix], text[prefix : len(text)-suffix], prefix, suffix
}

// distance64 is Distance for a pattern of up to 64 symbols.
func (p *Pattern) distance64(w *pace.Pace, text []uint32) (int, error) {
	plus, minus, dist := ^uint64(0), uint64(0), len(p.symbols)
	for {
		part := text[:min(len(text), chunk)]
		plus, minus, dist = p.columns64(part, plus, minus, dist)
		if err := w.Done(4 * len(part)); err != nil {
			return 0, err
		}
		if text = text[len(part):]; len(text) == 0 {
			return dist, nil
		}
	}
}

// columns64 goes on by some columns, with the bits and the distance of the one before.
func (p *Pattern) columns64(text []uint32, plus, minus uint64, dist int) (uint64, uint64, int) {
	last := uint64(1) << (len(p.symbols) - 1)
	for _, symbol := range text {
		var up, down uint64
		plus, minus, up, down = step(p.masks[p.entry(symbol).number], plus, minus, 1, 0)
		if up&last != 0 {
			dist++
		}
		if down&last != 0 {
			dist--
		}
	}
	return plus, minus, dist
}

// short is Distance for a pattern that has masks.
func (p *Pattern) short(w *pace.Pace, text []uint32, sc *Scratch) (int, error) {
	n := len(p.symbols)
	dist := n
	if n == 0 {
		return len(text), nil
	}
	sc.plus, sc.minus = resize(sc.plus, p.blocks), resize(sc.minus, p.blocks)
	for b := range p.blocks {
		sc.plus[b], sc.minus[b] = ^uint64(0), 0
	}
	last := uint64(1) << ((n - 1) % 64)
	for {
		part := text[:min(len(text), chunk)]
		for _, symbol := range part {
			places := p.places(symbol)
			plus, minus := sc.plus[:len(places)], sc.minus[:len(places)]
			upCarry, downCarry := uint64(1), uint64(0)
			var up, down uint64
			for b, here := range places {
				plus[b], minus[b], up, down = step(here, plus[b], minus[b], upCarry, downCarry)
				upCarry, downCarry = up>>63, down>>63
			}
			if up&last != 0 {
				dist++
			}
			if down&last != 0 {
				dist--
			}
		}
		if err := w.Done((4 + 2*p.blocks) * len(part)); err != nil {
			return 0, err
		}
		if text = text[len(part):]; len(text) == 0 {
			return dist, nil
		}
	}
}

func resize[T any](v []T, n int) []T { return slices.Grow(v[:0], n)[:n] }

// Common is the number of symbols that text and pattern have in common, each as often
// as it stands in both. Its only error is that of w.
func (p *Pattern) Common(w *pace.Pace, text []uint32, sc *Scratch) (int, error) {
	// How often each symbol of the pattern may still be used.
	sc.left = append(sc.left[:0], p.counts...)
	n := 0
	for {
		part := text[:min(len(text), chunk)]
		for _, symbol := range part {
			if number := p.entry(symbol).number; sc.left[number] > 0 { // 0 of no symbol
				sc.left[number]--
				n++
			}
		}
		if err := w.Done(len(p.counts) + 4*len(part)); err != nil {
			return 0, err
		}
		if text = text[len(part):]; len(text) == 0 {
			return n, nil
		}
	}
}

// Package editdist is the edit distance (Levenshtein) of sequences of symbols, by
// Myers' bit vectors (J. ACM 46(3), 1999) in the form of Hyyrö (2003): 64 cells of
// the matrix in a few operations on a word.
package editdist

import (
	"math/bits"
	"slices"
)

// A Pattern is the sequence that others are compared with. It is immutable and safe
// for concurrent use.
type Pattern struct {
	symbols []uint32
	blocks  int // words of 64 bits for a column
	// table is a hash table of the different symbols, open addressing, its length
	// a power of two.
	table []entry
	// masks holds, by entry, the places at which the symbol stands, as blocks
	// words. Entry 0 is a symbol that does not occur.
	masks []uint64
}

type entry struct {
	symbol uint32
	mask   uint32 // 0: free
}

// An Arena gives patterns their memory in large pieces. The zero value is ready.
type Arena struct {
	entries []entry
	masks   []uint64
	exact   bool     // no more than is needed
	found   []uint32 // by symbol, its mask
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
	// First the different symbols, as masks of all would be quadratic in a long line.
	different := uint32(1)
	a.found = slices.Grow(a.found[:0], len(symbols))[:len(symbols)]
	for i, s := range symbols {
		e := p.entry(s)
		if e.mask == 0 {
			*e = entry{s, different}
			different++
		}
		a.found[i] = e.mask
	}
	p.masks = take(a, &a.masks, int(different)*p.blocks)
	for i, mask := range a.found {
		p.masks[int(mask)*p.blocks+i/64] |= 1 << (i % 64)
	}
	return p
}

// entry returns the entry of a symbol, or the free one where it would be.
func (p *Pattern) entry(symbol uint32) *entry {
	for at := p.slot(symbol); ; at = (at + 1) & (len(p.table) - 1) {
		if e := &p.table[at]; e.mask == 0 || e.symbol == symbol {
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
	mask := int(p.entry(symbol).mask) // 0 has no bits
	return p.masks[mask*p.blocks : (mask+1)*p.blocks]
}

// Large says whether the scratch holds so much memory, after a long alignment, that it
// should rather not be kept.
func (sc *Scratch) Large() bool { return cap(sc.plus) > 1<<18 }

// Scratch holds buffers that serve again. The zero value is ready.
type Scratch struct {
	plus, minus []uint64
	ops         []Op
}

// Distance is the least number of insertions, deletions and substitutions of single
// symbols that make the pattern of text, in O(len(text)·(Len()/64 + 1)) time and
// O(Len()/64) memory.
func (p *Pattern) Distance(text []uint32, sc *Scratch) int {
	if p.blocks == 1 {
		return p.distance64(text)
	}
	sc.plus, sc.minus = resize(sc.plus, p.blocks), resize(sc.minus, p.blocks)
	return p.run(text, sc, false)
}

// distance64 is Distance for a pattern of up to 64 symbols.
func (p *Pattern) distance64(text []uint32) int {
	n := len(p.symbols)
	plus, minus := ^uint64(0), uint64(0)
	dist := n
	last := uint64(1) << (n - 1)
	for _, symbol := range text {
		places := p.places(symbol)[0]
		diagonal := (((places & plus) + plus) ^ plus) | places | minus
		up := minus | ^(diagonal | plus)
		down := plus & diagonal
		if up&last != 0 {
			dist++
		}
		if down&last != 0 {
			dist--
		}
		up = up<<1 | 1
		plus = down<<1 | ^(diagonal | up)
		minus = diagonal & up
	}
	return dist
}

// run goes through the columns of the matrix, one a symbol of the text. With keep it
// leaves the bits of every column in sc, else those of the last.
func (p *Pattern) run(text []uint32, sc *Scratch, keep bool) int {
	n := len(p.symbols)
	dist := n
	if n == 0 {
		return len(text)
	}
	for b := range p.blocks {
		sc.plus[b], sc.minus[b] = ^uint64(0), 0
	}
	last := uint64(1) << ((n - 1) % 64)
	at := 0
	for _, symbol := range text {
		places := p.places(symbol)
		plus, minus := sc.plus[at:at+p.blocks], sc.minus[at:at+p.blocks]
		outPlus, outMinus := plus, minus
		if keep {
			at += p.blocks
			outPlus, outMinus = sc.plus[at:at+p.blocks], sc.minus[at:at+p.blocks]
		}
		upCarry, downCarry := uint64(1), uint64(0)
		for b, here := range places {
			pv, mv := plus[b], minus[b]
			x := here | downCarry
			diagonal := (((x & pv) + pv) ^ pv) | x | mv
			up := mv | ^(diagonal | pv)
			down := pv & diagonal
			if b == p.blocks-1 {
				if up&last != 0 {
					dist++
				}
				if down&last != 0 {
					dist--
				}
			}
			upNext, downNext := up>>63, down>>63
			up = up<<1 | upCarry
			down = down<<1 | downCarry
			outPlus[b] = down | ^(diagonal | up)
			outMinus[b] = diagonal & up
			upCarry, downCarry = upNext, downNext
		}
	}
	return dist
}

func resize(v []uint64, n int) []uint64 { return slices.Grow(v[:0], n)[:n] }

// Op is a step of an alignment.
type Op uint8

// The steps. The words are those of speech recognition: an insertion is a symbol of
// the text that the pattern lacks.
const (
	Match Op = iota
	Substitution
	Deletion  // a symbol of the pattern that the text lacks
	Insertion // a symbol of the text that the pattern lacks
)

// Align returns the steps of a shortest way from the pattern to the text. Of several
// it takes the one that RapidFuzz and so jiwer take, as the numbers of matches and
// substitutions depend on it. Steps are in order; the slice is good until sc is used
// again. It takes O(Len()·len(text)/64) time and memory.
func (p *Pattern) Align(text []uint32, sc *Scratch) []Op {
	sc.ops = sc.ops[:0]
	// What both begin and end with is matched as it is.
	prefix := 0
	for prefix < len(text) && prefix < len(p.symbols) && text[prefix] == p.symbols[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(text)-prefix && suffix < len(p.symbols)-prefix &&
		text[len(text)-1-suffix] == p.symbols[len(p.symbols)-1-suffix] {
		suffix++
	}
	for range suffix {
		sc.ops = append(sc.ops, Match)
	}
	text = text[prefix : len(text)-suffix]
	inner := p
	if prefix+suffix > 0 {
		q := NewPattern(p.symbols[prefix : len(p.symbols)-suffix])
		inner = &q
	}
	col, row := len(inner.symbols), len(text)
	if col > 0 && row > 0 {
		n := inner.blocks * (row + 1)
		sc.plus, sc.minus = resize(sc.plus, n), resize(sc.minus, n)
		inner.run(text, sc, true)
	}
	bit := func(v []uint64, row, col int) bool {
		return v[row*inner.blocks+(col-1)/64]>>((col-1)%64)&1 != 0
	}
	for row > 0 && col > 0 {
		switch {
		case bit(sc.plus, row, col):
			col--
			sc.ops = append(sc.ops, Deletion)
		case row > 1 && bit(sc.minus, row-1, col):
			row--
			sc.ops = append(sc.ops, Insertion)
		default:
			row--
			col--
			op := Match
			if inner.symbols[col] != text[row] {
				op = Substitution
			}
			sc.ops = append(sc.ops, op)
		}
	}
	for ; col > 0; col-- {
		sc.ops = append(sc.ops, Deletion)
	}
	for ; row > 0; row-- {
		sc.ops = append(sc.ops, Insertion)
	}
	for range prefix {
		sc.ops = append(sc.ops, Match)
	}
	slices.Reverse(sc.ops)
	return sc.ops
}

// Common is the number of symbols that text and pattern have in common, each as often
// as it stands in both. sc's first use may allocate.
func (p *Pattern) Common(text []uint32, sc *Scratch) int {
	sc.plus = resize(sc.plus, len(p.masks)/max(1, p.blocks))
	if p.blocks == 0 {
		return 0
	}
	// How often each symbol of the pattern may still be used.
	for i := range sc.plus {
		left := 0
		for _, m := range p.masks[i*p.blocks : (i+1)*p.blocks] {
			left += bits.OnesCount64(m)
		}
		sc.plus[i] = uint64(left)
	}
	n := 0
	for _, symbol := range text {
		if e := p.entry(symbol); sc.plus[e.mask] > 0 { // that of no symbol is 0
			sc.plus[e.mask]--
			n++
		}
	}
	return n
}

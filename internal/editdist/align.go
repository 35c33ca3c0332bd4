package editdist

import (
	"slices"

	"github.com/mteval/mteval/internal/pace"
)

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

// halves is what dividing a pair takes.
type halves struct {
	reversedPattern, reversedText []uint32
	first                         []int32 // lastColumn of the first half
}

// Align returns the steps of a shortest way from the pattern to the text. Of several
// it takes the one that RapidFuzz and so jiwer take, as the numbers of matches and
// substitutions depend on it: they too divide a long pair, in the same places. Steps are
// in order; the slice is good until sc is used again. It takes time as Distance does, twice,
// and memory in proportion to both lengths. Its only error is that of w.
func (p *Pattern) Align(w *pace.Pace, text []uint32, sc *Scratch) ([]Op, error) {
	sc.ops = sc.ops[:0]
	pattern, text, prefix, suffix := trim(p.symbols, text)
	sc.repeat(Match, suffix)
	if len(pattern) > 0 && len(text) > 0 {
		sc.pattern, sc.text = p.numbers(sc.pattern, pattern), p.numbers(sc.text, text)
		sc.strips.init(len(p.counts))
		sc.reversedPattern, sc.reversedText = sc.reversedPattern[:0], sc.reversedText[:0]
		err := sc.align(w, part{0, len(pattern), 0, len(text)}, -1)
		if err != nil {
			return nil, err
		}
	} else {
		sc.repeat(Deletion, len(pattern))
		sc.repeat(Insertion, len(text))
	}
	sc.repeat(Match, prefix)
	slices.Reverse(sc.ops)
	return sc.ops, w.Done(len(sc.ops))
}

// repeat appends a step n times.
func (sc *Scratch) repeat(op Op, n int) {
	for range n {
		sc.ops = append(sc.ops, op)
	}
}

// A part of a pair: the symbols from patternFrom up to patternTo, and those of the text.
type part struct{ patternFrom, patternTo, textFrom, textTo int }

// align appends the steps of a part, the last first. dist is its distance, negative if it
// is not known yet.
func (sc *Scratch) align(w *pace.Pace, a part, dist int) error {
	pattern, text, prefix, suffix := trim(sc.pattern[a.patternFrom:a.patternTo], sc.text[a.textFrom:a.textTo])
	a = part{a.patternFrom + prefix, a.patternTo - suffix, a.textFrom + prefix, a.textTo - suffix}
	n, m := len(pattern), len(text)
	sc.repeat(Match, suffix)
	most := dist
	if most < 0 {
		most = max(n, m)
	}
	var err error
	// RapidFuzz keeps two bits for each cell of a band that it takes to be so wide, and
	// divides the pair if they are a MiB or more.
	if 2*int64(min(n, 2*most+1))*int64(m)/8 < 1<<20 || n < 65 || m < 10 {
		err = sc.whole(w, pattern, text, newBand(n, m, most))
	} else {
		err = sc.divide(w, a, dist)
	}
	sc.repeat(Match, prefix)
	return err
}

// divide aligns the two halves of a part: those of the text, with those of the pattern
// that go with them at the least cost, the first of several.
func (sc *Scratch) divide(w *pace.Pace, a part, dist int) error {
	if len(sc.reversedText) == 0 {
		sc.reversedPattern = append(sc.reversedPattern, sc.pattern...)
		sc.reversedText = append(sc.reversedText, sc.text...)
		slices.Reverse(sc.reversedPattern)
		slices.Reverse(sc.reversedText)
	}
	pattern, text := sc.pattern[a.patternFrom:a.patternTo], sc.text[a.textFrom:a.textTo]
	back := sc.reversedPattern[len(sc.pattern)-a.patternTo : len(sc.pattern)-a.patternFrom]
	textBack := sc.reversedText[len(sc.text)-a.textTo : len(sc.text)-a.textFrom]
	n, m := len(pattern), len(text)
	half := m / 2
	var at, left, right int
	try := func(b band) (bool, error) {
		if err := sc.lastColumn(w, pattern, text[:half], b); err != nil {
			return false, err
		}
		sc.first, sc.column = sc.column, sc.first
		if err := sc.lastColumn(w, back, textBack[:m-half], b); err != nil {
			return false, err
		}
		left, right = infinity, infinity
		for i, l := range sc.first {
			if r := sc.column[n-i]; int(l)+int(r) < left+right {
				at, left, right = i, int(l), int(r)
			}
		}
		return left+right <= b.most, nil
	}
	var err error
	if dist < 0 {
		err = growBand(n, m, try)
	} else {
		_, err = try(newBand(n, m, dist))
	}
	if err != nil {
		return err
	}
	if err := sc.align(w, part{a.patternFrom + at, a.patternTo, a.textFrom + half, a.textTo}, right); err != nil {
		return err
	}
	return sc.align(w, part{a.patternFrom, a.patternFrom + at, a.textFrom, a.textFrom + half}, left)
}

// whole appends the steps of a pair, the last first.
func (sc *Scratch) whole(w *pace.Pace, pattern, text []uint32, b band) error {
	col, row := len(pattern), len(text)
	if col > 0 && row > 0 {
		if err := sc.keep(w, pattern, text, b); err != nil {
			return err
		}
	}
	bit := func(v []uint64, row, col int) bool {
		win := &sc.kept[(col-1)/64]
		return v[win.offset+row-win.from]>>((col-1)%64)&1 != 0
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
			if pattern[col] != text[row] {
				op = Substitution
			}
			sc.ops = append(sc.ops, op)
		}
	}
	sc.repeat(Deletion, col)
	sc.repeat(Insertion, row)
	return nil
}

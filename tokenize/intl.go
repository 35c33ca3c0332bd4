package tokenize

import (
	"slices"
	"sort"
	"unicode/utf8"
)

// intl is the tokenization of mteval-v14.pl --international-tokenization.
type intl struct{}

func (intl) Name() string { return "intl" }

// Append applies three substitutions, as sacreBLEU does:
//
//	(\P{N})(\p{P})  →  "\1 \2 "
//	(\p{P})(\P{N})  →  " \1 \2"
//	(\p{S})         →  " \1 "
//
// so a punctuation mark stays with its neighbours only between two digits, and
// where it ends the line after one: "in 1999." keeps its stop, a fault of
// mteval-v14 that is kept.
func (intl) Append(dst []byte, line string) []byte {
	from := len(dst)
	b := append(slices.Grow(dst, 2*len(line)), line...)
	b = splitAfterOther(b, from)
	b = splitBeforeOther(b, from)
	b = splitSymbols(b, from)
	return collapse(b, from)
}

// splitAfterOther splits off punctuation after what is no number.
func splitAfterOther(b []byte, from int) []byte {
	b, src := lift(b, from, 1)
	out := from
	for i := src; i < len(b); {
		w, c := classAt(b, i)
		out += copy(b[out:], b[i:i+w])
		i += w
		if c&number == 0 && i < len(b) {
			if w, c := classAt(b, i); c&punct != 0 {
				b[out] = ' '
				out += 1 + copy(b[out+1:], b[i:i+w])
				b[out] = ' '
				out++
				i += w
			}
		}
	}
	return b[:out]
}

// splitBeforeOther splits off punctuation before what is no number.
func splitBeforeOther(b []byte, from int) []byte {
	b, src := lift(b, from, 1)
	out := from
	for i := src; i < len(b); {
		w, c := classAt(b, i)
		if c&punct != 0 && i+w < len(b) {
			if w2, c2 := classAt(b, i+w); c2&number == 0 {
				b[out] = ' '
				out += 1 + copy(b[out+1:], b[i:i+w])
				b[out] = ' '
				out += 1 + copy(b[out+1:], b[i+w:i+w+w2])
				i += w + w2
				continue
			}
		}
		out += copy(b[out:], b[i:i+w])
		i += w
	}
	return b[:out]
}

// splitSymbols splits off every symbol.
func splitSymbols(b []byte, from int) []byte {
	b, src := lift(b, from, 2)
	out := from
	for i := src; i < len(b); {
		w, c := classAt(b, i)
		if c&symbol != 0 {
			b[out] = ' '
			out += 1 + copy(b[out+1:], b[i:i+w])
			b[out] = ' '
			out++
		} else {
			out += copy(b[out:], b[i:i+w])
		}
		i += w
	}
	return b[:out]
}

// Classes of characters: the general categories P, N and S.
const (
	punct = 1 << iota
	number
	symbol
)

// A classRange is a run of characters of one class; tables.go has all of them,
// in order.
type classRange struct {
	lo, hi rune
	class  uint8
}

// low holds the classes of the characters that two bytes of UTF-8 can write.
var low = func() (t [0x800]uint8) {
	for r := range t {
		t[r] = search(rune(r))
	}
	return t
}()

func search(r rune) uint8 {
	i := sort.Search(len(classes), func(i int) bool { return classes[i].hi >= r })
	if i < len(classes) && classes[i].lo <= r {
		return classes[i].class
	}
	return 0
}

// classAt returns the width and the class of the character at i.
func classAt(b []byte, i int) (int, uint8) {
	if c := b[i]; c < utf8.RuneSelf {
		return 1, low[c]
	}
	r, w := utf8.DecodeRune(b[i:])
	if r < rune(len(low)) {
		return w, low[r]
	}
	if r == utf8.RuneError && w == 1 {
		return 1, 0
	}
	return w, search(r)
}

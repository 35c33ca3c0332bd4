package subword

import (
	"unicode/utf8"
)

// A span is a range of bytes.
type span struct{ start, end int32 }

// A buffer is text on its way through the normalizers, and where it comes from: byte i
// comes from align[i] of the input. Where aligned is false the text still has the bytes of
// the input's characters in the same places, from base on, and align is empty.
type buffer struct {
	b       []byte
	align   []span
	aligned bool
	base    int32
}

func (t *buffer) reset(base int32) {
	t.b, t.align, t.aligned, t.base = t.b[:0], t.align[:0], true, base
}

// at returns where byte i comes from: the whole character.
func (t *buffer) at(i int) span {
	if t.aligned {
		return t.align[i]
	}
	lo, hi := i, i+1
	for lo > 0 && !utf8.RuneStart(t.b[lo]) {
		lo--
	}
	for hi < len(t.b) && !utf8.RuneStart(t.b[hi]) {
		hi++
	}
	return span{t.base + int32(lo), t.base + int32(hi)}
}

// source returns where the bytes from start to end come from.
func (t *buffer) source(start, end int) span {
	return span{t.at(start).start, t.at(end - 1).end}
}

// addRune appends a character that comes from a.
func (t *buffer) addRune(r rune, a span) {
	n := len(t.b)
	t.b = utf8.AppendRune(t.b, r)
	for range len(t.b) - n {
		t.align = append(t.align, a)
	}
}

func (t *buffer) addByte(c byte, a span) {
	t.b = append(t.b, c)
	t.align = append(t.align, a)
}

// addString appends text all of which comes from a.
func (t *buffer) addString(s string, a span) {
	t.b = append(t.b, s...)
	for range len(s) {
		t.align = append(t.align, a)
	}
}

// addFrom appends bytes start to end of src with their alignment.
func (t *buffer) addFrom(src *buffer, start, end int) {
	t.b = append(t.b, src.b[start:end]...)
	if src.aligned {
		t.align = append(t.align, src.align[start:end]...)
		return
	}
	for i := start; i < end; {
		_, n := utf8.DecodeRune(src.b[i:])
		a := span{src.base + int32(i), src.base + int32(i+n)}
		for range n {
			t.align = append(t.align, a)
		}
		i += n
	}
}

// addFrom is dst.addFrom that looks at the context.
func (s *scratch) addFrom(dst, src *buffer, start, end int) {
	for end-start > lookBytes {
		next := start + lookBytes
		for !utf8.RuneStart(src.b[next]) {
			next--
		}
		dst.addFrom(src, start, next)
		s.look(next)
		start = next
	}
	dst.addFrom(src, start, end)
}

// A change is one character of a transformed text: 0 says that it stands for the next
// character of the text before, -n that it stands for that and the n after it, and 1 that
// it is new.
type change struct {
	r rune
	n int
}

// transform replaces the text by what s.changes make of it. It is the book-keeping of
// Hugging Face's NormalizedString, which alignments follow from.
func (s *scratch) transform() {
	src, t := &s.text, &s.spare
	t.reset(src.base)
	at := 0 // in src.b
	look := lookBytes
	for i, c := range s.changes {
		if i >= look {
			look = s.look(i)
		}
		var a span
		switch {
		case c.n <= 0 && at < len(src.b):
			a = src.at(at)
		case at > 0:
			a = src.at(at - 1)
		default:
			a = span{src.base, src.base}
		}
		if c.n <= 0 {
			for n := 1 - c.n; n > 0 && at < len(src.b); n-- {
				_, size := utf8.DecodeRune(src.b[at:])
				at += size
			}
		}
		t.addRune(c.r, a)
	}
	s.text, s.spare = s.spare, s.text
}

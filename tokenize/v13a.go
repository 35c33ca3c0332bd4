package tokenize

import (
	"slices"
	"strings"
)

// v13a is the tokenization of mteval-v13a.pl.
type v13a struct{}

func (v13a) Name() string { return "13a" }

// Append applies, in this order: removal of "<skipped>" and of line ends, four
// HTML entities, and the four substitutions of western.
func (v13a) Append(dst []byte, line string) []byte {
	n := len(dst)
	if !strings.ContainsAny(line, "<&\n") {
		dst = slices.Grow(dst, len(line)+2)
		dst = append(dst, ' ')
		dst = append(dst, line...)
	} else {
		dst = append(dst, ' ')
		dst = append(dst, unescape(line)...)
	}
	dst = append(dst, ' ')
	return western(dst, n)
}

var (
	cleaner  = []string{"<skipped>", "", "-\n", "", "\n", " "}
	entities = []string{"&quot;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">"}
)

// unescape does one replacement after another, not all at once: "&amp;lt;" ends
// as "<".
func unescape(line string) string {
	for i := 0; i < len(cleaner); i += 2 {
		line = strings.ReplaceAll(line, cleaner[i], cleaner[i+1])
	}
	return resolve(line)
}

// resolve replaces the entities.
func resolve(line string) string {
	if strings.Contains(line, "&") {
		for i := 0; i < len(entities); i += 2 {
			line = strings.ReplaceAll(line, entities[i], entities[i+1])
		}
	}
	return line
}

// split holds the ASCII characters that always stand alone: all but letters,
// digits and , - . and '.
var split = func() (t [256]bool) {
	for _, r := range [][2]byte{{'{', '~'}, {'[', '`'}, {' ', '&'}, {'(', '+'}, {':', '@'}, {'/', '/'}} {
		for c := int(r[0]); c <= int(r[1]); c++ {
			t[c] = true
		}
	}
	return t
}()

func digit(c byte) bool { return '0' <= c && c <= '9' }

func stop(c byte) bool { return c == '.' || c == ',' }

// western applies to b[from:] the substitutions that 13a and zh share:
//
//	([{-~[-` -&(-+:-@/])  →  " \1 "
//	([^0-9])([.,])        →  "\1 \2 "
//	([.,])([^0-9])        →  " \1 \2"
//	([0-9])(-)            →  "\1 \2 "
//
// All characters in the patterns are ASCII, so that bytes serve as characters:
// the last byte of a longer one is "not a digit", as the character is. A match
// takes its characters out of play for the rest of its substitution.
func western(b []byte, from int) []byte {
	return collapse(splitStops(splitPunct(b, from), from), from)
}

// splitPunct is the first substitution of western. As in the others, the source is
// moved up so that the result can be written from `from` without overtaking it.
func splitPunct(b []byte, from int) []byte {
	b, src := lift(b, from, 2)
	out := from
	for i := src; i < len(b); i++ {
		if c := b[i]; split[c] {
			b[out], b[out+1], b[out+2] = ' ', c, ' '
			out += 3
		} else {
			b[out] = c
			out++
		}
	}
	return b[:out]
}

// splitStops is the other three: stops, commas and dashes, but not within numbers.
func splitStops(b []byte, from int) []byte {
	b, src := lift(b, from, 1)
	out := from
	for i := src; i < len(b); i++ {
		c := b[i]
		b[out] = c
		out++
		if i+1 < len(b) && !digit(c) && stop(b[i+1]) {
			i++
			b[out], b[out+1], b[out+2] = ' ', b[i], ' '
			out += 3
		}
	}

	b, src = lift(b[:out], from, 1)
	out = from
	for i := src; i < len(b); i++ {
		c := b[i]
		if stop(c) && i+1 < len(b) && !digit(b[i+1]) {
			i++
			b[out], b[out+1], b[out+2], b[out+3] = ' ', c, ' ', b[i]
			out += 4
		} else {
			b[out] = c
			out++
		}
	}

	b, src = lift(b[:out], from, 1)
	out = from
	for i := src; i < len(b); i++ {
		c := b[i]
		b[out] = c
		out++
		if digit(c) && i+1 < len(b) && b[i+1] == '-' {
			i++
			b[out], b[out+1], b[out+2] = ' ', '-', ' '
			out += 3
		}
	}
	return b[:out]
}

// lift moves b[from:] up by grow times its length and returns the longer slice
// and where the moved bytes start.
func lift(b []byte, from, grow int) ([]byte, int) {
	n := len(b) - from
	b = slices.Grow(b, grow*n)[:len(b)+grow*n]
	src := from + grow*n
	copy(b[src:], b[from:from+n])
	return b, src
}

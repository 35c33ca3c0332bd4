package tokenize

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// v13a is the tokenization of mteval-v13a.pl.
type v13a struct{}

func (v13a) Name() string { return "13a" }

// Append applies, in this order: removal of "<skipped>" and of line ends, four
// HTML entities, and the four substitutions of western to the line with a space on
// either side.
func (v13a) Append(dst []byte, line string) []byte {
	if needsUnescape(line) {
		// What becomes of the line stands above where its tokens, with a space between,
		// can reach before they are read.
		from := len(dst)
		b, src := lift(append(dst, line...), from, 2)
		return western(b[:from], view(unescape(b, src)[src:]), true, nil)
	}
	return western(dst, line, true, nil)
}

var (
	cleaner  = []string{"<skipped>", "", "-\n", "", "\n", " "}
	entities = []string{"&quot;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">"}
)

// needsUnescape says whether unescape changes the line: the first replacement that does
// finds what it replaces in the line itself.
func needsUnescape(line string) bool {
	return strings.IndexByte(line, '\n') >= 0 || strings.Contains(line, "<skipped>") || hasEntity(line)
}

func hasEntity(line string) bool {
	for {
		i := strings.IndexByte(line, '&')
		if i < 0 {
			return false
		}
		line = line[i:]
		for k := 0; k < len(entities); k += 2 {
			if strings.HasPrefix(line, entities[k]) {
				return true
			}
		}
		line = line[1:]
	}
}

// unescape does one replacement after another in b[from:], not all at once: "&amp;lt;"
// ends as "<".
func unescape(b []byte, from int) []byte {
	for i := 0; i < len(cleaner); i += 2 {
		b = replace(b, from, cleaner[i], cleaner[i+1])
	}
	return resolve(b, from)
}

// resolve replaces the entities in b[from:].
func resolve(b []byte, from int) []byte {
	if bytes.IndexByte(b[from:], '&') < 0 {
		return b
	}
	for i := 0; i < len(entities); i += 2 {
		b = replace(b, from, entities[i], entities[i+1])
	}
	return b
}

// replace replaces old, in b[from:], by what is no longer.
func replace(b []byte, from int, old, with string) []byte {
	at, out := from, from
	for {
		i := strings.Index(view(b[at:]), old)
		switch {
		case i >= 0:
			out += copy(b[out:], b[at:at+i])
			out += copy(b[out:], with)
			at += i + len(old)
		case at == from:
			return b
		default:
			return b[:out+copy(b[out:], b[at:])]
		}
	}
}

// view is a text as a string, for as long as it does not change.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// Kinds of bytes.
const (
	plain   = iota
	blank   // ASCII white space
	lead    // the first byte of characters among which there is white space
	alone   // always stands alone
	full    // a stop or a comma
	dash    // stands alone after a digit
	numeral // 0 to 9
)

// kinds holds the kind of every byte. What stands alone is all of ASCII but letters,
// digits and , - . and '.
var kinds = func() (t [256]uint8) {
	for _, r := range [][2]byte{{'{', '~'}, {'[', '`'}, {' ', '&'}, {'(', '+'}, {':', '@'}, {'/', '/'}} {
		for c := int(r[0]); c <= int(r[1]); c++ {
			t[c] = alone
		}
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = numeral
	}
	t['.'], t[','], t['-'] = full, full, dash
	for c, space := range asciiSpace {
		if space {
			t[c] = blank
		}
	}
	for _, c := range []byte("\u0085\u1680\u2000\u3000") {
		if c >= 0xc0 {
			t[c] = lead
		}
	}
	return t
}()

// western appends the tokens that are left, with one space between, after these
// substitutions, which 13a and zh share:
//
//	([{-~[-` -&(-+:-@/])  →  " \1 "
//	([^0-9])([.,])        →  "\1 \2 "
//	([.,])([^0-9])        →  " \1 \2"
//	([0-9])(-)            →  "\1 \2 "
//
// It does them in one go. A match takes its characters out of play for the rest of its
// substitution, which matters in one place: the second does not find a stop whose
// predecessor is a stop that it has found ("a..5" keeps ".5"). So a stop stands alone if
// the second finds it, or if no digit follows. All characters in the patterns are ASCII,
// so that bytes serve as characters.
//
// padded says whether the line is to have a space on either side, which decides for a
// stop at its beginning or end. Characters for which apart, if not nil, says so stand
// alone too.
func western(dst []byte, line string, padded bool, apart func(rune) bool) []byte {
	from := len(dst)
	dst = slices.Grow(dst, 2*len(line))
	joined := false // the next byte goes on with the last token
	found := false  // the byte before is a stop that the second substitution finds
	for i := 0; i < len(line); {
		c := line[i]
		kind := kinds[c]
		width, single := 1, false
		wasFound := found
		found = false
		switch kind {
		case blank:
			joined = false
			i++
			continue
		case alone:
			single = true
		case full:
			if i == 0 {
				found = padded
			} else {
				found = kinds[line[i-1]] != numeral && !wasFound
			}
			single = found
			if !single {
				if i+1 == len(line) {
					single = padded
				} else {
					single = kinds[line[i+1]] != numeral
				}
			}
		case dash:
			single = i > 0 && kinds[line[i-1]] == numeral
		case lead:
			var r rune
			r, width = utf8.DecodeRuneInString(line[i:])
			if IsSpace(r) {
				joined = false
				i += width
				continue
			}
		}
		if apart != nil && c >= utf8.RuneSelf {
			var r rune
			r, width = utf8.DecodeRuneInString(line[i:])
			single = apart(r)
		}
		if (single || !joined) && len(dst) > from {
			dst = append(dst, ' ')
		}
		if !single && width == 1 {
			// What can be nothing but part of this token.
			for i+width < len(line) && kinds[line[i+width]] == plain && (apart == nil || line[i+width] < utf8.RuneSelf) {
				width++
			}
			found = found && width == 1
		}
		dst = append(dst, line[i:i+width]...)
		joined = !single
		i += width
	}
	return dst
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func stop(c byte) bool { return c == '.' || c == ',' }

// splitPunct is the first substitution of western, apart for tercom, which has another
// after it. As in the others, the source is moved up so that the result can be written
// from `from` without overtaking it.
func splitPunct(b []byte, from int) []byte {
	b, src := lift(b, from, 2)
	out := from
	for i := src; i < len(b); i++ {
		if c := b[i]; kinds[c] == alone || c == ' ' {
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

// Package tokenize splits text into the tokens of the standard evaluation
// tokenizers, equal byte for byte to those of sacreBLEU 2.6.
//
//	none  the text as it is, split at white space
//	13a   mteval-v13a's rules for Western languages, BLEU's default
//	intl  mteval-v14's: splits at all Unicode punctuation and symbols
//	zh    every Chinese character, and 13a's rules for the rest
//	char  every character
//
// White space is Python's (str.isspace): Unicode's, and U+001C to U+001F.
// The properties that intl splits by are those of one fixed Unicode version (see
// tables.go), so that they do not change with the Go release that a program is built
// with; those of Lower are the release's.
//
// Text that is not valid UTF-8 is passed through: each bad byte is a character
// that is neither white space nor a digit nor punctuation.
package tokenize

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Tokenizer rewrites a line so that its tokens stand apart. It is immutable
// and safe for concurrent use.
type Tokenizer interface {
	// Name is the name in a signature, such as "13a".
	Name() string
	// Append appends the rewritten line to dst and returns the extended
	// slice. Tokens in it are separated by white space, one space at most
	// for 13a, intl and zh. Those of this package allocate only to grow dst.
	Append(dst []byte, line string) []byte
}

// The tokenizers.
var (
	None Tokenizer = none{}
	V13a Tokenizer = v13a{}
	Intl Tokenizer = intl{}
	Zh   Tokenizer = zh{}
	Char Tokenizer = char{}
)

var all = []Tokenizer{None, V13a, Intl, Zh, Char}

// ByName returns the tokenizer of this name.
func ByName(name string) (Tokenizer, error) {
	var names []string
	for _, t := range all {
		if t.Name() == name {
			return t, nil
		}
		names = append(names, t.Name())
	}
	return nil, fmt.Errorf("tokenize: no tokenizer %q: have %s", name, strings.Join(names, ", "))
}

// String returns the rewritten line. It panics if t is nil.
func String(t Tokenizer, line string) string { return string(t.Append(nil, line)) }

// Each calls each for the tokens of a line, which it puts into buf. It returns buf, to
// be used again. It panics if t or each is nil.
func Each(buf []byte, t Tokenizer, line string, each func(token []byte)) []byte {
	buf = t.Append(buf[:0], line)
	for at := 0; ; {
		start, end, ok := Next(buf, at)
		if !ok {
			return buf
		}
		each(buf[start:end])
		at = end
	}
}

// Next returns the bounds of the first token of text at or after from, and
// whether there is one. Tokens are runs of characters that are not white space. It panics if
// from is negative.
func Next(text []byte, from int) (start, end int, ok bool) {
	for from < len(text) {
		w := spaceAt(text, from)
		if w == 0 {
			break
		}
		from += w
	}
	start = from
	for from < len(text) {
		// Most bytes can't begin white space; those that continue a character
		// can't either, so that there is no need to know its length.
		switch kinds[text[from]] {
		case blank:
			return start, from, from > start
		case lead:
			if spaceAt(text, from) > 0 {
				return start, from, from > start
			}
		}
		from++
	}
	return start, from, from > start
}

// spaceAt returns the width of the white space character at i, 0 if there is none.
func spaceAt(text []byte, i int) int {
	switch kinds[text[i]] {
	case blank:
		return 1
	case lead:
		if r, w := utf8.DecodeRune(text[i:]); IsSpace(r) {
			return w
		}
	}
	return 0
}

// asciiSpace holds Python's ASCII white space: \t \n \v \f \r, U+001C to U+001F
// and the space.
var asciiSpace = [utf8.RuneSelf]bool{
	'\t': true, '\n': true, '\v': true, '\f': true, '\r': true,
	0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true, ' ': true,
}

// IsSpace says whether a character is white space, as Python has it.
func IsSpace(r rune) bool {
	if uint32(r) < utf8.RuneSelf { // not a negative one, which is none
		return asciiSpace[r]
	}
	switch {
	case r == 0x85, r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a,
		r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// TrimRight returns the line without trailing white space.
func TrimRight(line string) string { return strings.TrimRightFunc(line, IsSpace) }

// Trim returns the line without white space around it.
func Trim(line string) string { return strings.TrimFunc(line, IsSpace) }

// collapse removes leading and trailing white space from b[from:] and makes
// every run of it one space, in place.
func collapse(b []byte, from int) []byte {
	at := from
	for i := from; ; {
		start, end, ok := Next(b, i)
		if !ok {
			return b[:at]
		}
		if at > from {
			b[at] = ' '
			at++
		}
		at += copy(b[at:], b[start:end])
		i = end
	}
}

// none leaves the line alone.
type none struct{}

func (none) Name() string { return "none" }

func (none) Append(dst []byte, line string) []byte { return append(dst, line...) }

// char puts a space between all characters.
type char struct{}

func (char) Name() string { return "char" }

func (char) Append(dst []byte, line string) []byte {
	dst = slices.Grow(dst, 2*len(line))
	for i := 0; i < len(line); {
		_, w := utf8.DecodeRuneInString(line[i:])
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, line[i:i+w]...)
		i += w
	}
	return dst
}

// Package fold puts lines in lower case, for the option Lowercase of metrics, in memory that
// is used again.
package fold

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/mteval/mteval/tokenize"
)

// A Line holds a line in lower case. It is for one goroutine.
type Line struct{ text []byte }

// Lower is tokenize.Lower of a line. It holds until the next call: what keeps it, or a part
// of it, has to copy it.
func (l *Line) Lower(line string) string {
	if isLower(line) {
		return line
	}
	l.text = tokenize.AppendLower(l.text[:0], line)
	return unsafe.String(unsafe.SliceData(l.text), len(l.text))
}

// LowerFor is Lower for a tokenizer. One of another package could keep the line, to find it
// again, and gets one of its own.
func (l *Line) LowerFor(t tokenize.Tokenizer, line string) string {
	switch t {
	case tokenize.None, tokenize.V13a, tokenize.Intl, tokenize.Zh, tokenize.Char:
		return l.Lower(line)
	}
	return strings.Clone(l.Lower(line))
}

// Cap is how many bytes it has room for.
func (l *Line) Cap() int { return cap(l.text) }

// isLower says whether a line is ASCII without capitals.
func isLower(line string) bool {
	for i := range len(line) {
		if c := line[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

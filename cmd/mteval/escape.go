package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Names of systems, metrics and files come from others, who may put into them what moves
// a terminal's cursor, turns its text around, or begins a new line or column. All that is
// written as text passes through one of these functions.

// visible writes control characters, line ends, characters that turn the direction of
// text as JSON does, \t, \n, \r, \u001b, \u202e, and bytes that are no UTF-8 as \xff. All
// else stays.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// hidden says whether visible writes a character in another way.
func hidden(r rune) bool {
	switch {
	case r < ' ', '\u007f' <= r && r <= '\u009f': // control characters
		return true
	case '\u2028' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\u061c': // line ends, direction
		return true
	}
	return false
}

// cell is visible with the backslash as \\, so that no two names become one.
func cell(s string) string { return visible(strings.ReplaceAll(s, `\`, `\\`)) }

// tsvLine writes a line of cells.
func tsvLine(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(cell(c))
	}
	b.WriteByte('\n')
}

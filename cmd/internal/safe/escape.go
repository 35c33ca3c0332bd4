package safe

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible writes control characters, line ends, characters that turn the direction of
// text as JSON does, \t, \n, \r, \u001b, \u202e, and bytes that are no UTF-8 as \xff. All
// else stays.
func Visible(s string) string {
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

// hidden says whether Visible writes a character in another way.
func hidden(r rune) bool {
	switch {
	case r < ' ', '\u007f' <= r && r <= '\u009f': // control characters
		return true
	case '\u2028' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\u061c': // line ends, direction
		return true
	}
	return false
}

// Cell is Visible with the backslash as \\, so that no two names become one.
func Cell(s string) string { return Visible(strings.ReplaceAll(s, `\`, `\\`)) }

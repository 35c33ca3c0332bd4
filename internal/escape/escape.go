// Package escape writes names on one line, so that they forge no row and move no cursor, and
// reads them again.
package escape

import (
	"fmt"
	"strconv"
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

// Short leaves out the middle of a message that is too long to be read, as one is that quotes a
// whole line or names all of many systems. What to do stands at the end.
func Short(s string) string {
	const most, behind = 1000, 300
	if len(s) <= most {
		return s
	}
	i, j := most-behind, len(s)-behind
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	for j < len(s) && !utf8.RuneStart(s[j]) {
		j++
	}
	return s[:i] + " … " + s[j:]
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

// FromCell is the name that Cell wrote, or s itself if that is nothing that it writes.
func FromCell(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		before, after, found := strings.Cut(rest, `\`)
		b.WriteString(before)
		if !found {
			break
		}
		text, n := escaped(after)
		if n == 0 {
			return s
		}
		b.WriteString(text)
		rest = after[n:]
	}
	// Other ways to write the same are not Cell's: \u0041, say.
	if Cell(b.String()) != s {
		return s
	}
	return b.String()
}

// escaped is what is meant by s after a backslash, and how many of its bytes that takes; 0:
// nothing is.
func escaped(s string) (text string, n int) {
	if s == "" {
		return "", 0
	}
	switch s[0] {
	case '\\':
		return `\`, 1
	case 't':
		return "\t", 1
	case 'n':
		return "\n", 1
	case 'r':
		return "\r", 1
	case 'u':
		n = 5
	case 'x':
		n = 3
	}
	if n == 0 || len(s) < n {
		return "", 0
	}
	code, err := strconv.ParseUint(s[1:n], 16, 16)
	if err != nil {
		return "", 0
	}
	if n == 3 {
		return string([]byte{byte(code)}), n
	}
	return string(rune(code)), n
}

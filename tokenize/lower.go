package tokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Lower returns the line in lower case by Unicode's full, language-independent
// mapping, final sigma included, as Python's str.lower. (It differs from Python in
// whether a capital sigma after a modifier letter is final.) A line that is in lower case
// already comes back without allocation if it is ASCII.
func Lower(line string) string {
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return string(AppendLower(nil, line))
		}
	}
	return strings.ToLower(line)
}

// AppendLower appends Lower(line) to dst. It allocates only to grow dst, and for the
// two letters that are more than a matter of one character: the capital sigma, whose
// form depends on its place in the word, and the I with a dot.
func AppendLower(dst []byte, line string) []byte {
	n := len(dst)
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == 'Σ' || r == 'İ':
			return append(dst[:n], cases.Lower(language.Und).String(line)...)
		case r == utf8.RuneError: // an invalid byte too stays as it is
			dst = append(dst, line[i:i+w]...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += w
	}
	return dst
}

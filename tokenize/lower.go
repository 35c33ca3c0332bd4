package tokenize

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Lower returns the line in lower case by Unicode's full, language-independent
// mapping, final sigma included, as Python's str.lower. A line that is in lower
// case already comes back without allocation if it is ASCII.
func Lower(line string) string {
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return cases.Lower(language.Und).String(line)
		}
	}
	return strings.ToLower(line)
}

// Package script tells how texts are written.
package script

import "unicode"

// WithoutSpaces says whether most letters of texts are Chinese or Japanese, which have no spaces
// between words.
func WithoutSpaces(texts []string) bool {
	balance := 0
	for _, text := range texts {
		for _, r := range text {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				balance++
			case unicode.IsLetter(r):
				balance--
			}
		}
	}
	return balance > 0
}

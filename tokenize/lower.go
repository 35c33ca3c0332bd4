package tokenize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower returns the line in lower case by Unicode's full, language-independent
// mapping, final sigma included, as Python's str.lower. A line that is in lower case
// already comes back without allocation if it is ASCII.
func Lower(line string) string {
	for i := range len(line) {
		if line[i] >= utf8.RuneSelf {
			return view(AppendLower(nil, line))
		}
	}
	return strings.ToLower(line)
}

// AppendLower appends Lower(line) to dst. It allocates only to grow dst.
func AppendLower(dst []byte, line string) []byte {
	dst = slices.Grow(dst, len(line))
	for i := 0; i < len(line); {
		start := i
		for i < len(line) && line[i] < utf8.RuneSelf {
			i++
		}
		if i > start {
			n := len(dst)
			dst = append(dst, line[start:i]...)
			for k, c := range dst[n:] {
				if 'A' <= c && c <= 'Z' {
					dst[n+k] = c + 'a' - 'A'
				}
			}
			continue
		}
		r, w := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		case r == 'Σ' && finalSigma(line, i, i+w):
			dst = append(dst, "ς"...)
		case r == utf8.RuneError: // an invalid byte too stays as it is
			dst = append(dst, line[i:i+w]...)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += w
	}
	return dst
}

// finalSigma says whether the capital sigma in line[start:end] ends a word: a cased
// character is before it and none after, those aside that case ignores. Such a run lies
// between two sigmas at most, so that a line of them takes no longer than others.
func finalSigma(line string, start, end int) bool {
	before := false
	for start > 0 {
		r, w := utf8.DecodeLastRuneInString(line[:start])
		start -= w
		if !caseIgnorable(r) {
			before = cased(r)
			break
		}
	}
	if !before {
		return false
	}
	for end < len(line) {
		r, w := utf8.DecodeRuneInString(line[end:])
		end += w
		if !caseIgnorable(r) {
			return !cased(r)
		}
	}
	return true
}

// cased is Unicode's property Cased.
func cased(r rune) bool {
	return unicode.In(r, unicode.Lower, unicode.Upper, unicode.Title, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable is Unicode's property Case_Ignorable.
func caseIgnorable(r rune) bool {
	switch r { // Word_Break is MidLetter, MidNumLet or Single_Quote
	case '\'', '.', ':', 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027, 0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

package tokenize

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Tercom is the tokenization of the TER program tercom, as sacreBLEU has it. The
// zero value puts the line in lower case and splits it at white space. It implements
// Tokenizer.
type Tercom struct {
	// Normalized resolves XML entities and splits off punctuation.
	Normalized bool
	// NoPunct removes punctuation.
	NoPunct bool
	// Asian makes Normalized split Chinese characters and Asian punctuation
	// apart, and NoPunct remove the latter. Without these two it does nothing.
	Asian bool
	// CaseSensitive leaves case alone.
	CaseSensitive bool
}

// Name is "tercom".
func (t Tercom) Name() string { return "tercom" }

// Append appends the tokens with one space between.
func (t Tercom) Append(dst []byte, line string) []byte {
	from := len(dst)
	dst = slices.Grow(dst, len(line)+2)
	dst = append(dst, ' ')
	if t.CaseSensitive {
		dst = append(dst, line...)
	} else {
		dst = AppendLower(dst, line)
	}
	if t.Normalized && strings.ContainsAny(line, "&\n") {
		dst = replace(dst, from+1, "\n-", "")
		dst = replace(dst, from+1, "\n", " ")
		dst = resolve(dst, from+1)
	}
	dst = append(dst, ' ')
	if t.Normalized {
		dst = splitPunct(dst, from)
		dst = possessives(dst, from)
		dst = splitStops(dst, from)
		if t.Asian {
			// The program's patterns for Hiragana and Katakana match only a
			// line that begins with them, and here it begins with a space.
			dst = mapRunes(dst, from, func(r rune) action {
				if tercomAsian(r) || asianPunct(r) {
					return apart
				}
				return keep
			})
		}
	}
	if t.NoPunct {
		dst = mapRunes(dst, from, func(r rune) action {
			if r < utf8.RuneSelf && strings.IndexByte(`.,?:;!"()`, byte(r)) >= 0 || t.Asian && asianPunct(r) {
				return drop
			}
			return keep
		})
	}
	return collapse(dst, from)
}

// possessives sets apart the 's before a space, in b[from:].
func possessives(b []byte, from int) []byte {
	b, src := lift(b, from, 1)
	out := from
	for i := src; i < len(b); i++ {
		if b[i] == '\'' && i+2 < len(b) && b[i+1] == 's' && b[i+2] == ' ' {
			out += copy(b[out:], " 's ")
			i += 2
			continue
		}
		b[out] = b[i]
		out++
	}
	return b[:out]
}

// action is what becomes of a character.
type action int

const (
	keep action = iota
	apart
	drop
)

// mapRunes keeps, sets apart or drops the characters of b[from:].
func mapRunes(b []byte, from int, what func(rune) action) []byte {
	b, src := lift(b, from, 2)
	out := from
	for i := src; i < len(b); {
		r, w := utf8.DecodeRune(b[i:])
		switch what(r) {
		case keep:
			out += copy(b[out:], b[i:i+w])
		case apart:
			b[out] = ' '
			out += 1 + copy(b[out+1:], b[i:i+w])
			b[out] = ' '
			out++
		}
		i += w
	}
	return b[:out]
}

// tercomAsian says whether a character stands alone: CJK ideographs, strokes,
// radicals, compatibility forms, enclosed letters. The last range ends at U+3F22, as
// in the program.
func tercomAsian(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf ||
		r >= 0x31c0 && r <= 0x31ef || r >= 0x2e80 && r <= 0x2eff ||
		r >= 0x3300 && r <= 0x33ff || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe4f ||
		r >= 0x3200 && r <= 0x3f22
}

// asianPunct says whether a character is Asian or full-width punctuation to tercom.
func asianPunct(r rune) bool {
	switch r {
	case 0x3001, 0x3002, 0x30fb, 0xff0e, 0xff0c, 0xff1f, 0xff1a, 0xff1b, 0xff01, 0xff02, 0xff08, 0xff09:
		return true
	}
	return r >= 0x3008 && r <= 0x3011 || r >= 0x3014 && r <= 0x301f || r >= 0xff61 && r <= 0xff65
}

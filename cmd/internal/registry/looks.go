package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What texts look like. Both rules were measured on 60 sets of WMT 2017 to 2021.

const (
	// mostLooked is how many lines are looked at to tell a language.
	mostLooked = 10_000
	// window is how many lines are looked at together to tell raw text: fewer than any text
	// of a campaign has, so that one raw text among tokenized ones is seen.
	window = 100
)

// notEnglish says by what lines are not English; "": by nothing that is sure. More than half of
// the letters are of another script (99% and more in languages that have one, 86% in Chinese
// with its Latin names; English has none), or more than half of the lines have letters such as ä
// and š (67% and more of German's, 89% and more of Finnish's or Czech's; English has up to 22%,
// in names).
func notEnglish(lines []string) string {
	letters, others, marked := 0, 0, 0
	lines = lines[:min(len(lines), mostLooked)]
	for _, line := range lines {
		has := false
		for _, r := range line {
			if r < utf8.RuneSelf {
				if 'a' <= r|0x20 && r|0x20 <= 'z' {
					letters++
				}
				continue
			}
			if unicode.IsLetter(r) {
				letters++
				has = true
				if !unicode.Is(unicode.Latin, r) {
					others++
				}
			}
		}
		if has {
			marked++
		}
	}
	switch {
	case 2*others > letters:
		return "most letters are not Latin"
	case 2*marked > len(lines):
		return "most lines have letters that English has not"
	}
	return ""
}

// untokenized says whether in some stretch of the lines a third of those with punctuation have
// it attached to words (98% and more of the lines of raw text have, up to 8% of tokenized ones).
func untokenized(lines []string) bool {
	for at := 0; at < len(lines); at += window {
		end := min(at+window, len(lines))
		raw, all := 0, 0
		for _, line := range lines[max(end-window, 0):end] { // the last has as many, for few lines tell little
			attached, apart := punctuation(line)
			if attached > apart {
				raw++
			}
			if attached+apart > 0 {
				all++
			}
		}
		if 3*raw > all {
			return true
		}
	}
	return false
}

const (
	stops  = ".!?。！？؟।"
	commas = ",;，、،；؛"
	closes = "\"'”’“»)]』」）"
)

// punctuation counts the marks of a line that follow a word at once, and those that stand apart:
// commas before a space, and what the line ends with.
func punctuation(line string) (attached, apart int) {
	count := func(before string) {
		switch r, _ := utf8.DecodeLastRuneInString(before); {
		case before == "":
		case unicode.IsSpace(r):
			apart++
		default:
			attached++
		}
	}
	for at := 0; ; {
		i := strings.IndexAny(line[at:], commas)
		if i < 0 {
			break
		}
		i += at
		_, size := utf8.DecodeRuneInString(line[i:])
		at = i + size
		// Not in numbers. Chinese and Japanese have no spaces.
		if size > 2 || at == len(line) || line[at] == ' ' {
			count(line[:i])
		}
	}
	line = strings.TrimRight(line, closes+" \r")
	if end := strings.TrimRight(line, stops); end != line {
		count(end)
	}
	return attached, apart
}

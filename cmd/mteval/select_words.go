package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/internal/script"
	"github.com/mteval/mteval/tokenize"
)

// countedTexts are those whose words are counted, and what they are called; nil: there are none.
func (in *selectInput) countedTexts() ([]string, string) {
	if in.sources != nil {
		return in.sources, "source"
	}
	var out []string
	for _, refs := range in.work.corpus.Refs {
		out = append(out, refs[0])
	}
	return out, "reference"
}

// lengths counts the words of each segment; nil: there is no text to count them of.
func (in *selectInput) lengths() ([]int, error) {
	lines, what := in.countedTexts()
	if lines == nil || in.words != nil {
		return in.words, nil
	}
	t, err := registry.PlainTokenizer(in.options.wordTokenizer)
	if err != nil {
		return nil, fmt.Errorf("--words-tokenize: %w", err)
	}
	var buf []byte
	out := make([]int, len(lines))
	for i, line := range lines {
		buf = tokenize.Each(buf, t, line, func([]byte) { out[i]++ })
	}
	if in.options.wordTokenizer == "none" {
		in.warnWords(lines, what, "--words-tokenize zh, char or ja-mecab count otherwise")
	}
	in.words = out
	return out, nil
}

// warnWords says that what stands between spaces may not be words, if it is long: 15 letters, or
// four of Chinese or Japanese.
func (in *selectInput) warnWords(lines []string, what, hint string) {
	words, letters, long := 0, 0, 15
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			words++
			letters += utf8.RuneCountInString(word)
		}
	}
	if script.WithoutSpaces(lines) {
		long = 4
	}
	if words > 0 && letters/words >= long {
		in.work.app.note("warning: words of the %s have %d letters on average: no spaces between? %s", what, letters/words, hint)
	}
}

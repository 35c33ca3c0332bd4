package choose

import (
	"fmt"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/selection"
)

// countWords counts the words of the segments once, if there is a text to count them of.
func (in *selectInput) countWords() error {
	lines, what := in.Counted()
	if lines == nil || in.Lengths != nil {
		return nil
	}
	t, err := registry.PlainTokenizer(in.options.wordTokenizer)
	if err != nil {
		return fmt.Errorf("--words-tokenize: %w", err)
	}
	if in.CountWords(t); in.options.wordTokenizer == "none" {
		in.warnWords(lines, what, "--words-tokenize zh, char or ja-mecab count otherwise")
	}
	return nil
}

// warnWords says that what stands between spaces may not be words.
func (in *selectInput) warnWords(lines []string, what, hint string) {
	if n := selection.LongWords(lines); n > 0 {
		in.app.Note("warning: words of the %s have %d letters on average: no spaces between? %s", what, n, hint)
	}
}

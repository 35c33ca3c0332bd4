package conllu

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/lineup"
)

// A Parser gives the dependency parses of a text's sentences, such as a Bank, or
// a parser that is asked. It is safe for concurrent use, gives the same parses every time,
// and stops when ctx is cancelled. A text that it can't parse is an error; an empty one
// has no sentences.
type Parser interface {
	Parse(ctx context.Context, text string) ([]Sentence, error)
}

// A Bank holds the parses of texts. Texts are added first; then it is safe for concurrent
// use. The zero value is empty.
type Bank struct{ parses lineup.Bank[Sentence] }

var parseKind = lineup.Kind[Sentence]{Name: "parse", Of: func(s *Sentence) (int, []string) { return s.Line, s.forms() }}

// Add adds the parses of texts, one or more sentences for each, in order: they must have
// the characters of the text, white space aside. A text without any character takes no
// sentence. Of a text that comes again the first parses stay. A text is found again
// whatever white space is around it and however much is between its words.
//
// The error names the file and line of the sentence, and the line of the text, of the
// first that does not line up; nothing is added then.
func (b *Bank) Add(texts []string, sentences []Sentence, name string) error {
	return b.parses.Add(texts, sentences, name, parseKind)
}

// Parse returns the sentences of a text that was added, which are not to be changed. One
// without any character has none.
func (b *Bank) Parse(_ context.Context, text string) ([]Sentence, error) {
	s, ok := b.parses.Get(text)
	if !ok {
		return nil, fmt.Errorf("conllu: no parse of the text %q: add those of every hypothesis and reference", escape.Short(text))
	}
	return s, nil
}

package multilevel

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tokenize"
)

// Words splits texts into words. The zero value can't, which is an error where it is used.
type Words struct {
	// Name says in a signature how.
	Name string
	// Split returns the words of each text. It is safe for concurrent use, gives the
	// same words of a text every time, and keeps and changes nothing. A SegmentError
	// says which of the texts it is of.
	Split func(ctx context.Context, texts []string) ([][]string, error)
}

var errNoSplit = errors.New("multilevel: Words without Split: make some with WordsBy or WordsOf")

// split is Split in blocks.
func (w *Words) split(ctx context.Context, texts []string) ([][]string, error) {
	out := make([][]string, 0, len(texts))
	for lo := 0; lo < len(texts); lo += block {
		hi := min(lo+block, len(texts))
		part, err := w.Split(ctx, texts[lo:hi:hi])
		if err != nil {
			return nil, textError(err, func(i int) int { return lo + i })
		}
		if len(part) != hi-lo {
			return nil, fmt.Errorf("multilevel: %s splits %d texts where there were %d", w.Name, len(part), hi-lo)
		}
		out = append(out, part...)
	}
	return out, ctx.Err()
}

// textError moves the number of the text that an error is of.
func textError(err error, to func(i int) int) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) {
		return err
	}
	moved := *at
	moved.Segment = to(at.Segment)
	return &moved
}

// WordsBy splits with a tokenizer, without case if lower is set.
func WordsBy(tok tokenize.Tokenizer, lower bool) Words {
	if tok == nil {
		return Words{}
	}
	name := tok.Name()
	if lower {
		name += "-lc"
	}
	return Words{name, func(ctx context.Context, texts []string) ([][]string, error) {
		out := make([][]string, len(texts))
		var text []byte
		for i, line := range texts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if lower {
				line = tokenize.Lower(line)
			}
			text = tokenize.Each(text, tok, line, func(token []byte) { out[i] = append(out[i], string(token)) })
		}
		return out, nil
	}}
}

// WordsOf splits as a metric does: into the tokens of its matcher, those left out that
// are not in the text, such as [CLS]. Each text is prepared as a reference, which costs
// a metric that embeds as much as scoring it.
func WordsOf(m mteval.MatchScorer) Words {
	if m == nil {
		return Words{}
	}
	return Words{describe(m.Info()), func(ctx context.Context, texts []string) ([][]string, error) {
		single, err := mteval.Segments(texts)
		if err != nil {
			return nil, err
		}
		matcher, err := m.PrepareMatch(ctx, single)
		if err != nil {
			return nil, err
		}
		out := make([][]string, len(texts))
		for i := range texts {
			for _, t := range matcher.RefTokens(i)[0] {
				if t.Start != 0 || t.End != 0 {
					out[i] = append(out[i], t.Text)
				}
			}
		}
		return out, nil
	}}
}

package multilevel

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/tokenize"
)

// NewTripleF returns F_D, the F of dependency triples: relation, governor and dependent of
// each word. Relations and words are as the parser has them; lower ignores the words'
// case. A root is a triple too, with no word as its governor, so that every text with a
// word has triples; F is 0 where a side has none. It is an error if there is no parser.
func NewTripleF(p conllu.Parser, lower bool) (*F, error) {
	if p == nil {
		return nil, errors.New("multilevel: triples without a parser")
	}
	c := "mixed"
	if lower {
		c = "lc"
	}
	split := func(ctx context.Context, texts []string) ([][]string, error) {
		out := make([][]string, len(texts))
		for i, text := range texts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sentences, err := p.Parse(ctx, text)
			if err == nil {
				out[i], err = triples(sentences, lower)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err != nil {
				return nil, &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Err: err}
			}
		}
		return out, nil
	}
	return newF("triplef", mteval.Signature{{Key: "case", Abbr: "c", Value: c}}, split), nil
}

// triples are relation, governor and dependent of each word, with line ends between, which
// no relation and no word has.
func triples(sentences []conllu.Sentence, lower bool) ([]string, error) {
	var out []string
	form := func(w conllu.Word) string {
		if lower {
			return tokenize.Lower(w.Form)
		}
		return w.Form
	}
	for _, s := range sentences {
		for i, w := range s.Words {
			if w.Head < 0 || w.Head > len(s.Words) {
				return nil, fmt.Errorf("multilevel: parse of line %d: word %d has the governor %d of %d", s.Line, i+1, w.Head, len(s.Words))
			}
			governor := ""
			if w.Head > 0 {
				governor = form(s.Words[w.Head-1])
			}
			out = append(out, w.Relation+"\n"+governor+"\n"+form(w))
		}
	}
	return out, nil
}

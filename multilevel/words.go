package multilevel

import (
	"context"
	"errors"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/tokenize"
)

// Words say how texts are split into words: see WordsBy and WordsOf. The zero value can't
// split, which is an error where it is used.
type Words struct {
	name   string // what a signature says of how
	reader reader
}

var errNoWords = errors.New("multilevel: Words that can't split: make some with WordsBy or WordsOf")

// WordsBy splits with a tokenizer, without case if lower is set.
func WordsBy(tok tokenize.Tokenizer, lower bool) Words {
	if contract.Nil(tok) {
		return Words{}
	}
	name := tok.Name()
	if lower {
		name += "-lc"
	}
	return Words{name, &tokenReader{tok: tok, lower: lower}}
}

// WordsOf splits as a metric does: into the tokens of its matcher, those left out that
// are not in the text, such as [CLS]. Each text is matched with an empty reference, which
// costs a metric that embeds as much as scoring it.
func WordsOf(m mteval.MatchScorer) Words {
	if contract.Nil(m) {
		return Words{}
	}
	return Words{describe(m.Info()), &matchReader{m: m}}
}

// readAll is r's read of any number of texts, in blocks.
func readAll(ctx context.Context, r reader, texts []string, each func(text int, thing []byte)) error {
	for lo := 0; lo < len(texts); lo += block {
		hi := min(lo+block, len(texts))
		err := r.read(ctx, texts[lo:hi:hi], func(text int, thing []byte) { each(lo+text, thing) })
		var at *mteval.SegmentError
		if errors.As(err, &at) {
			moved := *at
			moved.Segment += lo
			return &moved
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

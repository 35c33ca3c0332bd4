package multilevel

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
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

	made madeWords
}

// madeWords is of Words that a function here made: what does the same as their Split, and
// without memory for every text. It counts for as long as Split is the same.
type madeWords struct {
	reader reader
	split  unsafe.Pointer
}

// wordsBy are Words of a reader.
func wordsBy(name string, r reader, split func(ctx context.Context, texts []string) ([][]string, error)) Words {
	return Words{name, split, madeWords{r, closure(split)}}
}

// closure is what no two functions share that were made at different times.
func closure(f func(ctx context.Context, texts []string) ([][]string, error)) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&f))
}

// reader reads what Split splits into.
func (w *Words) reader() reader {
	if w.made.reader != nil && w.made.split == closure(w.Split) {
		return w.made.reader
	}
	return splitReader{*w}
}

var errNoSplit = errors.New("multilevel: Words without Split: make some with WordsBy or WordsOf")

// split is Split in blocks.
func (w *Words) split(ctx context.Context, texts []string) ([][]string, error) {
	out := make([][]string, 0, len(texts))
	for lo := 0; lo < len(texts); lo += block {
		hi := min(lo+block, len(texts))
		part, err := w.Split(ctx, texts[lo:hi:hi])
		if err != nil {
			return nil, textError(err, lo)
		}
		if len(part) != hi-lo {
			return nil, fmt.Errorf("multilevel: %s splits %d texts where there were %d", w.Name, len(part), hi-lo)
		}
		out = append(out, part...)
	}
	return out, ctx.Err()
}

// textError is an error of one of the texts from this one on as one of all.
func textError(err error, first int) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) {
		return err
	}
	moved := *at
	moved.Segment += first
	return &moved
}

// WordsBy splits with a tokenizer, without case if lower is set.
func WordsBy(tok tokenize.Tokenizer, lower bool) Words {
	if contract.Nil(tok) {
		return Words{}
	}
	name := tok.Name()
	if lower {
		name += "-lc"
	}
	r := &tokenReader{tok: tok, lower: lower}
	return wordsBy(name, r, func(ctx context.Context, texts []string) ([][]string, error) { return collect(ctx, r, texts) })
}

// collect returns the things of each text.
func collect(ctx context.Context, r reader, texts []string) ([][]string, error) {
	out := make([][]string, len(texts))
	err := r.read(ctx, texts, func(text int, thing []byte) { out[text] = append(out[text], string(thing)) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// WordsOf splits as a metric does: into the tokens of its matcher, those left out that
// are not in the text, such as [CLS]. Each text is matched with an empty reference, which
// costs a metric that embeds as much as scoring it.
func WordsOf(m mteval.MatchScorer) Words {
	if contract.Nil(m) {
		return Words{}
	}
	r := &matchReader{m: m}
	return wordsBy(describe(m.Info()), r, func(ctx context.Context, texts []string) ([][]string, error) { return collect(ctx, r, texts) })
}

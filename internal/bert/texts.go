package bert

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/subword"
	"github.com/mteval/mteval/tokenize"
)

// A Text is a text in pieces. Special are not only those around it, but wherever a piece
// has the id of one of them: bert_score's weight of [CLS] and [SEP] is 0 by id, also where
// the text spells them.
type Text struct {
	Pieces []Piece
	Cut    bool // only the beginning of the text
}

// Texts are texts in pieces, in memory that is used again. The zero value is ready for use.
type Texts struct {
	m     *Model
	ctx   context.Context
	texts []string
	out   []Text
	parts [][]Piece // of textsPart texts each
	do    func(lo, hi int) error
}

// textsPart is how many texts a goroutine splits at a time.
const textsPart = 16

// keptPieces and keptTexts are of how many pieces and texts the memory is kept: 48 and some 0.3
// MiB.
const (
	keptPieces = 1 << 20
	keptTexts  = 1 << 13
)

// Encode splits texts into pieces, which are good until the next call. White space around a
// text is left out, as bert_score does.
func (t *Texts) Encode(ctx context.Context, m *Model, texts []string) ([]Text, error) {
	if t.do == nil {
		t.do = t.encode
	}
	t.m, t.ctx, t.texts = m, ctx, texts
	t.out = append(t.out[:0], make([]Text, len(texts))...)
	for len(t.parts)*textsPart < len(texts) {
		t.parts = append(t.parts, nil)
	}
	err := parallel.For(ctx, len(texts), m.opt.Workers, textsPart, t.do)
	return t.out, err
}

// Encode is Texts.Encode, the pieces being good for ever.
func (m *Model) Encode(ctx context.Context, texts []string) ([]Text, error) {
	return new(Texts).Encode(ctx, m, texts)
}

// encode splits the texts of a part.
func (t *Texts) encode(lo, hi int) error {
	part := &t.parts[lo/textsPart]
	*part = (*part)[:0]
	for i := lo; i < hi; i++ {
		if err := t.out[i].encode(t.ctx, t.m, part, t.texts[i]); err != nil {
			if errors.Is(err, t.ctx.Err()) {
				return err // of no text
			}
			return &backend.TextError{Text: t.texts[i], Err: err}
		}
	}
	return nil
}

// Release forgets what is the caller's, and says whether the memory is worth keeping.
func (t *Texts) Release() bool {
	t.m, t.ctx, t.texts = nil, nil, nil
	clear(t.out)
	kept := 0
	for i, part := range t.parts {
		clear(part)
		t.parts[i] = part[:0]
		kept += cap(part)
	}
	return kept <= keptPieces && cap(t.out) <= keptTexts
}

// encode splits a text, whose pieces are appended to those of a part.
func (t *Text) encode(ctx context.Context, m *Model, part *[]Piece, text string) error {
	inner, start := trim(text)
	if err := m.encode(ctx, t, part, inner, m.prefix, m.MaxTokens); err != nil {
		return err
	}
	if t.Cut && m.opt.RefuseLong {
		return fmt.Errorf("%w: more than %d tokens", mteval.ErrTooLong, m.MaxTokens)
	}
	for k := range t.Pieces {
		p := &t.Pieces[k]
		if !p.Special {
			p.Start, p.End = p.Start+start, p.End+start
			p.Special = m.special[p.ID]
		}
	}
	return nil
}

// encode splits one text, with a space in front or not, and appends its pieces to part. Our
// own tokenizers look at the context as they do so.
func (m *Model) encode(ctx context.Context, t *Text, part *[]Piece, text string, space bool, most int) (err error) {
	// Tokenizers of others are to think that there are no pieces before those of the text.
	pieces := (*part)[len(*part):]
	if own, ok := m.tok.(*subword.Tokenizer); !ok {
		if err := ctx.Err(); err != nil {
			return err
		}
		pieces, t.Cut = m.tok.EncodeMax(pieces, text, most)
	} else if space {
		pieces, t.Cut, err = own.EncodeSpaced(ctx, pieces, text, most)
	} else {
		pieces, t.Cut, err = own.EncodeContext(ctx, pieces, text, most)
	}
	if err != nil {
		return err
	}
	before := len(*part)
	// In place, but where there was no room: then as much is made as the tokenizer took, which
	// may be more than it gave.
	if room := cap(pieces); room > cap(*part)-before {
		*part = slices.Grow(*part, room)
	}
	*part = append(*part, pieces...)
	t.Pieces = (*part)[before:]
	return m.check(t.Pieces)
}

// Reset empties a batch for vectors of this model.
func (m *Model) Reset(b *backend.Batch) {
	b.Dim = m.Hidden
	b.Data, b.Tokens, b.Truncated = b.Data[:0], b.Tokens[:0], b.Truncated[:0]
	b.Offsets = append(b.Offsets[:0], 0)
}

// AppendTokens appends the tokens of texts, which were split into encoded, to a batch, without
// their vectors. It fails for a text that is longer than the batch allows.
func AppendTokens(b *backend.Batch, encoded []Text, texts []string) error {
	for i, t := range encoded {
		if err := backendcheck.Length(texts[i], len(t.Pieces), t.Cut, b.MaxTokens); err != nil {
			return err
		}
		for _, p := range t.Pieces {
			token := mteval.Token{Text: p.Text, Start: p.Start, End: p.End, Weight: 1}
			if p.Special {
				token.Weight = 0
			}
			b.Tokens = append(b.Tokens, token)
		}
		if t.Cut {
			b.Truncated = append(b.Truncated, len(b.Offsets)-1)
		}
		b.Offsets = append(b.Offsets, len(b.Tokens))
	}
	return nil
}

// trim returns the text without white space around it, and where it starts.
func trim(text string) (string, int) {
	trimmed := tokenize.TrimRight(text)
	inner := tokenize.Trim(trimmed)
	return inner, len(trimmed) - len(inner)
}

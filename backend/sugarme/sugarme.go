// Package sugarme lets package transformer split texts with a tokenizer of
// github.com/sugarme/tokenizer. It is a module of its own, so that only who wants that
// library gets it.
//
// Package transformer opens tokenizer.json and vocab.txt itself, and gives what Hugging
// Face's tokenizers gives. This adapter is for tokenizers that are made in code or have
// parts of one's own. What version 0.3.0 of the library gives differs from Hugging Face's
// tokenizers 0.23, and so from what models were trained on. Of 3,200 lines in 99
// languages, a third of them nasty on purpose, these had wrong ids:
//
//	tokenizer.json                          all lines   plain text
//	uncased WordPiece (MiniLM)                  45.9%        43.9%
//	cased WordPiece (mBERT's kind)               6.4%         2.3%
//	byte-level BPE (RoBERTa's kind)              1.4%         1.2%
//	Unigram with charsmap (XLM-R's kind)        15.6%        13.2%
//
// With uncased WordPiece German is wrong in 45% of lines, French in 67%, English in
// 0.25%. The causes:
//
//   - strip_accents: null counts as false, though it must follow lowercase, so ä and é
//     become [UNK]; where accents are removed they are not decomposed first.
//   - Only space, tab, LF and CR are white space: U+00A0, U+3000 and U+202F become [UNK].
//   - Removing a format character doubles the text after it.
//   - BPE merges repeated letters in the wrong order, and special tokens in a text get
//     lost.
//   - Unigram loses pieces that are whole words, and panics on some texts, 32 of those
//     lines.
//   - end_of_word_suffix of a BPE model is not read from tokenizer.json, so that pieces
//     are those of the middle of a word (seen with this module's tests).
//   - Time goes nearly with the square of a word's length: 6 s for 5,000 characters.
//
// It is also slower, at 226 to 2,660 lines a second where Hugging Face's does 20,000 to
// 29,000.
//
// A panic of the library passes through EncodeMax, as no list of pieces would be right
// and transformer.Tokenizer has no errors; for the same reason EncodeMax panics where the
// library returns an error. Where the library finds itself in a bad state, or a normalizer
// returns an error, it calls log.Fatal, which ends the process.
package sugarme

import (
	"fmt"
	"math"

	"github.com/sugarme/tokenizer"

	"github.com/mteval/mteval/backend/transformer"
)

type adapter struct{ t *tokenizer.Tokenizer }

// New returns a tokenizer for transformer.Options. The special tokens are those that t's
// post-processor adds. What t says of truncation and padding is left aside, since the
// model's limit counts, and texts are not padded. t must not be changed any more.
func New(t *tokenizer.Tokenizer) transformer.Tokenizer { return adapter{t} }

// EncodeMax appends the pieces of text to dst, at most limit of them, but all special
// ones. See the package's documentation for panics.
func (a adapter) EncodeMax(dst []transformer.Piece, text string, limit int) (pieces []transformer.Piece, truncated bool) {
	e, err := a.t.EncodeSingleSequence(tokenizer.NewInputSequence(text), 0, tokenizer.Byte)
	if err != nil {
		panic(fmt.Errorf("sugarme: %.60q: %w", text, err))
	}
	// The post-processor alone: Encode would truncate and pad too.
	if p := a.t.GetPostProcessor(); p != nil {
		e = p.Process(e, nil, true)
	}
	room := limit
	for _, special := range e.SpecialTokenMask {
		room -= special
	}
	for i, id := range e.Ids {
		if id < 0 || id > math.MaxInt32 {
			panic(fmt.Errorf("sugarme: %.60q: token %q has the id %d", text, e.Tokens[i], id))
		}
		p := transformer.Piece{ID: int32(id), Text: e.Tokens[i], Special: e.SpecialTokenMask[i] != 0}
		if !p.Special {
			if room <= 0 {
				truncated = true
				continue
			}
			room--
			p.Start, p.End = e.Offsets[i][0], e.Offsets[i][1]
		}
		dst = append(dst, p)
	}
	return dst, truncated
}

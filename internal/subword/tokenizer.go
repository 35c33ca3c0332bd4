// Package subword splits text into the pieces of BERT's relatives, as Hugging Face
// tokenizers does, id for id: WordPiece, byte-level BPE and Unigram, with what goes before
// and after them, read from a tokenizer.json or from BERT's vocab.txt. It reads the models
// of SentencePiece as well, and splits as that does.
//
// What takes long in a text is linear in its length, and can be cancelled. What a file may
// ask for is bounded: the length of pieces and of what normalizers write, the number of
// steps, how much longer a text becomes.
package subword

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

// A Piece is a part of a text that has a number in the model's vocabulary.
type Piece struct {
	ID int32
	// Text is how the vocabulary spells the piece ("##ing", "Ġworld"). Of what is unknown
	// to a Unigram model, or one of SentencePiece, it is the text itself.
	Text string
	// Start and End are the bytes of the input that it comes from; 0 and 0 for special
	// pieces.
	Start, End int
	// Special says that the piece is not from the text: [CLS], [SEP], <s>, </s>.
	Special bool
}

// A Tokenizer splits texts into pieces. It is safe for concurrent use.
type Tokenizer struct {
	classes       *classTable
	normalizer    normalizer // nil: none
	added         added      // looked for in the text as it is
	addedNormal   added      // looked for after normalization
	pretokenizer  pretokenizer
	model         model
	vocab         *vocabulary
	before, after []Piece // special pieces around the text
	trim          bool    // white space is no part of where a piece comes from
	trimPrefix    bool    // but the space that was put in front
	raw           bool    // the normalizer sees to bytes that are not UTF-8
	pool          sync.Pool
}

// scratch is what one call needs.
type scratch struct {
	t                *Tokenizer
	text, spare, all buffer
	words, newWords  []span
	parts            []part
	tokens           []token
	doubleSteps      []step[float64]
	singleSteps      []step[float32]
	symbols          []symbol
	chain            []sentencePart
	halves           map[int32]int32 // the length of the first part that an unused piece was made of
	heap             heap
	changes          []change
	marks            []mark
	decomposed       []rune

	ctx    context.Context
	passed int // bytes of the input since the last look at ctx

	given   string            // the text
	input   []byte            // what is split: the text, with U+FFFD for what is not UTF-8, and maybe a space in front
	places  []int32           // where its bytes, and its end, are in given; none: in the same places
	strings map[string]string // texts of pieces that given does not have

	out   []Piece
	first int  // of out, without special pieces
	limit int  // on the length of out
	room  int  // how many bytes the text may still grow by
	cut   bool // that it grew too long
}

// maxText is the most bytes of a text, so that what they become has int32 places.
const maxText = 1 << 28

// maxKept is the most bytes of text for which memory is kept for the next call.
const maxKept = 1 << 20

func (t *Tokenizer) isSpace(r rune) bool { return t.classes.of(r)&gptMask == gptSpace }

// Specials is the number of special pieces that every text gets.
func (t *Tokenizer) Specials() int { return len(t.before) + len(t.after) }

// Encode appends the pieces of text to dst. A byte that is not UTF-8 counts as U+FFFD.
func (t *Tokenizer) Encode(dst []Piece, text string) []Piece {
	dst, _ = t.EncodeMax(dst, text, math.MaxInt)
	return dst
}

// Check says what has an id that a model of so many has no vector for.
func (t *Tokenizer) Check(ids int) error {
	check := func(what, text string, id int32) error {
		if int(id) < ids {
			return nil
		}
		return fmt.Errorf("%s %.100q has the id %d, where the model has %d", what, text, id, ids)
	}
	for i, id := range t.vocab.ids {
		if err := check("the piece", t.vocab.text[i], id); err != nil {
			return err
		}
	}
	for _, tokens := range [][]addedToken{t.added.tokens, t.addedNormal.tokens} {
		for _, k := range tokens {
			if err := check("the added token", k.content, k.id); err != nil {
				return err
			}
		}
	}
	for _, p := range slices.Concat(t.before, t.after) {
		if err := check("the special piece", p.Text, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// EncodeMax is Encode for at most limit pieces: special ones are kept, and those at the
// end of the text left out, of which it tells. With a limit below t.Specials() there are
// special pieces only, all of them. Of a text of more than 256 MB only the beginning is
// looked at, and one that normalization makes more than 64 times as long has no pieces from
// the added token before that on.
func (t *Tokenizer) EncodeMax(dst []Piece, text string, limit int) (pieces []Piece, truncated bool) {
	pieces, truncated, _ = t.EncodeContext(context.Background(), dst, text, limit)
	return pieces, truncated
}

// EncodeContext is EncodeMax, but ends with ctx's error once that is cancelled, in the
// middle of a text.
func (t *Tokenizer) EncodeContext(ctx context.Context, dst []Piece, text string, limit int) (pieces []Piece, truncated bool, err error) {
	return t.encode(ctx, dst, text, limit, false)
}

// EncodeSpaced is EncodeContext for the text with a space in front, unless it is empty. Pieces
// are in the text as it is given, where the space is nothing at the beginning.
func (t *Tokenizer) EncodeSpaced(ctx context.Context, dst []Piece, text string, limit int) (pieces []Piece, truncated bool, err error) {
	return t.encode(ctx, dst, text, limit, text != "")
}

func (t *Tokenizer) encode(ctx context.Context, dst []Piece, text string, limit int, spaced bool) (pieces []Piece, truncated bool, err error) {
	s, _ := t.pool.Get().(*scratch)
	if s == nil {
		s = &scratch{t: t}
	}
	s.ctx = ctx
	defer func() {
		if r := recover(); r == (cancelled{}) {
			pieces, truncated, err = dst, false, ctx.Err()
		} else if r != nil {
			panic(r)
		}
		if s.given, s.out, s.ctx = "", nil, nil; cap(s.input)+cap(s.text.b)+cap(s.spare.b) <= maxKept {
			t.pool.Put(s)
		}
	}()
	text, truncated = beginning(text)
	s.read(text, spaced)
	s.out = append(dst, t.before...)
	s.first = len(s.out)
	s.cut, s.room = false, growth(len(text))
	s.limit = math.MaxInt
	if limit < math.MaxInt-s.first {
		s.limit = s.first + max(0, limit-t.Specials())
	}
	if t.added.trie == nil {
		s.encode(0, len(s.input))
	} else {
		s.encodeAround()
	}
	out := s.out
	truncated = truncated || s.cut
	if len(out) > s.limit {
		out, truncated = out[:s.limit], true
	}
	if len(s.places) > 0 {
		for i := s.first; i < len(out); i++ {
			out[i].Start, out[i].End = int(s.places[out[i].Start]), int(s.places[out[i].End])
		}
	}
	return append(out, t.after...), truncated, nil
}

// beginning returns the text up to maxText, and whether that is not all.
func beginning(text string) (string, bool) {
	if len(text) <= maxText {
		return text, false
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], true
}

// cancelled is what look panics with. EncodeContext recovers it.
type cancelled struct{}

// lookBytes is after how many bytes of text a loop looks at the context: some milliseconds
// for the slowest.
const lookBytes = 1 << 15

// look ends the call if it is cancelled. It returns the place where a loop that is at i
// should look again.
func (s *scratch) look(i int) int {
	if s.ctx != nil && s.ctx.Err() != nil {
		panic(cancelled{})
	}
	return i + lookBytes
}

// read sets the input to the text: with a space in front, if wanted, and U+FFFD in the place
// of every byte that is not UTF-8, unless the normalizer sees to those.
func (s *scratch) read(text string, spaced bool) {
	s.given, s.input, s.places = text, s.input[:0], s.places[:0]
	if spaced {
		s.input, s.places = append(s.input, ' '), append(s.places, 0)
	}
	if s.t.raw || utf8.ValidString(text) {
		s.input = append(s.input, text...)
		if spaced {
			for i := range len(text) + 1 {
				s.places = append(s.places, int32(i))
			}
		}
		return
	}
	look := lookBytes
	for i, r := range text {
		if i >= look {
			look = s.look(i)
		}
		before := len(s.input)
		s.input = utf8.AppendRune(s.input, r)
		for range len(s.input) - before {
			s.places = append(s.places, int32(i))
		}
	}
	s.places = append(s.places, int32(len(text)))
}

// string returns b, which comes from a: of the text that was given if that says the same.
func (s *scratch) string(b []byte, a span) string {
	if len(s.places) > 0 {
		a = span{s.places[a.start], s.places[a.end]}
	}
	if in := s.given[a.start:a.end]; in == string(b) {
		return in
	}
	return s.keep(b)
}

// maxStrings and maxString bound how many texts of pieces are kept, and their bytes.
const maxStrings, maxString = 1 << 10, 1 << 6

// keep returns the text of b, which is made once where the same come again and again.
func (s *scratch) keep(b []byte) string {
	if text, ok := s.strings[string(b)]; ok {
		return text
	}
	text := string(b)
	if len(b) > maxString {
		return text
	}
	if s.strings == nil {
		s.strings = make(map[string]string)
	} else if len(s.strings) == maxStrings {
		clear(s.strings)
	}
	s.strings[text] = text
	return text
}

// full says that there are more pieces than are wanted, or can be had.
func (s *scratch) full() bool { return s.cut || len(s.out) > s.limit }

// encodeAround encodes the text around added tokens.
func (s *scratch) encodeAround() {
	at := 0
	for m := range s.t.added.matches(s, s.input) {
		s.encode(at, m.start)
		s.out = append(s.out, Piece{ID: m.token.id, Text: s.string(s.input[m.start:m.end], span{int32(m.start), int32(m.end)}), Start: m.start, End: m.end})
		s.trim(len(s.out) - 1)
		at = m.end
		if s.full() {
			return
		}
	}
	s.encode(at, len(s.input))
}

// encode appends the pieces of a part of the input without added tokens.
func (s *scratch) encode(start, end int) {
	if start >= end || s.full() {
		return
	}
	// Parts may be many, each too short for a loop to look.
	if s.passed += end - start; s.passed >= lookBytes {
		s.passed = 0
		s.look(0)
	}
	s.text.b = append(s.text.b[:0], s.input[start:end]...)
	s.text.align = s.text.align[:0]
	s.text.aligned, s.text.base = false, int32(start)
	if s.t.normalizer != nil {
		s.apply(s.t.normalizer)
	}
	if s.t.addedNormal.trie == nil {
		s.pieces()
		return
	}
	found, at := false, 0
	for m := range s.t.addedNormal.matches(s, s.text.b) {
		if !found {
			found = true
			s.all, s.text = s.text, s.all
		}
		s.part(at, m.start)
		a := s.all.source(m.start, m.end)
		s.out = append(s.out, Piece{ID: m.token.id, Text: s.string(s.all.b[m.start:m.end], a), Start: int(a.start), End: int(a.end)})
		s.trim(len(s.out) - 1)
		at = m.end
		if s.full() {
			return
		}
	}
	if !found {
		s.pieces()
		return
	}
	s.part(at, len(s.all.b))
}

// part appends the pieces of a part of s.all.
func (s *scratch) part(start, end int) {
	if start >= end {
		return
	}
	s.text.reset(s.all.base)
	s.addFrom(&s.text, &s.all, start, end)
	s.pieces()
}

// pieces appends the pieces of s.text, which is normalized and without added tokens.
func (s *scratch) pieces() {
	if len(s.text.b) == 0 {
		return
	}
	t := s.t
	s.words = append(s.words[:0], span{0, int32(len(s.text.b))})
	if t.pretokenizer != nil {
		t.pretokenizer.pretokenize(s)
	}
	look := lookBytes
	for _, w := range s.words {
		if int(w.start) >= look {
			look = s.look(int(w.start))
		}
		s.tokens = s.tokens[:0]
		t.model.tokenize(s, w)
		look := lookBytes
		for i, k := range s.tokens {
			if i >= look {
				look = s.look(i)
			}
			a := s.text.source(int(k.start), int(k.end))
			p := Piece{Start: int(a.start), End: int(a.end)}
			if k.piece >= 0 {
				p.ID, p.Text = t.vocab.ids[k.piece], t.vocab.text[k.piece]
			} else {
				p.ID, p.Text = t.vocab.ids[^k.piece], s.string(s.text.b[k.start:k.end], a)
			}
			s.out = append(s.out, p)
			if t.trim {
				s.trim(len(s.out) - 1)
			}
		}
		if s.full() {
			return
		}
	}
}

// trim leaves white space out of where a piece comes from, as ByteLevel and
// RobertaProcessing do: one character of the input for one of the piece.
func (s *scratch) trim(i int) {
	if !s.t.trim {
		return
	}
	p := &s.out[i]
	left, right := s.t.trimmed(p.Text)
	if left > 0 {
		if s.t.trimPrefix && left == 1 && (i == s.first || p.Start == 0) {
			left = 0
		}
		for ; left > 0 && p.Start < p.End; left-- {
			_, n := utf8.DecodeRune(s.input[p.Start:])
			p.Start += n
		}
	}
	for ; right > 0 && p.Start < p.End; right-- {
		_, n := utf8.DecodeLastRune(s.input[:p.End])
		p.End -= n
	}
}

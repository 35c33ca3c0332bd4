package multilevel

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/tokenize"
)

// A reader takes texts apart, into words or triples. It is safe for concurrent use.
type reader interface {
	// read calls each for the things of each text, the texts in order. A thing holds until
	// each returns. A SegmentError says which of the texts it is of.
	read(ctx context.Context, texts []string, each func(text int, thing []byte)) error
}

// A tokenReader reads tokens.
type tokenReader struct {
	tok   tokenize.Tokenizer
	lower bool
	pool  sync.Pool // *tokenScratch
}

type tokenScratch struct {
	lower fold.Line
	text  []byte
}

// keptBytes is of how long a text the memory is kept for others.
const keptBytes = 1 << 18

func (r *tokenReader) read(ctx context.Context, texts []string, each func(text int, thing []byte)) error {
	sc, _ := r.pool.Get().(*tokenScratch)
	if sc == nil {
		sc = new(tokenScratch)
	}
	defer func() {
		if cap(sc.text) <= keptBytes && sc.lower.Cap() <= keptBytes {
			r.pool.Put(sc)
		}
	}()
	for i, line := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.lower {
			line = sc.lower.LowerFor(r.tok, line)
		}
		sc.text = tokenize.Each(sc.text, r.tok, line, func(token []byte) { each(i, token) })
	}
	return nil
}

// A matchReader reads a metric's tokens, those left out that are not in the text: of
// hypotheses that it matches with a reference without any.
type matchReader struct {
	m       mteval.MatchScorer
	matcher atomic.Pointer[mteval.Matcher] // nil: not prepared yet
	pool    sync.Pool                      // *matchScratch
}

type matchScratch struct {
	out  []mteval.Matching
	segs []int // all 0
	text []byte
}

func (r *matchReader) prepared(ctx context.Context) (mteval.Matcher, error) {
	if p := r.matcher.Load(); p != nil {
		return *p, nil
	}
	m, err := r.m.PrepareMatch(ctx, [][]string{{""}})
	if err != nil {
		return nil, fmt.Errorf("multilevel: an empty reference: %w", err)
	}
	r.matcher.Store(&m)
	return m, nil
}

func (r *matchReader) read(ctx context.Context, texts []string, each func(text int, thing []byte)) error {
	m, err := r.prepared(ctx)
	if err != nil {
		return err
	}
	sc, _ := r.pool.Get().(*matchScratch)
	if sc == nil {
		sc = &matchScratch{out: make([]mteval.Matching, block), segs: make([]int, block)}
	}
	defer func() {
		if sc.forget() {
			r.pool.Put(sc)
		}
	}()
	for lo := 0; lo < len(texts); lo += block {
		part := texts[lo:min(lo+block, len(texts))]
		out := sc.out[:len(part)]
		if err := m.Match(ctx, out, sc.segs[:len(part)], part); err != nil {
			var at *mteval.SegmentError
			if errors.As(err, &at) {
				return &mteval.SegmentError{Segment: lo + at.Index, Side: mteval.ReferenceSide, Err: at.Err}
			}
			return err
		}
		for k := range out {
			for _, t := range out[k].Tokens {
				if t.Start != 0 || t.End != 0 {
					sc.text = append(sc.text[:0], t.Text...)
					each(lo+k, sc.text)
				}
			}
		}
	}
	return nil
}

// forget forgets the texts, and says whether the memory is worth keeping.
func (sc *matchScratch) forget() bool {
	const most = 1 << 17 // tokens, of 48 bytes
	n := 0
	for k := range sc.out {
		tokens := sc.out[k].Tokens
		clear(tokens)
		n += cap(tokens)
	}
	return n <= most
}

// A tripleReader reads relation, governor and dependent of each word, with line ends between,
// which no relation and no word has.
type tripleReader struct {
	p     conllu.Parser
	lower bool
	pool  sync.Pool // *[]byte
}

func (r *tripleReader) read(ctx context.Context, texts []string, each func(text int, thing []byte)) error {
	buf, _ := r.pool.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer r.pool.Put(buf)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		sentences, err := r.p.Parse(ctx, text)
		if err == nil {
			*buf, err = r.triples(*buf, sentences, i, each)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			return &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Err: err}
		}
	}
	return nil
}

// triples calls each for the triples of a text, which it puts into buf. It returns buf, to be
// used again.
func (r *tripleReader) triples(buf []byte, sentences []conllu.Sentence, text int, each func(text int, thing []byte)) ([]byte, error) {
	for _, s := range sentences {
		for i, w := range s.Words {
			if w.Head < 0 || w.Head > len(s.Words) {
				return buf, fmt.Errorf("multilevel: parse of line %d: word %d has the governor %d of %d", s.Line, i+1, w.Head, len(s.Words))
			}
			buf = append(append(buf[:0], w.Relation...), '\n')
			if w.Head > 0 {
				buf = r.form(buf, s.Words[w.Head-1].Form)
			}
			buf = r.form(append(buf, '\n'), w.Form)
			each(text, buf)
		}
	}
	return buf, nil
}

// form appends a word.
func (r *tripleReader) form(dst []byte, word string) []byte {
	if r.lower {
		return tokenize.AppendLower(dst, word)
	}
	return append(dst, word...)
}

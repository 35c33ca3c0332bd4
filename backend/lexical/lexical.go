// Package lexical embeds words by their letters, without any model: the default
// backend, for any language, that needs nothing.
//
// A word's vector counts its character n-grams, of <word> with its brackets, and
// the whole word, each put by a hash into one of Dim places with a sign (the
// hashing trick; Weinberger et al., ICML 2009, eq. 1 and 2; for n-grams as parts
// of words see Bojanowski et al., TACL 2017). It is scaled to length 1; then a
// share of each neighbour's vector is added and the sum scaled again, so that the
// same word in another place is similar but not the same.
//
// Such vectors know spelling and position, not meaning: "Haus" is near "Hauses"
// and far from "Gebäude". How far scores on them agree with people is told in
// package difficulty.
//
// Arithmetic is in a fixed order and in float64 without fused operations, so
// vectors are equal to the last bit on every platform.
package lexical

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/tokenize"
)

// Options of the backend. The zero value is the default, against which figures in
// this project's documents were measured.
type Options struct {
	// Tokenizer splits words; nil is tokenize.V13a.
	Tokenizer tokenize.Tokenizer
	// Lowercase ignores case.
	Lowercase bool
	// Dim is the length of a vector, a power of two from 2 to 65536; 0 is 512.
	Dim int
	// MinN and MaxN are the shortest and the longest n-gram in characters; 0
	// is 2, and 4 or MinN if that is more.
	MinN, MaxN int
	// Neighbour is the share of each neighbour's vector; nil is 0.6, and 0
	// leaves neighbours out.
	Neighbour *float64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on
	// it.
	Workers int
}

// Backend implements backend.Backend. It is made with New. What it gives takes 4·Dim
// bytes a word, and some 50 more for the token: 420 MB for a text of 200,000 words at
// Dim 512. MaxTokens of the Batch bounds that: a longer text takes a few times its bytes.
type Backend struct {
	opt       Options
	neighbour float64
	closed    atomic.Bool
	pool      sync.Pool // *scratch
	calls     sync.Pool // *call
}

var _ backend.Backend = (*Backend)(nil)

// New returns the backend with these options, or an error that says which is
// wrong.
func New(o Options) (*Backend, error) {
	if err := contract.Option("Tokenizer", o.Tokenizer); err != nil {
		return nil, fmt.Errorf("lexical: %w", err)
	}
	if o.Tokenizer == nil {
		o.Tokenizer = tokenize.V13a
	}
	if o.Dim == 0 {
		o.Dim = 512
	}
	if o.Dim < 2 || o.Dim > 1<<16 || bits.OnesCount(uint(o.Dim)) != 1 {
		return nil, fmt.Errorf("lexical: Dim %d is not a power of two from 2 to 65536", o.Dim)
	}
	if o.MinN == 0 {
		o.MinN = 2
	}
	if o.MaxN == 0 {
		o.MaxN = max(4, o.MinN)
	}
	if o.MinN < 1 || o.MaxN < o.MinN {
		return nil, fmt.Errorf("lexical: n-grams from %d to %d", o.MinN, o.MaxN)
	}
	b := &Backend{opt: o, neighbour: 0.6}
	if o.Neighbour != nil {
		b.neighbour = *o.Neighbour
		if math.IsNaN(b.neighbour) || math.Abs(b.neighbour) > 1 {
			return nil, fmt.Errorf("lexical: Neighbour %v is not in -1 to 1", b.neighbour)
		}
	}
	b.pool.New = func() any { return &scratch{sum: make([]float64, o.Dim)} }
	b.calls.New = func() any {
		c := &call{b: b}
		c.part = c.embed
		return c
	}
	return b, nil
}

// Info describes the backend.
func (b *Backend) Info() backend.Info {
	o := b.opt
	if o.Tokenizer == nil {
		return backend.Info{Name: "lexical", ModelFree: true}
	}
	sig := mteval.Signature{
		{Key: "backend", Abbr: "b", Value: "lexical"},
		{Key: "tok", Abbr: "tok", Value: o.Tokenizer.Name()},
		{Key: "dim", Abbr: "d", Value: fmt.Sprint(o.Dim)},
		{Key: "ngram", Abbr: "n", Value: fmt.Sprintf("%d-%d", o.MinN, o.MaxN)},
		{Key: "neighbour", Abbr: "nb", Value: decimal.Format(b.neighbour)},
	}
	if o.Lowercase {
		sig = append(sig, mteval.Field{Key: "case", Abbr: "c", Value: "lc"})
	}
	return backend.Info{Name: "lexical", ModelFree: true, Signature: sig, Dim: o.Dim}
}

// Close makes later calls of Embed fail.
func (b *Backend) Close() error {
	b.closed.Store(true)
	return nil
}

// Embed splits the texts into words and embeds them.
func (b *Backend) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	if b.closed.Load() {
		return backend.ErrClosed
	}
	if b.opt.Tokenizer == nil {
		return errors.New("lexical: the Backend was not made with New")
	}
	if dst == nil {
		return errors.New("lexical: no batch to put the vectors in")
	}
	c := b.calls.Get().(*call)
	defer b.release(c)
	if err := b.split(ctx, c, dst, texts); err != nil { // before memory is taken
		return err
	}
	n := len(dst.Tokens) * dst.Dim
	if cap(dst.Data) < n {
		dst.Data = make([]float32, n)
	}
	dst.Data = dst.Data[:n]
	c.ctx, c.dst = ctx, dst
	return parallel.For(ctx, len(texts), b.opt.Workers, 16, c.part)
}

// A call is one of Embed. It is used again, with the function that goroutines are given.
type call struct {
	ctx   context.Context
	b     *Backend
	dst   *backend.Batch
	spans []tokenize.Span // of a text
	line  []byte          // a text as the tokenizer writes it
	part  func(lo, hi int) error
}

// longText and keptLine are the words of a text, and its bytes, for more of which no memory is
// kept.
const (
	longText = 1 << 13
	keptLine = 1 << 18
)

func (b *Backend) release(c *call) {
	c.ctx, c.dst = nil, nil
	if cap(c.spans) > longText || cap(c.line) > keptLine {
		c.spans, c.line = nil, nil
	}
	clear(c.spans[:cap(c.spans)]) // they hold the caller's texts
	b.calls.Put(c)
}

// embed makes the vectors of texts lo to hi.
func (c *call) embed(lo, hi int) error {
	b := c.b
	sc := b.pool.Get().(*scratch)
	sc.pace = pace.Of(c.ctx)
	defer func() {
		if sc.pace = (pace.Pace{}); cap(sc.ends) <= longWord {
			b.pool.Put(sc)
		}
	}()
	for i := lo; i < hi; i++ {
		tokens, data := c.dst.Text(i)
		if err := b.embed(sc, data, tokens); err != nil {
			clear(sc.sum)
			return err
		}
	}
	return nil
}

// split sets dst to the words of texts, without their vectors.
func (b *Backend) split(ctx context.Context, c *call, dst *backend.Batch, texts []string) error {
	dst.Dim = b.opt.Dim
	dst.Tokens, dst.Offsets, dst.Truncated = dst.Tokens[:0], append(dst.Offsets[:0], 0), dst.Truncated[:0]
	split := tokenize.AppendSpans
	if b.opt.Lowercase {
		split = tokenize.AppendLowerSpans
	}
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.count(ctx, text, dst.MaxTokens); err != nil {
			return err
		}
		c.spans = split(c.spans[:0], b.opt.Tokenizer, text)
		if err := backendcheck.Length(text, len(c.spans), false, dst.MaxTokens); err != nil {
			return fmt.Errorf("lexical: %w", err)
		}
		for _, s := range c.spans {
			dst.Tokens = append(dst.Tokens, mteval.Token{Text: s.Text, Start: s.Start, End: s.End, Weight: 1})
		}
		dst.Offsets = append(dst.Offsets, len(dst.Tokens))
	}
	return ctx.Err()
}

// count fails for a text of more tokens than most, which is no limit if it is not positive,
// without a list of them. Texts of no more bytes are not counted here: they are split whole, and
// their list is short.
func (c *call) count(ctx context.Context, text string, most int) error {
	if most <= 0 || len(text) <= most {
		return nil
	}
	line := text
	if c.b.opt.Lowercase {
		line = tokenize.Lower(text)
	}
	w := pace.Of(ctx)
	var err error
	if c.line, err = limit.Tokens(&w, most, c.line, c.b.opt.Tokenizer, line); err == nil || limit.OfContext(err) {
		return err
	}
	return fmt.Errorf("lexical: %w", &backend.TextError{Text: text, Err: err})
}

// A word's vector: its places that are not 0, and their values.
type word struct {
	at    []int32
	value []float64
}

// scratch is what one goroutine needs to embed a text.
type scratch struct {
	words [3]word   // a word and its neighbours: word i at i%3
	marks []byte    // the word in its brackets
	ends  []int     // where its characters end
	sum   []float64 // by place, all zero between uses
	pace  pace.Pace
}

// longWord is the number of characters for which no memory is kept.
const longWord = 1 << 16

func (b *Backend) embed(sc *scratch, data []float32, tokens []mteval.Token) error {
	sum := sc.sum
	words := 0 // that have vectors already
	for i := range tokens {
		for ; words < min(i+2, len(tokens)); words++ {
			if err := b.word(sc, &sc.words[words%3], tokens[words].Text); err != nil {
				return err
			}
		}
		add := func(j int, share float64) {
			if j >= 0 && j < len(tokens) && share != 0 {
				w := &sc.words[j%3]
				for k, at := range w.at {
					sum[at] += float64(share * w.value[k])
				}
			}
		}
		add(i, 1)
		add(i-1, b.neighbour)
		add(i+1, b.neighbour)
		norm := 0.0
		for _, x := range sum {
			norm += float64(x * x)
		}
		if norm > 0 {
			norm = 1 / math.Sqrt(norm)
		}
		out := data[i*len(sum) : (i+1)*len(sum)]
		for k, x := range sum {
			out[k] = float32(x * norm)
		}
		clear(sum)
		if err := sc.pace.Done(len(sum)); err != nil {
			return err
		}
	}
	return nil
}

// word sets w to the vector, of length 1, of a word. A word whose n-grams cancel
// out, which takes a hash collision of all of them, has a vector of zeros.
func (b *Backend) word(sc *scratch, w *word, text string) error {
	sc.marks = append(append(append(sc.marks[:0], '<'), text...), '>')
	sc.ends = append(sc.ends[:0], 0)
	for i := 0; i < len(sc.marks); {
		_, width := utf8.DecodeRune(sc.marks[i:])
		i += width
		sc.ends = append(sc.ends, i)
	}
	w.at, w.value = w.at[:0], w.value[:0]
	add := func(gram []byte) {
		h := hash(gram)
		at := int32(h & uint64(b.opt.Dim-1))
		if sc.sum[at] == 0 {
			w.at = append(w.at, at) // may come twice, see below
		}
		if h>>63 == 0 {
			sc.sum[at]++
		} else {
			sc.sum[at]--
		}
	}
	chars := len(sc.ends) - 1
	for n := b.opt.MinN; n <= min(b.opt.MaxN, chars); n++ {
		for i := 0; i+n <= chars; i++ {
			if i%256 == 0 {
				if err := sc.pace.Done(min(256, chars) * n); err != nil {
					return err
				}
			}
			add(sc.marks[sc.ends[i]:sc.ends[i+n]])
		}
	}
	add(sc.marks)
	norm := 0.0
	for _, at := range w.at {
		norm += sc.sum[at] * sc.sum[at] // whole numbers: exact in any order
		// A place that went back to 0 and was used again is listed twice:
		// its second entry finds it taken already.
		w.value = append(w.value, sc.sum[at])
		sc.sum[at] = 0
	}
	if norm > 0 {
		norm = 1 / math.Sqrt(norm)
	}
	for k := range w.value {
		w.value[k] *= norm
	}
	return nil
}

// hash is FNV-1a of 64 bits with a final mix, as FNV's upper and lower bits alone
// are not independent enough to serve as place and sign.
func hash(gram []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range gram {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

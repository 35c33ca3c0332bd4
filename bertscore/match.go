package bertscore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/simd"
)

// side is a text's tokens with their vectors, of length 1; none where the backend holds
// them.
type side struct {
	tokens  []mteval.Token
	vectors []float32
}

// matcher holds the references of each segment.
type matcher struct {
	s      *Scorer
	idf    *idf
	held   backend.Held       // nil: the backend does not match
	places [][]int            // of the references among the held texts
	sides  [][]side           // [segment][reference]
	tokens [][][]mteval.Token // the same tokens as RefTokens gives them
	pool   sync.Pool          // *chunk
}

// idf holds the weights of tokens; nil weighs all alike.
type idf struct {
	weight map[string]float32
	unseen float32
}

// everywhere is the weight of a token that every reference has, log 1 = 0: next
// to nothing, but it keeps the mean of nothing but such tokens defined.
const everywhere = 1e-30

func (f *idf) apply(tokens []mteval.Token) {
	if f == nil {
		return
	}
	for i := range tokens {
		if t := &tokens[i]; t.Weight != 0 {
			w, ok := f.weight[t.Text]
			if !ok {
				w = f.unseen
			}
			t.Weight = w
		}
	}
}

// chunkSize is how many texts are embedded at a time, and of how many bytes together:
// enough to give a backend full batches, and few enough to bound the vectors that are
// held. A longer text is a chunk of its own.
const (
	chunkSize  = 256
	chunkBytes = 1 << 18
)

// heldChunk is how many texts a backend embeds and matches at a time that keeps the
// vectors: enough that it can work on some batches while others are made.
const (
	heldChunk = 4096
	heldBytes = 1 << 22
)

// chunkEnd returns where the chunk of texts that starts at lo ends.
func chunkEnd(texts []string, lo, size, bytes int) int {
	hi := lo + 1
	for sum := len(texts[lo]); hi < min(len(texts), lo+size); hi++ {
		if sum += len(texts[hi]); sum > bytes {
			break
		}
	}
	return hi
}

// keptNumbers is how many numbers of vectors a chunk keeps the memory of, 64 MiB.
const keptNumbers = 1 << 24

// chunk is what one call of Match works with.
type chunk struct {
	batch backend.Batch
	pairs []backend.TextPair // for a backend that matches
	found []mteval.Pairing
	index map[string]int // text to its place in texts
	texts []string
	text  []int // by hypothesis, its text's place
	first []int // by hypothesis, the one before it of the same text and segment, or itself
	seen  map[[2]int]int
}

// PrepareMatch embeds the references, equal ones once.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if s.b == nil {
		return nil, errors.New("bertscore: no backend: the Scorer was not made with New")
	}
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := &matcher{s: s}
	m.pool.New = func() any { return &chunk{index: make(map[string]int), seen: make(map[[2]int]int)} }

	index := make(map[string]int)
	var texts []string
	var first []mteval.SegmentError // where a text came first
	count := 0
	for i, r := range refs {
		for k, text := range r {
			count++
			if _, ok := index[text]; !ok {
				index[text] = len(texts)
				texts = append(texts, text)
				first = append(first, mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k})
			}
		}
	}
	sides := make([]side, 0, len(texts))
	// add keeps the vectors where they are: to copy those of a long text takes long.
	add := func(b *backend.Batch) {
		for i := range b.Len() {
			lo, hi := b.Offsets[i], b.Offsets[i+1]
			d := side{tokens: append([]mteval.Token(nil), b.Tokens[lo:hi]...)}
			if len(b.Data) > 0 {
				d.vectors = b.Data[lo*b.Dim : hi*b.Dim : hi*b.Dim]
			}
			sides = append(sides, d)
		}
	}
	if b, ok := s.b.(backend.Matcher); ok {
		var batch backend.Batch
		var err error
		if m.held, err = b.Hold(ctx, &batch, texts); err != nil {
			return nil, err
		}
		if m.held == nil {
			return nil, fmt.Errorf("bertscore: backend %s holds nothing", s.info.Name)
		}
		if err := backendcheck.Tokens(s.info, &batch, texts); err != nil {
			return nil, fmt.Errorf("bertscore: %w", err)
		}
		if err := s.checkLengths(&batch, texts, func(i int) mteval.SegmentError { return first[i] }); err != nil {
			return nil, err
		}
		add(&batch)
	} else {
		for lo := 0; lo < len(texts); {
			hi := chunkEnd(texts, lo, chunkSize, chunkBytes)
			var batch backend.Batch
			if err := s.embed(ctx, &batch, texts[lo:hi], func(i int) mteval.SegmentError { return first[lo+i] }); err != nil {
				return nil, err
			}
			add(&batch)
			mteval.ReportProgress(ctx, hi, len(texts))
			lo = hi
		}
	}

	if s.opt.IDF {
		docs := make(map[string]int)
		for _, r := range refs {
			for _, text := range r {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				once := make(map[string]bool)
				for _, t := range sides[index[text]].tokens {
					if t.Weight != 0 && !once[t.Text] {
						once[t.Text] = true
						docs[t.Text]++
					}
				}
			}
		}
		n := float64(count)
		m.idf = &idf{make(map[string]float32, len(docs)), float32(math.Log(n + 1))}
		for t, d := range docs {
			m.idf.weight[t] = float32(max(everywhere, math.Log((n+1)/float64(d+1))))
		}
		for i := range sides {
			m.idf.apply(sides[i].tokens)
		}
	}

	m.sides = make([][]side, len(refs))
	m.places = make([][]int, len(refs))
	m.tokens = make([][][]mteval.Token, len(refs))
	for i, r := range refs {
		for _, text := range r {
			d := sides[index[text]]
			m.sides[i] = append(m.sides[i], d)
			m.places[i] = append(m.places[i], index[text])
			m.tokens[i] = append(m.tokens[i], d.tokens)
		}
	}
	return m, nil
}

// checkLengths finds texts that are longer than they may be, or whose ends were cut off.
// at tells where a text is, for errors.
func (s *Scorer) checkLengths(b *backend.Batch, texts []string, at func(i int) mteval.SegmentError) error {
	fail := func(i int, err error) error {
		e := at(i)
		e.Err = err
		return &e
	}
	for i := range texts {
		if err := limit.Text(b.Offsets[i+1]-b.Offsets[i], s.opt.MaxTokens); err != nil {
			return fail(i, err)
		}
	}
	for _, i := range b.Truncated {
		if s.opt.OnTruncated == nil {
			return fail(i, fmt.Errorf("%w (%d tokens); set OnTruncated to score its beginning", ErrTruncated, s.info.MaxTokens))
		}
		s.opt.OnTruncated(texts[i])
	}
	return nil
}

// embed embeds texts, checks what comes back, and scales the vectors to length 1.
// at tells where a text is, for errors.
func (s *Scorer) embed(ctx context.Context, b *backend.Batch, texts []string, at func(i int) mteval.SegmentError) error {
	if err := s.b.Embed(ctx, b, texts); err != nil {
		return err
	}
	if err := backendcheck.Batch(s.info, b, texts); err != nil {
		return fmt.Errorf("bertscore: %w", err)
	}
	if err := s.checkLengths(b, texts, at); err != nil {
		return err
	}
	return parallel.For(ctx, len(b.Tokens), s.opt.Workers, max(1, 1<<18/b.Dim), func(lo, hi int) error {
		for j := lo; j < hi; j++ {
			if err := backendcheck.Vector(s.info, b, j); err != nil {
				return fmt.Errorf("bertscore: %w", err)
			}
			simd.Normalize(b.Data[j*b.Dim : (j+1)*b.Dim])
		}
		return nil
	})
}

func (m *matcher) Len() int { return len(m.sides) }

func (m *matcher) RefTokens(segment int) [][]mteval.Token { return m.tokens[segment] }

func (m *matcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.sides), segs, hyps); err != nil {
		return err
	}
	if len(out) != len(hyps) {
		return fmt.Errorf("bertscore: %d hypotheses with room for %d matchings", len(hyps), len(out))
	}
	c := m.pool.Get().(*chunk)
	defer func() {
		if cap(c.batch.Data) > keptNumbers {
			c.batch = backend.Batch{}
		}
		m.pool.Put(c)
	}()
	size, bytes := chunkSize, chunkBytes
	if m.held != nil {
		size, bytes = heldChunk, heldBytes
	}
	for lo := 0; lo < len(hyps); {
		hi := chunkEnd(hyps, lo, size, bytes)
		at := func(k int) mteval.SegmentError {
			e := mteval.SegmentError{Segment: lo + k, Side: mteval.HypothesisSide, Index: lo + k}
			if segs != nil {
				e.Segment = segs[lo+k]
			}
			return e
		}
		if err := m.match(ctx, c, out[lo:hi], at, hyps[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// match embeds each different text once and matches each pair of text and segment
// once. at tells where a hypothesis is.
func (m *matcher) match(ctx context.Context, c *chunk, out []mteval.Matching, at func(k int) mteval.SegmentError, hyps []string) error {
	segment := func(k int) int { return at(k).Segment }
	clear(c.index)
	clear(c.seen)
	c.texts, c.text, c.first = c.texts[:0], c.text[:0], c.first[:0]
	for k, text := range hyps {
		t, ok := c.index[text]
		if !ok {
			t = len(c.texts)
			c.index[text] = t
			c.texts = append(c.texts, text)
		}
		pair := [2]int{t, segment(k)}
		f, ok := c.seen[pair]
		if !ok {
			f = k
			c.seen[pair] = k
		}
		c.text = append(c.text, t)
		c.first = append(c.first, f)
	}
	where := func(t int) mteval.SegmentError { return at(slices.Index(c.text, t)) }
	var err error
	if m.held != nil {
		err = m.matchHeld(ctx, c, out, segment, where)
	} else {
		err = m.matchHere(ctx, c, out, segment, where)
	}
	if err != nil {
		return err
	}
	for k, f := range c.first {
		if f != k {
			from := &out[f]
			set(&out[k], from.Tokens, len(from.Pairings))
			for r, p := range from.Pairings {
				q := &out[k].Pairings[r]
				q.Hyp = append(q.Hyp[:0], p.Hyp...)
				q.Ref = append(q.Ref[:0], p.Ref...)
			}
		}
	}
	return nil
}

// matchHere embeds c.texts and matches those hypotheses that are the first of their kind.
func (m *matcher) matchHere(ctx context.Context, c *chunk, out []mteval.Matching, segment func(k int) int, where func(t int) mteval.SegmentError) error {
	if err := m.s.embed(ctx, &c.batch, c.texts, where); err != nil {
		return err
	}
	m.idf.apply(c.batch.Tokens)
	return parallel.For(ctx, len(out), m.s.opt.Workers, 4, func(lo, hi int) error {
		sc := scratchPool.Get().(*scratch)
		defer sc.keep()
		for k := lo; k < hi; k++ {
			if c.first[k] != k {
				continue
			}
			tokens, vectors := c.batch.Text(c.text[k])
			refs := m.sides[segment(k)]
			set(&out[k], tokens, len(refs))
			for r := range refs {
				p := &out[k].Pairings[r]
				if err := sc.greedy(ctx, p, side{tokens, vectors}, refs[r], c.batch.Dim); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// matchHeld lets the backend do it.
func (m *matcher) matchHeld(ctx context.Context, c *chunk, out []mteval.Matching, segment func(k int) int, where func(t int) mteval.SegmentError) error {
	c.pairs, c.found = c.pairs[:0], c.found[:0]
	for k := range out {
		if c.first[k] != k {
			continue
		}
		places := m.places[segment(k)]
		set(&out[k], nil, len(places))
		for r, place := range places {
			c.pairs = append(c.pairs, backend.TextPair{Text: c.text[k], Held: place})
			c.found = append(c.found, out[k].Pairings[r]) // for its memory
		}
	}
	defer func() { clear(c.found) }() // it is the caller's
	if err := m.held.Match(ctx, &c.batch, c.texts, c.pairs, c.found); err != nil {
		return err
	}
	if err := backendcheck.Tokens(m.s.info, &c.batch, c.texts); err != nil {
		return fmt.Errorf("bertscore: %w", err)
	}
	if err := m.s.checkLengths(&c.batch, c.texts, where); err != nil {
		return err
	}
	m.idf.apply(c.batch.Tokens)
	at := 0
	for k := range out {
		if c.first[k] != k {
			continue
		}
		tokens := c.batch.Tokens[c.batch.Offsets[c.text[k]]:c.batch.Offsets[c.text[k]+1]]
		out[k].Tokens = append(out[k].Tokens[:0], tokens...)
		at += copy(out[k].Pairings, c.found[at:at+len(out[k].Pairings)])
		for r := range out[k].Pairings {
			if err := backendcheck.Pairing(m.s.info, &out[k].Pairings[r], tokens, m.sides[segment(k)][r].tokens); err != nil {
				return fmt.Errorf("bertscore: %w", err)
			}
		}
	}
	return nil
}

// set puts the tokens in m and makes room for the pairings.
func set(m *mteval.Matching, tokens []mteval.Token, refs int) {
	m.Tokens = append(m.Tokens[:0], tokens...)
	if cap(m.Pairings) < refs {
		m.Pairings = append(m.Pairings[:cap(m.Pairings)], make([]mteval.Pairing, refs-cap(m.Pairings))...)
	}
	m.Pairings = m.Pairings[:refs]
	for r := range m.Pairings {
		m.Pairings[r].Spans = nil
	}
}

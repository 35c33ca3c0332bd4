package bertscore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/parallel"
)

// side is a text's tokens with their vectors, of length 1; none where the backend stores
// them.
type side struct {
	tokens  []mteval.Token
	vectors []float32
}

// matcher holds the references of each segment.
type matcher struct {
	s      *Scorer
	idf    *idf
	store  backend.TextStore  // of the references; nil: the backend does not match
	places [][]int            // [segment][reference]: its text among those of store
	sides  [][]side           // [segment][reference]
	tokens [][][]mteval.Token // the same tokens as RefTokens gives them
	pool   sync.Pool          // *call
}

// keptNumbers and keptTokens are of how many the memory is kept for other calls: 64 and
// 40 MiB.
const (
	keptNumbers = 1 << 24
	keptTokens  = 1 << 20
)

// call is what one call of Match works with. Each different text is embedded once, and
// each different pair of a text and a segment is matched once, for the first hypothesis
// that asks for it.
type call struct {
	batch backend.Batch
	texts []string       // the different ones, in the order in which they come first
	index map[string]int // their places
	text  []int          // by hypothesis, its text's place
	first []int          // by hypothesis, the first one of the same text and segment
	tasks []int          // the hypotheses that are first, by text
	seen  map[[2]int]int
	// For a backend that matches, by task and reference.
	pairs []backend.TextPair
	found []mteval.Pairing

	segs []int // nil: segment k
}

func (c *call) segment(k int) int {
	if c.segs == nil {
		return k
	}
	return c.segs[k]
}

// at tells where a text came first.
func (c *call) at(text int) mteval.SegmentError {
	k := slices.Index(c.text, text)
	return mteval.SegmentError{Segment: c.segment(k), Side: mteval.HypothesisSide, Index: k}
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
	c := m.pool.Get().(*call)
	defer func() {
		c.release()
		m.pool.Put(c)
	}()
	c.plan(segs, hyps)
	match := m.matchHere
	if m.store != nil {
		match = m.matchThere
	}
	if err := match(ctx, c, out); err != nil {
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

// plan finds out what there is to do.
func (c *call) plan(segs []int, hyps []string) {
	c.segs = segs
	for k, text := range hyps {
		t, ok := c.index[text]
		if !ok {
			t = len(c.texts)
			c.index[text] = t
			c.texts = append(c.texts, text)
		}
		pair := [2]int{t, c.segment(k)}
		f, ok := c.seen[pair]
		if !ok {
			f = k
			c.seen[pair] = k
			c.tasks = append(c.tasks, k)
		}
		c.text = append(c.text, t)
		c.first = append(c.first, f)
	}
	slices.SortStableFunc(c.tasks, func(a, b int) int { return c.text[a] - c.text[b] })
}

// release forgets what is the caller's, and what only a very long text needs.
func (c *call) release() {
	clear(c.index)
	clear(c.seen)
	clear(c.texts)
	clear(c.found)
	c.segs, c.texts, c.text, c.first, c.tasks = nil, c.texts[:0], c.text[:0], c.first[:0], c.tasks[:0]
	c.pairs, c.found = c.pairs[:0], c.found[:0]
	if cap(c.batch.Data) > keptNumbers || cap(c.batch.Tokens) > keptTokens {
		c.batch = backend.Batch{}
	}
}

// matchHere embeds the texts, a chunk at a time, and does the tasks of each chunk.
func (m *matcher) matchHere(ctx context.Context, c *call, out []mteval.Matching) error {
	tasks := c.tasks
	for lo := 0; lo < len(c.texts); {
		hi := chunkEnd(c.texts, lo)
		if err := m.s.embed(ctx, &c.batch, c.texts[lo:hi], func(i int) mteval.SegmentError { return c.at(lo + i) }); err != nil {
			return err
		}
		m.idf.apply(c.batch.Tokens)
		n := 0
		for n < len(tasks) && c.text[tasks[n]] < hi {
			n++
		}
		err := parallel.For(ctx, n, m.s.opt.Workers, 4, func(from, to int) error {
			sc := scratchPool.Get().(*scratch)
			defer sc.keep()
			for _, k := range tasks[from:to] {
				tokens, vectors := c.batch.Text(c.text[k] - lo)
				refs := m.sides[c.segment(k)]
				set(&out[k], tokens, len(refs))
				for r := range refs {
					if err := sc.greedy(ctx, &out[k].Pairings[r], side{tokens, vectors}, refs[r], c.batch.Dim); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		tasks, lo = tasks[n:], hi
	}
	return nil
}

// matchThere lets the backend do it, all at once: it bounds the vectors that it works on.
func (m *matcher) matchThere(ctx context.Context, c *call, out []mteval.Matching) error {
	for _, k := range c.tasks {
		places := m.places[c.segment(k)]
		set(&out[k], nil, len(places))
		for r, place := range places {
			c.pairs = append(c.pairs, backend.TextPair{Hyp: c.text[k], Ref: place})
			c.found = append(c.found, out[k].Pairings[r]) // for its memory
		}
	}
	if err := m.store.Match(ctx, &c.batch, c.texts, c.pairs, c.found); err != nil {
		return err
	}
	if err := m.s.checkTokens(&c.batch, c.texts, c.at); err != nil {
		return err
	}
	m.idf.apply(c.batch.Tokens)
	at := 0
	for _, k := range c.tasks {
		tokens := c.batch.Tokens[c.batch.Offsets[c.text[k]]:c.batch.Offsets[c.text[k]+1]]
		out[k].Tokens = append(out[k].Tokens[:0], tokens...)
		at += copy(out[k].Pairings, c.found[at:at+len(out[k].Pairings)])
		for r := range out[k].Pairings {
			if err := backendcheck.Pairing(m.s.info, &out[k].Pairings[r], tokens, m.sides[c.segment(k)][r].tokens); err != nil {
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

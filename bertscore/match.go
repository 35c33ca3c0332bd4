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
}

// calls are for all matchers: a pool is known to the runtime, and one in a matcher would keep
// its vectors until the garbage was collected twice.
var calls = sync.Pool{New: func() any { return newCall() }}

// keptNumbers, keptTokens and keptTexts are of how many the memory is kept for other calls: 64,
// 40 and some 2 MiB.
const (
	keptNumbers = 1 << 24
	keptTokens  = 1 << 20
	keptTexts   = 1 << 13
)

// call is what one call of Match works with. Each different text is embedded once, and
// each different pair of a text and a segment is matched once, for the first hypothesis
// that asks for it.
type call struct {
	m     *matcher
	ctx   context.Context
	chunk *chunk
	out   []mteval.Matching
	texts []string       // the different ones, in the order in which they come first
	index map[string]int // their places
	text  []int          // by hypothesis, its text's place
	first []int          // by hypothesis, the first one of the same text and segment
	tasks []int          // the hypotheses that are first, by text
	seen  map[[2]int]int
	// Of the chunk that is worked on: its first text's place, and its tasks.
	lo   int
	part []int
	// The functions that are given to others, which are made once.
	matchPart func(from, to int) error
	atText    func(text int) mteval.SegmentError // a text of the chunk
	// For a backend that matches, by task and reference.
	pairs []backend.TextPair
	found []mteval.Pairing

	segs []int // nil: segment k
}

func newCall() *call {
	c := &call{chunk: newChunk(nil), index: make(map[string]int), seen: make(map[[2]int]int)}
	c.matchPart, c.atText = c.matchTasks, c.at
	return c
}

func (c *call) segment(k int) int {
	if c.segs == nil {
		return k
	}
	return c.segs[k]
}

// at tells where a text of the chunk came first.
func (c *call) at(text int) mteval.SegmentError {
	k := slices.Index(c.text, c.lo+text)
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
	c := calls.Get().(*call)
	defer func() {
		if c.release() {
			calls.Put(c)
		}
	}()
	c.m, c.chunk.s, c.ctx, c.out = m, m.s, ctx, out
	c.plan(segs, hyps)
	var err error
	if m.store == nil {
		err = c.matchHere()
	} else {
		err = c.matchThere()
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

// release forgets what is the caller's, and what only a very long text needs. It says whether
// the rest is worth keeping.
func (c *call) release() bool {
	if cap(c.text) > keptTexts || cap(c.found) > keptTexts {
		return false
	}
	c.m, c.chunk.s, c.ctx, c.out, c.segs, c.lo, c.part = nil, nil, nil, nil, nil, 0, nil
	if b := &c.chunk.batch; cap(b.Data) > keptNumbers || cap(b.Tokens) > keptTokens {
		*b = backend.Batch{}
	} else {
		clear(b.Tokens)
	}
	clear(c.index)
	clear(c.seen)
	clear(c.texts)
	clear(c.found)
	c.texts, c.text, c.first, c.tasks = c.texts[:0], c.text[:0], c.first[:0], c.tasks[:0]
	c.pairs, c.found = c.pairs[:0], c.found[:0]
	return true
}

// matchHere embeds the texts, a chunk at a time, and does the tasks of each chunk.
func (c *call) matchHere() error {
	tasks := c.tasks
	for c.lo = 0; c.lo < len(c.texts); {
		hi := chunkEnd(c.texts, c.lo)
		if err := c.chunk.embed(c.ctx, c.texts[c.lo:hi], c.atText); err != nil {
			return err
		}
		c.m.idf.apply(c.chunk.batch.Tokens)
		n := 0
		for n < len(tasks) && c.text[tasks[n]] < hi {
			n++
		}
		c.part, tasks = tasks[:n], tasks[n:]
		if err := parallel.For(c.ctx, n, c.m.s.opt.Workers, 4, c.matchPart); err != nil {
			return err
		}
		c.lo = hi
	}
	return nil
}

// matchTasks does some of the chunk's tasks.
func (c *call) matchTasks(from, to int) error {
	sc := scratchPool.Get().(*scratch)
	defer sc.keep()
	for _, k := range c.part[from:to] {
		tokens, vectors := c.chunk.batch.Text(c.text[k] - c.lo)
		refs := c.m.sides[c.segment(k)]
		m := &c.out[k]
		set(m, tokens, len(refs))
		for r := range refs {
			if err := sc.greedy(c.ctx, &m.Pairings[r], side{tokens, vectors}, refs[r], c.chunk.batch.Dim); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchThere lets the backend do it, all at once: it bounds the vectors that it works on.
func (c *call) matchThere() error {
	m, out, batch := c.m, c.out, &c.chunk.batch
	batch.MaxTokens = m.s.opt.MaxTokens
	for _, k := range c.tasks {
		places := m.places[c.segment(k)]
		set(&out[k], nil, len(places))
		for r, place := range places {
			c.pairs = append(c.pairs, backend.TextPair{Hyp: c.text[k], Ref: place})
			c.found = append(c.found, out[k].Pairings[r]) // for its memory
		}
	}
	if err := m.store.Match(c.ctx, batch, c.texts, c.pairs, c.found); err != nil {
		return ofText(err, c.texts, c.atText)
	}
	if err := m.s.checkTokens(batch, c.texts, c.atText); err != nil {
		return err
	}
	m.idf.apply(batch.Tokens)
	at := 0
	for _, k := range c.tasks {
		tokens := batch.Tokens[batch.Offsets[c.text[k]]:batch.Offsets[c.text[k]+1]]
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

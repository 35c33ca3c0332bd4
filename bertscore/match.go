package bertscore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
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

// chunkSize is how many texts are embedded at a time: enough to give a backend
// full batches, and few enough to bound the vectors that are held.
const chunkSize = 256

// heldChunk is how many texts a backend embeds and matches at a time that keeps the
// vectors: enough that it can work on some batches while others are made.
const heldChunk = 4096

// chunk is what one call of Match works with.
type chunk struct {
	batch backend.Batch
	pairs []backend.Pair // for a backend that matches
	found []mteval.Pairing
	index map[string]int // text to its place in texts
	texts []string
	text  []int // by hypothesis, its text's place
	first []int // by hypothesis, the one before it of the same text and segment, or itself
	seen  map[[2]int]int
}

// PrepareMatch embeds the references, equal ones once.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := &matcher{s: s}
	m.pool.New = func() any { return &chunk{index: make(map[string]int), seen: make(map[[2]int]int)} }

	index := make(map[string]int)
	var texts []string
	var segment []int // where a text came first
	count := 0
	for i, r := range refs {
		for _, text := range r {
			count++
			if _, ok := index[text]; !ok {
				index[text] = len(texts)
				texts = append(texts, text)
				segment = append(segment, i)
			}
		}
	}
	sides := make([]side, 0, len(texts))
	add := func(b *backend.Batch) {
		for i := range b.Len() {
			lo, hi := b.Offsets[i], b.Offsets[i+1]
			d := side{tokens: append([]mteval.Token(nil), b.Tokens[lo:hi]...)}
			if len(b.Data) > 0 {
				d.vectors = append([]float32(nil), b.Data[lo*b.Dim:hi*b.Dim]...)
			}
			sides = append(sides, d)
		}
	}
	var batch backend.Batch
	if b, ok := s.b.(backend.Matcher); ok {
		var err error
		if m.held, err = b.Hold(ctx, &batch, texts); err != nil {
			return nil, err
		}
		if err := s.check(&batch, texts, 0, func(i int) int { return segment[i] }); err != nil {
			return nil, err
		}
		add(&batch)
	} else {
		for lo := 0; lo < len(texts); lo += chunkSize {
			hi := min(len(texts), lo+chunkSize)
			if err := s.embed(ctx, &batch, texts[lo:hi], func(i int) int { return segment[lo+i] }); err != nil {
				return nil, err
			}
			add(&batch)
			mteval.ReportProgress(ctx, hi, len(texts))
		}
	}

	if s.opt.IDF {
		docs := make(map[string]int)
		for _, r := range refs {
			for _, text := range r {
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

// check checks what came back for texts: so many numbers a token, and whether the ends of
// texts were cut off.
func (s *Scorer) check(b *backend.Batch, texts []string, numbers int, segment func(i int) int) error {
	if b.Dim != s.b.Info().Dim || b.Len() != len(texts) || b.Offsets[len(texts)] != len(b.Tokens) || len(b.Data) != len(b.Tokens)*numbers {
		return fmt.Errorf("bertscore: backend %s gave %d texts of %d tokens with %d numbers of dimension %d for %d texts",
			s.b.Info().Name, b.Len(), len(b.Tokens), len(b.Data), b.Dim, len(texts))
	}
	for _, i := range b.Truncated {
		if s.opt.OnTruncated == nil {
			return &mteval.SegmentError{Segment: segment(i), Err: fmt.Errorf("%w (%d tokens); set OnTruncated to score its beginning",
				ErrTruncated, s.b.Info().MaxTokens)}
		}
		s.opt.OnTruncated(texts[i])
	}
	return nil
}

// embed embeds texts, checks what comes back, and scales the vectors to length 1.
// segment tells the segment of a text, for errors.
func (s *Scorer) embed(ctx context.Context, b *backend.Batch, texts []string, segment func(i int) int) error {
	if err := s.b.Embed(ctx, b, texts); err != nil {
		return err
	}
	if err := s.check(b, texts, b.Dim, segment); err != nil {
		return err
	}
	return parallel.For(ctx, len(b.Tokens), s.opt.Workers, 512, func(lo, hi int) error {
		for j := lo; j < hi; j++ {
			v := b.Data[j*b.Dim : (j+1)*b.Dim]
			for _, x := range v {
				if x-x != 0 { // NaN or infinite
					return fmt.Errorf("bertscore: backend %s gave a vector with %v for token %q", s.b.Info().Name, x, b.Tokens[j].Text)
				}
			}
			simd.Normalize(v)
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
	defer m.pool.Put(c)
	size := chunkSize
	if m.held != nil {
		size = heldChunk
	}
	for lo := 0; lo < len(hyps); lo += size {
		hi := min(len(hyps), lo+size)
		segment := func(k int) int {
			if segs == nil {
				return lo + k
			}
			return segs[lo+k]
		}
		if err := m.match(ctx, c, out[lo:hi], segment, hyps[lo:hi]); err != nil {
			return err
		}
	}
	return nil
}

// match embeds each different text once and matches each pair of text and segment
// once.
func (m *matcher) match(ctx context.Context, c *chunk, out []mteval.Matching, segment func(int) int, hyps []string) error {
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
	where := func(t int) int {
		for k, u := range c.text {
			if u == t {
				return segment(k)
			}
		}
		return 0
	}
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
func (m *matcher) matchHere(ctx context.Context, c *chunk, out []mteval.Matching, segment, where func(int) int) error {
	if err := m.s.embed(ctx, &c.batch, c.texts, where); err != nil {
		return err
	}
	m.idf.apply(c.batch.Tokens)
	return parallel.For(ctx, len(out), m.s.opt.Workers, 4, func(lo, hi int) error {
		sc := scratchPool.Get().(*scratch)
		defer scratchPool.Put(sc)
		for k := lo; k < hi; k++ {
			if c.first[k] != k {
				continue
			}
			tokens, vectors := c.batch.Text(c.text[k])
			refs := m.sides[segment(k)]
			set(&out[k], tokens, len(refs))
			for r := range refs {
				p := &out[k].Pairings[r]
				sc.greedy(p, side{tokens, vectors}, refs[r], c.batch.Dim)
			}
		}
		return nil
	})
}

// matchHeld lets the backend do it.
func (m *matcher) matchHeld(ctx context.Context, c *chunk, out []mteval.Matching, segment, where func(int) int) error {
	c.pairs, c.found = c.pairs[:0], c.found[:0]
	for k := range out {
		if c.first[k] != k {
			continue
		}
		places := m.places[segment(k)]
		set(&out[k], nil, len(places))
		for r, place := range places {
			c.pairs = append(c.pairs, backend.Pair{Text: c.text[k], Held: place})
			c.found = append(c.found, out[k].Pairings[r]) // for its memory
		}
	}
	defer func() { clear(c.found) }() // it is the caller's
	if err := m.held.Match(ctx, &c.batch, c.texts, c.pairs, c.found); err != nil {
		return err
	}
	if err := m.s.check(&c.batch, c.texts, 0, where); err != nil {
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
		for r, p := range out[k].Pairings {
			if ref := m.sides[segment(k)][r]; len(p.Hyp) != len(tokens) || len(p.Ref) != len(ref.tokens) {
				return fmt.Errorf("bertscore: backend %s gave %d and %d links for %d and %d tokens", m.s.b.Info().Name, len(p.Hyp), len(p.Ref), len(tokens), len(ref.tokens))
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

// scratch is what one goroutine needs to match two sides.
type scratch struct {
	sims []float32 // [hypothesis][reference]
	most []float32 // by token of the reference
	at   []int32
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// greedy sets p to the best matches between two sides. Of several as good, the
// first is taken.
func (sc *scratch) greedy(p *mteval.Pairing, hyp, ref side, dim int) {
	nh, nr := len(hyp.tokens), len(ref.tokens)
	p.Hyp, p.Ref = links(p.Hyp, nh), links(p.Ref, nr)
	if nh == 0 || nr == 0 {
		return
	}
	sc.sims = slices.Grow(sc.sims[:0], nh*nr)[:nh*nr]
	sc.most, sc.at = slices.Grow(sc.most[:0], nr)[:nr], slices.Grow(sc.at[:0], nr)[:nr]
	simd.Dots(sc.sims, hyp.vectors, ref.vectors, nh, nr, dim)
	for i := range p.Hyp {
		row := sc.sims[i*nr : (i+1)*nr]
		most, at := simd.MaxRow(row)
		p.Hyp[i] = link(most, at, row, 1, ref.tokens)
	}
	simd.MaxCols(sc.most, sc.at, sc.sims, nh)
	for j := range p.Ref {
		p.Ref[j] = link(sc.most[j], int(sc.at[j]), sc.sims[j:], nr, hyp.tokens)
	}
}

// link returns the link to the tokens of the other side, the similarities of which
// stand stride apart, the largest being that to token at.
func link(most float32, at int, sims []float32, stride int, tokens []mteval.Token) mteval.Link {
	if tokens[at].Weight == 0 {
		return best(sims, stride, tokens)
	}
	return mteval.Link{To: int32(at), Sim: min(1, max(-1, most))}
}

// best returns the link to the tokens of the other side, the similarities of
// which stand stride apart.
func best(sims []float32, stride int, tokens []mteval.Token) mteval.Link {
	link := mteval.Link{To: -1, Sim: sims[0]}
	var kept float32 // the similarity to tokens[link.To]
	for j := range tokens {
		s := sims[j*stride]
		if s > link.Sim {
			link.Sim = s
		}
		if (link.To < 0 || s > kept) && tokens[j].Weight != 0 {
			link.To, kept = int32(j), s
		}
	}
	// Rounding can put a cosine a little outside of −1 to 1.
	link.Sim = min(1, max(-1, link.Sim))
	return link
}

// links returns a slice of n links, in s's memory if it is large enough. Their
// values are for the caller to set, but for an empty other side.
func links(s []mteval.Link, n int) []mteval.Link {
	if cap(s) < n {
		s = make([]mteval.Link, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = mteval.Link{To: -1}
	}
	return s
}

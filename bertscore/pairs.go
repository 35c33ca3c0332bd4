package bertscore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

var (
	_ mteval.PairScorer      = (*Scorer)(nil)
	_ mteval.SymmetricScorer = (*Scorer)(nil)
)

// Symmetric says whether Beta is 1, where P and R change places with the texts and F stays. With
// IDF and over a backend.Matcher, which computes similarities as it likes, it is false.
func (s *Scorer) Symmetric() bool { return s.opt.Beta == 1 && s.alone() }

// alone says whether a row is made of the vectors of its two texts, and here.
func (s *Scorer) alone() bool {
	_, matches := s.b.(backend.Matcher)
	return s.b != nil && !matches && !s.opt.IDF
}

// NewPairs implements mteval.PairScorer: each text is embedded once. It is nil with IDF, as the
// weights are of all references together, and over a backend.Matcher, which keeps references
// alone.
func (s *Scorer) NewPairs() mteval.Pairs {
	if !s.alone() {
		return nil
	}
	p := &pairs{s: s}
	p.at = p.atText
	return p
}

type pairs struct {
	s      *Scorer
	chunks []*chunk
	sides  []side // their memory is the chunks'
	lo     int    // where the chunk that is being embedded begins
	at     func(i int) mteval.SegmentError
}

// pairMatch is what one call of Append works with.
type pairMatch struct {
	m   mteval.Matching
	ref [1][]mteval.Token
}

var pairMatches = sync.Pool{New: func() any {
	return &pairMatch{m: mteval.Matching{Pairings: make([]mteval.Pairing, 1)}}
}}

// atText tells where a text of the chunk is.
func (p *pairs) atText(i int) mteval.SegmentError {
	return mteval.SegmentError{Segment: p.lo + i, Side: mteval.HypothesisSide, Index: p.lo + i}
}

// Set implements mteval.Pairs.
func (p *pairs) Set(ctx context.Context, texts []string) error {
	err := p.set(ctx, texts)
	if err != nil {
		p.sides = p.sides[:0]
	}
	return err
}

func (p *pairs) set(ctx context.Context, texts []string) error {
	p.sides = p.sides[:0]
	p.lo = 0
	for k := 0; p.lo < len(texts); k++ {
		if k == len(p.chunks) {
			c := &chunk{s: p.s}
			c.scale = c.normalize
			p.chunks = append(p.chunks, c)
		}
		hi, c := chunkEnd(texts, p.lo), p.chunks[k]
		if err := c.embed(ctx, texts[p.lo:hi], p.at); err != nil {
			return err
		}
		for i := range c.batch.Len() {
			tokens, vectors := c.batch.Text(i)
			for j := range tokens {
				tokens[j].Text = "" // which would keep the text
			}
			p.sides = append(p.sides, side{tokens, vectors})
		}
		p.lo = hi
	}
	return ctx.Err()
}

// Append implements mteval.Pairs.
func (p *pairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	n := len(p.sides)
	if ref < 0 || ref >= n || len(hyps) > 0 && (slices.Min(hyps) < 0 || slices.Max(hyps) >= n) {
		return dst, errors.New("bertscore: a text that is not there")
	}
	m, sc := pairMatches.Get().(*pairMatch), scratchPool.Get().(*scratch)
	defer func() {
		m.m.Tokens, m.ref[0] = nil, nil
		pairMatches.Put(m)
		sc.keep()
	}()
	m.ref[0] = p.sides[ref].tokens
	out := dst
	for _, h := range hyps {
		if err := ctx.Err(); err != nil {
			return dst, err
		}
		if err := sc.greedy(ctx, &m.m.Pairings[0], p.sides[h], p.sides[ref], p.s.info.Dim); err != nil {
			return dst, err
		}
		m.m.Tokens = p.sides[h].tokens
		out = p.s.AppendMatch(out, 0, m.ref[:], &m.m)
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	return out, nil
}

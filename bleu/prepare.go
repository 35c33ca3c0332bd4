package bleu

import (
	"context"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the references' n-grams of each segment.
type prepared struct {
	s     *Scorer
	words vocab.Vocab // every word of the references
	segs  []segment
	pool  sync.Pool // *scratch
	nodes int       // the most n-grams of a segment
}

// segment is the reference side of one segment.
type segment struct {
	lens   []int32 // the references' lengths in tokens
	ngrams ngram.Trie
	max    []int32 // by node: how often the n-gram counts at most
}

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	text  []byte
	ids   []uint32
	count []int32 // by node, all zero between uses
	used  []int32 // the nodes whose count is not zero
}

func (p *prepared) Len() int { return len(p.segs) }

// tokens sets sc.text to the tokenized line and calls each for its tokens.
func (s *Scorer) tokens(sc *scratch, line string, each func(token []byte)) {
	line = tokenize.TrimRight(line)
	if s.lower {
		line = tokenize.Lower(line)
	}
	sc.text = tokenize.Each(sc.text, s.tok, line, each)
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, segs: make([]segment, len(refs))}
	var sc scratch
	var ids [][]uint32
	var all []uint32 // of the segment's references
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := &p.segs[i]
		g.lens = make([]int32, len(texts))
		ids, all = ids[:0], all[:0]
		ngrams := 0
		for k, text := range texts {
			start := len(all)
			s.tokens(&sc, text, func(token []byte) {
				all = append(all, p.words.Add(token))
			})
			line := all[start:]
			g.lens[k] = int32(len(line))
			ids = append(ids, line)
			ngrams += len(line) * s.order
		}
		g.build(ids, ngrams, s.order, &sc)
		p.nodes = max(p.nodes, len(g.max))
	}
	p.pool.New = func() any { return &scratch{count: make([]int32, p.nodes)} }
	return p, ctx.Err()
}

// build counts the n-grams of a segment from its references' words.
func (g *segment) build(refs [][]uint32, ngrams, order int, sc *scratch) {
	g.ngrams.Grow(ngrams)
	g.max = make([]int32, 0, ngrams+1)
	for _, ids := range refs {
		sc.count = slices.Grow(sc.count[:0], ngrams+1)[:ngrams+1]
		clear(sc.count)
		for i := range ids {
			node := int32(0)
			for _, id := range ids[i:min(len(ids), i+order)] {
				node = g.ngrams.Add(node, id)
				sc.count[node]++
			}
		}
		for len(g.max) <= g.ngrams.Len() {
			g.max = append(g.max, 0)
		}
		for node := range g.max {
			g.max[node] = max(g.max[node], sc.count[node])
		}
	}
}

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.segs), 2+2*p.s.order, p.s.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	width := 2 + 2*p.s.order
	for k := lo; k < hi; k++ {
		p.row(out[:width], sc, &p.segs[rows.Segment(segs, k)], hyps[k])
		out = out[width:]
	}
	p.pool.Put(sc)
	return nil
}

func (p *prepared) row(row []float64, sc *scratch, g *segment, hyp string) {
	order := p.s.order
	sc.ids = sc.ids[:0]
	p.s.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
	n := len(sc.ids)
	row[0], row[1] = float64(n), float64(closest(n, g.lens))
	matches, totals := row[2:2+order], row[2+order:]
	for i := range totals {
		totals[i] = float64(max(0, n-i))
	}
	sc.used = sc.used[:0]
	for i := range sc.ids {
		node := int32(0)
		for k, id := range sc.ids[i:min(n, i+order)] {
			if id == 0 { // a word that no reference has
				break
			}
			if node = g.ngrams.Next(node, id); node == 0 {
				break
			}
			if sc.count[node] < g.max[node] {
				matches[k]++
			}
			if sc.count[node] == 0 {
				sc.used = append(sc.used, node)
			}
			sc.count[node]++
		}
	}
	for _, node := range sc.used {
		sc.count[node] = 0
	}
}

// closest returns the length closest to n, the shorter of two as close.
func closest(n int, lens []int32) int {
	best, diff := 0, -1
	for _, l := range lens {
		d := n - int(l)
		if d < 0 {
			d = -d
		}
		if diff < 0 || d < diff || d == diff && int(l) < best {
			best, diff = int(l), d
		}
	}
	return best
}

package bleu

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the references' n-grams of each segment.
type prepared struct {
	s     *Scorer
	words vocab.Vocab // every word of the references
	segs  []segment
	nodes int // the most n-grams of a segment
}

// segment is the reference side of one segment.
type segment struct {
	lens   []int32 // the references' lengths in tokens
	ngrams ngram.Trie
	max    []int32 // by node: how often the n-gram counts at most
}

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	watch pace.Pace
	lower fold.Line
	text  []byte
	ids   []uint32
	count []int32 // by node, all zero between uses
	used  []int32 // the nodes whose count is not zero
}

func (p *prepared) Len() int { return len(p.segs) }

// tokens sets sc.text to the tokenized line and calls each for its tokens.
func (s *Scorer) tokens(sc *scratch, line string, each func(token []byte)) (err error) {
	line = tokenize.TrimRight(line)
	if s.lower {
		line = sc.lower.LowerFor(s.tok, line)
	}
	sc.text, err = limit.Each(&sc.watch, s.maxTokens, sc.text, s.tok, line, each)
	return err
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, segs: make([]segment, len(refs))}
	sc := scratch{watch: pace.Of(ctx)}
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
			err := s.tokens(&sc, text, func(token []byte) {
				all = append(all, p.words.Add(token))
			})
			if err != nil {
				return nil, limit.OfReference(i, k, err)
			}
			line := all[start:]
			g.lens[k] = int32(len(line))
			ids = append(ids, line)
			ngrams += len(line) * s.order
		}
		if err := g.build(ids, ngrams, s.order, &sc); err != nil {
			return nil, err
		}
		p.nodes = max(p.nodes, len(g.max))
	}
	return p, ctx.Err()
}

// interval is the number of places of a text between two looks at the context, and steps
// what an n-gram takes.
const interval, steps = 1 << 10, 32

// build counts the n-grams of a segment from its references' words.
func (g *segment) build(refs [][]uint32, ngrams, order int, sc *scratch) error {
	g.ngrams.Grow(ngrams)
	g.max = make([]int32, 1, ngrams+1)
	sc.count = append(sc.count[:0], 0) // by node, all zero between references
	for _, ids := range refs {
		sc.used = sc.used[:0]
		for i := range ids {
			if i%interval == interval-1 {
				if err := sc.watch.Done(interval * order * steps); err != nil {
					return err
				}
			}
			node := int32(0)
			for _, id := range ids[i:min(len(ids), i+order)] {
				node = g.ngrams.Add(node, id)
				if int(node) == len(g.max) {
					g.max = append(g.max, 0)
					sc.count = append(sc.count, 0)
				}
				if sc.count[node] == 0 {
					sc.used = append(sc.used, node)
				}
				sc.count[node]++
			}
		}
		for _, node := range sc.used {
			g.max[node] = max(g.max[node], sc.count[node])
			sc.count[node] = 0
		}
	}
	return nil
}

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.segs), 2+2*p.s.order, p.s.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	return fill(ctx, p, p.nodes, out, 2+2*p.s.order, segs, hyps, lo, hi)
}

// A rower fills in the row, zero so far, of a hypothesis of a segment.
type rower interface {
	row(row []float64, sc *scratch, segment int, hyp string) error
}

// scratches are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var scratches sync.Pool // *scratch

// fill is Fill of rows.Filler, against references of so many nodes.
func fill(ctx context.Context, r rower, nodes int, out []float64, width int, segs []int, hyps []string, lo, hi int) error {
	sc, _ := scratches.Get().(*scratch)
	if sc == nil {
		sc = new(scratch)
	}
	if len(sc.count) < nodes {
		sc.count = make([]int32, nodes)
	}
	sc.watch = pace.Of(ctx)
	for k := lo; k < hi; k++ {
		if err := r.row(out[:width], sc, rows.Segment(segs, k), hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err) // sc's counts may not be zero
		}
		out = out[width:]
	}
	sc.watch = pace.Pace{}
	scratches.Put(sc)
	return nil
}

func (p *prepared) row(row []float64, sc *scratch, segment int, hyp string) error {
	g := &p.segs[segment]
	order := p.s.order
	sc.ids = sc.ids[:0]
	err := p.s.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
	if err != nil {
		return err
	}
	n := len(sc.ids)
	row[0], row[1] = float64(n), float64(closest(n, g.lens))
	matches, totals := row[2:2+order], row[2+order:]
	for i := range totals {
		totals[i] = float64(max(0, n-i))
	}
	sc.used = sc.used[:0]
	for i := range sc.ids {
		if i%interval == interval-1 {
			if err := sc.watch.Done(interval * order * steps); err != nil {
				return err
			}
		}
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
	return nil
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

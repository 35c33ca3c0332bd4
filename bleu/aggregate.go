package bleu

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
)

var _ mteval.AggregateScorer = (*Scorer)(nil)

// PrepareAggregate makes one reference of those of each segment: the weighted mean of their
// counts of n-grams and of their lengths (DeNero et al., ACL 2009), which are then fractions.
func (s *Scorer) PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if err := ngram.CheckWeights("bleu", refs, weights); err != nil {
		return nil, err
	}
	p, _ := released.Get().(*aggregated)
	if p == nil {
		p = new(aggregated)
	}
	p.reset(s.ready(), len(refs))
	sc := &p.sc
	sc.watch = pace.Of(ctx)
	var err error
	for i, texts := range refs {
		if p.shares, err = ngram.SegmentShares(p.shares[:0], refs, weights, i); err != nil {
			return nil, err
		}
		for r, text := range texts {
			sc.ids = sc.ids[:0]
			err := p.s.tokens(sc, text, func(token []byte) { sc.ids = append(sc.ids, p.words.Add(token)) })
			if err == nil {
				err = p.segs[i].add(sc, p.s.order, p.shares[r])
			}
			if err != nil {
				return nil, limit.OfReference(i, r, err)
			}
		}
		p.nodes = max(p.nodes, len(p.segs[i].count))
	}
	sc.watch = pace.Pace{}
	return p, ctx.Err()
}

// aggregated holds the mean reference of each segment.
type aggregated struct {
	s      *Scorer
	words  vocab.Vocab
	shares []float64 // while references are added, as sc is
	sc     scratch
	segs   []aggregate // the first n, those behind are memory
	n      int
	nodes  int // the most n-grams of a segment
}

type aggregate struct {
	length float64
	ngrams ngram.Trie
	count  []float64 // by node
}

// released are *aggregated that nobody needs any more: package mbr makes one a segment.
var released sync.Pool

// Release gives the memory of p to PrepareAggregate, for another; p is not to be used again.
func (p *aggregated) Release() {
	nodes := 0
	for i := range p.n {
		nodes += len(p.segs[i].count)
	}
	if nodes <= 1<<18 { // more take long to clear for a short text
		released.Put(p)
	}
}

// reset makes p empty, for n segments.
func (p *aggregated) reset(s *Scorer, n int) {
	p.s, p.n = s, n
	p.words.Reset()
	for len(p.segs) < n {
		p.segs = append(p.segs, aggregate{})
	}
	for i := range n {
		g := &p.segs[i]
		g.length = 0
		g.ngrams.Reset()
		g.count = append(g.count[:0], 0)
	}
}

// add adds the share of the text of sc.
func (g *aggregate) add(sc *scratch, order int, share float64) error {
	g.length += share * float64(len(sc.ids))
	if share == 0 {
		return nil
	}
	for i := range sc.ids {
		if i%interval == interval-1 {
			if err := sc.watch.Done(interval * order * steps); err != nil {
				return err
			}
		}
		node := int32(0)
		for _, id := range sc.ids[i:min(len(sc.ids), i+order)] {
			node = g.ngrams.Add(node, id)
			if int(node) == len(g.count) {
				g.count = append(g.count, 0)
			}
			g.count[node] += share
		}
	}
	return nil
}

// Len is the number of segments.
func (p *aggregated) Len() int { return p.n }

// Append scores hypotheses.
func (p *aggregated) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, p.n, 2+2*p.s.order, p.s.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *aggregated) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	return fill(ctx, p, p.nodes, out, 2+2*p.s.order, segs, hyps, lo, hi)
}

// row is that of prepared, an occurrence counting for what is left of the mean count.
func (p *aggregated) row(row []float64, sc *scratch, segment int, hyp string) error {
	g := &p.segs[segment]
	order := p.s.order
	sc.ids = sc.ids[:0]
	err := p.s.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
	if err != nil {
		return err
	}
	n := len(sc.ids)
	row[0], row[1] = float64(n), g.length
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
			if sc.count[node] == 0 {
				sc.used = append(sc.used, node)
			}
			matches[k] += max(0, min(1, g.count[node]-float64(sc.count[node])))
			sc.count[node]++
		}
	}
	for _, node := range sc.used {
		sc.count[node] = 0
	}
	return nil
}

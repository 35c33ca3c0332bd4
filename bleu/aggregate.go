package bleu

import (
	"context"
	"fmt"
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
	s = s.ready()
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	if weights != nil && len(weights) != len(refs) {
		return nil, fmt.Errorf("bleu: %w: weights of %d segments for %d", mteval.ErrLength, len(weights), len(refs))
	}
	p := &aggregated{s: s, segs: make([]aggregate, len(refs))}
	sc := scratch{watch: pace.Of(ctx)}
	for i, texts := range refs {
		var w []float64
		if weights != nil {
			w = weights[i]
		}
		shares, err := ngram.Shares(len(texts), w)
		if err != nil {
			return nil, &mteval.SegmentError{Segment: i, Err: err}
		}
		p.segs[i].count = make([]float64, 1)
		for r, text := range texts {
			sc.ids = sc.ids[:0]
			err := s.tokens(&sc, text, func(token []byte) { sc.ids = append(sc.ids, p.words.Add(token)) })
			if err == nil {
				err = p.segs[i].add(&sc, s.order, shares[r])
			}
			if err != nil {
				return nil, limit.OfReference(i, r, err)
			}
		}
		p.nodes = max(p.nodes, len(p.segs[i].count))
	}
	p.pool.New = func() any { return &scratch{count: make([]int32, p.nodes)} }
	return p, ctx.Err()
}

// aggregated holds the mean reference of each segment.
type aggregated struct {
	s     *Scorer
	words vocab.Vocab
	segs  []aggregate
	pool  sync.Pool // *scratch
	nodes int
}

type aggregate struct {
	length float64
	ngrams ngram.Trie
	count  []float64 // by node
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
func (p *aggregated) Len() int { return len(p.segs) }

// Append scores hypotheses.
func (p *aggregated) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.segs), 2+2*p.s.order, p.s.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *aggregated) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	sc.watch = pace.Of(ctx)
	width := 2 + 2*p.s.order
	for k := lo; k < hi; k++ {
		if err := p.row(out[:width], sc, &p.segs[rows.Segment(segs, k)], hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err) // sc's counts may not be zero
		}
		out = out[width:]
	}
	sc.watch = pace.Pace{}
	p.pool.Put(sc)
	return nil
}

// row is that of prepared, an occurrence counting for what is left of the mean count.
func (p *aggregated) row(row []float64, sc *scratch, g *aggregate, hyp string) error {
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

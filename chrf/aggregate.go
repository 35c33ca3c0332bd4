package chrf

import (
	"context"
	"slices"
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
// counts of n-grams (Vamvas and Sennrich, ACL 2024), which are then fractions.
func (s *Scorer) PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if err := ngram.CheckWeights("chrf", refs, weights); err != nil {
		return nil, err
	}
	p, _ := released.Get().(*aggregated)
	if p == nil {
		p = new(aggregated)
	}
	p.reset(s.ready(), len(refs))
	watch := pace.Of(ctx)
	var err error
	for i, texts := range refs {
		if p.shares, err = ngram.SegmentShares(p.shares[:0], refs, weights, i); err != nil {
			return nil, err
		}
		g := &p.segs[i]
		for r, text := range texts {
			if err := p.add(&watch, g, text, p.shares[r]); err != nil {
				return nil, limit.OfReference(i, r, err)
			}
		}
		p.nodes = max(p.nodes, len(g.chars.count), len(g.words.count))
	}
	return p, ctx.Err()
}

// aggregated holds the mean references.
type aggregated struct {
	s      *Scorer
	words  vocab.Vocab
	shares []float64 // while references are added, as text is
	text   []uint32
	segs   []aggregate // the first n, those behind are memory
	n      int
	nodes  int // the most n-grams of one kind in a text
}

type aggregate struct{ chars, words means }

// means are the mean counts of one kind of n-grams.
type means struct {
	ngrams ngram.Trie
	count  []float64 // by node
	totals []float64 // by order
}

// released are *aggregated that nobody needs any more: package mbr makes one a segment.
var released sync.Pool

// Release gives the memory of p to PrepareAggregate, for another; p is not to be used again.
func (p *aggregated) Release() {
	nodes := 0
	for i := range p.n {
		nodes += len(p.segs[i].chars.count) + len(p.segs[i].words.count)
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
		p.segs[i].chars.reset(s.opt.CharOrder)
		p.segs[i].words.reset(s.opt.WordOrder)
	}
}

func (m *means) reset(order int) {
	m.ngrams.Reset()
	m.count = append(m.count[:0], 0)
	m.totals = slices.Grow(m.totals[:0], order)[:order]
	clear(m.totals)
}

func (p *aggregated) add(w *pace.Pace, g *aggregate, text string, share float64) (err error) {
	if err := limit.Words(text, p.s.opt.MaxTokens); err != nil || share == 0 {
		return err
	}
	text = p.s.fold(text)
	if p.text, err = p.s.chars(w, p.text[:0], text); err != nil {
		return err
	}
	if err := g.chars.add(w, p.text, share); err != nil || p.s.opt.WordOrder == 0 {
		return err
	}
	p.text = p.text[:0]
	err = eachWord(w, text, func(word string) { p.text = append(p.text, p.words.AddString(word)) })
	if err != nil {
		return err
	}
	return g.words.add(w, p.text, share)
}

func (m *means) add(w *pace.Pace, text []uint32, share float64) error {
	order := len(m.totals)
	for i := range text {
		if i%interval == interval-1 {
			if err := w.Done(interval * order * steps); err != nil {
				return err
			}
		}
		node := int32(0)
		for n, symbol := range text[i:min(len(text), i+order)] {
			node = m.ngrams.Add(node, symbol)
			if int(node) == len(m.count) {
				m.count = append(m.count, 0)
			}
			m.count[node] += share
			m.totals[n] += share
		}
	}
	return nil
}

// Len is the number of segments.
func (p *aggregated) Len() int { return p.n }

// Append scores hypotheses.
func (p *aggregated) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, p.n, 3*p.s.order, p.s.opt.Workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *aggregated) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	return fill(ctx, p, p.nodes, out, 3*p.s.order, segs, hyps, lo, hi)
}

func (p *aggregated) row(row []float64, sc *scratch, segment int, hyp string) (err error) {
	g := &p.segs[segment]
	if err := limit.Words(hyp, p.s.opt.MaxTokens); err != nil {
		return err
	}
	hyp = sc.fold(p.s, hyp)
	if sc.chars, err = p.s.chars(&sc.watch, sc.chars[:0], hyp); err != nil {
		return err
	}
	chars := 3 * p.s.opt.CharOrder
	if err := sc.share(row[:chars], &g.chars, sc.chars); err != nil || p.s.opt.WordOrder == 0 {
		return err
	}
	sc.words = sc.words[:0]
	err = eachWord(&sc.watch, hyp, func(w string) { sc.words = append(sc.words, p.words.GetString(w)) })
	if err != nil {
		return err
	}
	return sc.share(row[chars:], &g.words, sc.words)
}

// share is match against a mean: an occurrence counts for what is left of the mean count.
func (sc *scratch) share(row []float64, ref *means, text []uint32) error {
	order := len(row) / 3
	for n := range order {
		row[3*n], row[3*n+1], row[3*n+2] = float64(max(0, len(text)-n)), ref.totals[n], 0
		if ref.totals[n] == 0 {
			row[3*n] = 0
		}
	}
	sc.used = sc.used[:0]
	for i := range text {
		if i%interval == interval-1 {
			if err := sc.watch.Done(interval * order * steps); err != nil {
				return err
			}
		}
		node := int32(0)
		for n, symbol := range text[i:min(len(text), i+order)] {
			if symbol == 0 { // a word that no reference has
				break
			}
			if node = ref.ngrams.Next(node, symbol); node == 0 {
				break
			}
			seen := sc.count[node]
			if seen == 0 {
				sc.used = append(sc.used, node)
			}
			row[3*n+2] += max(0, min(1, ref.count[node]-float64(seen)))
			sc.count[node] = seen + 1
		}
	}
	for _, node := range sc.used {
		sc.count[node] = 0
	}
	return nil
}

package chrf

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
// counts of n-grams (Vamvas and Sennrich, ACL 2024), which are then fractions.
func (s *Scorer) PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	s = s.ready()
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	if weights != nil && len(weights) != len(refs) {
		return nil, fmt.Errorf("chrf: %w: weights of %d segments for %d", mteval.ErrLength, len(weights), len(refs))
	}
	p := &aggregated{s: s, segs: make([]aggregate, len(refs))}
	watch := pace.Of(ctx)
	for i, texts := range refs {
		var w []float64
		if weights != nil {
			w = weights[i]
		}
		shares, err := ngram.Shares(len(texts), w)
		if err != nil {
			return nil, &mteval.SegmentError{Segment: i, Err: err}
		}
		g := &p.segs[i]
		g.chars.totals, g.words.totals = make([]float64, s.opt.CharOrder), make([]float64, s.opt.WordOrder)
		for r, text := range texts {
			if err := p.add(&watch, g, text, shares[r]); err != nil {
				return nil, limit.OfReference(i, r, err)
			}
		}
		p.nodes = max(p.nodes, g.chars.ngrams.Len()+1, g.words.ngrams.Len()+1)
	}
	p.pool.New = func() any { return &scratch{count: make([]int32, p.nodes)} }
	return p, ctx.Err()
}

// aggregated holds the mean references.
type aggregated struct {
	s     *Scorer
	words vocab.Vocab
	text  []uint32 // while references are added
	segs  []aggregate
	pool  sync.Pool // *scratch
	nodes int
}

type aggregate struct{ chars, words means }

// means are the mean counts of one kind of n-grams.
type means struct {
	ngrams ngram.Trie
	count  []float64 // by node
	totals []float64 // by order
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
	if m.count == nil {
		m.count = make([]float64, 1)
	}
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
func (p *aggregated) Len() int { return len(p.segs) }

// Append scores hypotheses.
func (p *aggregated) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.segs), 3*p.s.order, p.s.opt.Workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *aggregated) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	sc.watch = pace.Of(ctx)
	width := 3 * p.s.order
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

func (p *aggregated) row(row []float64, sc *scratch, g *aggregate, hyp string) (err error) {
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

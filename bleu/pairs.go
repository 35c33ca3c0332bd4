package bleu

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/vocab"
)

var _ mteval.PairScorer = (*Scorer)(nil)

// NewPairs implements mteval.PairScorer: each text is tokenized, and its n-grams are
// counted, once.
func (s *Scorer) NewPairs() mteval.Pairs { return &pairs{s: s.ready()} }

type pairs struct {
	s     *Scorer
	n     int
	bags  ngram.Bags
	words vocab.Vocab
	sc    scratch
	marks sync.Pool // *[]uint8, all zero between uses
}

// Set implements mteval.Pairs.
func (p *pairs) Set(ctx context.Context, texts []string) error {
	p.n = 0
	p.bags.Reset(p.s.order)
	p.words.Reset()
	p.sc.watch = pace.Of(ctx)
	defer func() { p.sc.watch = pace.Pace{} }()
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.sc.ids = p.sc.ids[:0]
		err := p.s.tokens(&p.sc, text, func(token []byte) { p.sc.ids = append(p.sc.ids, p.words.Add(token)) })
		if err == nil {
			err = p.bags.Add(&p.sc.watch, p.sc.ids)
		}
		if err != nil {
			if limit.OfContext(err) {
				return err
			}
			return &mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide, Index: i, Err: err}
		}
	}
	p.bags.Trim()
	if err := ctx.Err(); err != nil {
		return err
	}
	p.n = len(texts)
	return nil
}

// Append implements mteval.Pairs.
func (p *pairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	if ref < 0 || ref >= p.n || len(hyps) > 0 && (slices.Min(hyps) < 0 || slices.Max(hyps) >= p.n) {
		return dst, errors.New("bleu: a text that is not there")
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	m, _ := p.marks.Get().(*[]uint8)
	if m == nil {
		m = new([]uint8)
	}
	*m = p.bags.Mark(*m, ref, 1)
	out, order := dst, p.s.order
	watch := pace.Of(ctx)
	var err error
	for _, hyp := range hyps {
		out = p.appendPair(out, *m, ref, hyp)
		if err = watch.Done((p.bags.Length(hyp) + 2) * order); err != nil {
			out = dst
			break
		}
	}
	p.bags.Mark(*m, ref, 0)
	p.marks.Put(m)
	return out, err
}

// appendPair appends the row of prepared.
func (p *pairs) appendPair(dst []float64, marks []uint8, ref, hyp int) []float64 {
	n := p.bags.Length(hyp)
	dst = append(dst, float64(n), float64(p.bags.Length(ref)))
	for k := range p.s.order {
		common := max(0, n-k)
		if hyp != ref {
			common = p.bags.Common(marks, hyp, k)
		}
		dst = append(dst, float64(common))
	}
	for k := range p.s.order {
		dst = append(dst, float64(max(0, n-k)))
	}
	return dst
}

package comet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
)

var (
	_ mteval.PairScorer  = (*Scorer)(nil)
	_ mteval.SourcePairs = (*pairs)(nil)
)

// NewPairs implements mteval.PairScorer: each text, and the source, is embedded once. It is
// nil but for a regression_metric: unified_metric embeds texts together.
func (s *Scorer) NewPairs() mteval.Pairs {
	if s.encoder == nil || s.set.class != regression {
		return nil
	}
	return &pairs{s: s}
}

type pairs struct {
	s       *Scorer
	texts   texts // the source first
	places  []int // by text
	encoded encoded
}

// Set is an error that wraps mteval.ErrNoSource.
func (p *pairs) Set(context.Context, []string) error {
	p.places = p.places[:0]
	return p.s.noSource()
}

// SetSource implements mteval.SourcePairs.
func (p *pairs) SetSource(ctx context.Context, source string, texts []string) error {
	err := p.set(ctx, source, texts)
	if err != nil {
		p.places = p.places[:0]
	}
	p.texts.reset()
	return err
}

func (p *pairs) set(ctx context.Context, source string, texts []string) error {
	p.places = p.places[:0]
	p.encoded.reset()
	p.texts.add(source, mteval.SegmentError{Side: mteval.SourceSide})
	for i, text := range texts {
		at := mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide, Index: i}
		p.places = append(p.places, p.texts.add(text, at))
	}
	n := len(p.texts.list)
	for lo := 0; lo < n; lo += blockTexts {
		if err := p.s.encode(ctx, &p.encoded, &p.texts, lo, min(n, lo+blockTexts)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Append implements mteval.Pairs.
func (p *pairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	n := len(p.places)
	if ref < 0 || ref >= n || len(hyps) > 0 && (slices.Min(hyps) < 0 || slices.Max(hyps) >= n) {
		return dst, errors.New("comet: a text that is not there")
	}
	c := p.s.calls.Get().(*call)
	defer c.release()
	r := row{ref: p.encoded.vector(p.places[ref]), source: p.encoded.vector(0)}
	for _, h := range hyps {
		r.hyp = p.encoded.vector(p.places[h])
		c.rows = append(c.rows, r)
	}
	scores, err := c.head.run(ctx, len(c.rows), p.s.o.Workers)
	if err != nil {
		return dst, err
	}
	for i, x := range scores {
		if x-x != 0 {
			err := fmt.Errorf("the model's score is %v", x)
			return dst, &mteval.SegmentError{Segment: ref, Side: mteval.HypothesisSide, Index: hyps[i], Err: err}
		}
	}
	for _, x := range scores {
		dst = append(dst, x, 1)
	}
	return dst, nil
}

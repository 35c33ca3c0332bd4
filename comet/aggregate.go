package comet

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
)

var _ mteval.SourceAggregateScorer = (*Scorer)(nil)

// PrepareSourcesAggregate makes one reference of those of each segment: the weighted mean of
// their vectors (Vamvas and Sennrich, ACL 2024). It is there for regression_metric alone: of
// the other classes one reads no references, and one embeds them together with the hypothesis.
func (s *Scorer) PrepareSourcesAggregate(ctx context.Context, sources []string, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	switch s.set.class {
	case referenceless:
		return nil, fmt.Errorf("comet: %w: a %s reads no references that could have a mean", errors.ErrUnsupported, s.set.class)
	case unified:
		return nil, fmt.Errorf("comet: %w: a %s has no mean of references, which it embeds together with the hypothesis", errors.ErrUnsupported, s.set.class)
	}
	if err := mteval.CheckSources(s.Inputs(), sources, refs); err != nil {
		return nil, err
	}
	if err := ngram.CheckWeights("comet", refs, weights); err != nil {
		return nil, err
	}
	shares := make([][]float64, len(refs))
	for i := range refs {
		var err error
		if shares[i], err = ngram.SegmentShares(nil, refs, weights, i); err != nil {
			return nil, err
		}
	}
	p, err := s.prepare(ctx, sources, refs)
	if err != nil {
		return nil, err
	}
	for i := range p.segments {
		p.aggregate(&p.segments[i], shares[i])
	}
	return p, nil
}

// aggregate puts the mean of a segment's references in their place. Their own vectors stay,
// for hypotheses that are the same texts.
func (p *prepared) aggregate(g *segment, shares []float64) {
	e := &p.encoded
	sum := make([]float64, e.dim)
	for r, place := range g.refs {
		for k, x := range e.vector(place) {
			sum[k] += shares[r] * float64(x)
		}
	}
	g.refs = append(g.refs[:0], len(e.vectors)/e.dim)
	for _, x := range sum {
		e.vectors = append(e.vectors, float32(x))
	}
}

package scorertest

import (
	"context"
	"errors"
	"slices"

	"github.com/mteval/mteval"
)

// checkManySources is checkMany of a SourceScorer, whose texts all translate one source.
func (t *tester) checkManySources(s mteval.SourceScorer) {
	if t.only {
		return
	}
	many := &tester{s: oneSource{s}, info: t.info, width: t.width, hyps: t.hyps, pairs: t.pairs, refs: t.refs}
	defer t.Join(&many.Findings)
	if a, ok := s.(mteval.SourceAggregateScorer); ok {
		of := meansWithSource{oneSource{s}, a}
		if _, err := of.PrepareAggregate(background, cloneRefs(t.refs), nil); !errors.Is(err, errors.ErrUnsupported) {
			many.Guard(aggregatePrepare, func() { many.checkAggregate(of) })
		}
	}
	if p, ok := s.(mteval.PairScorer); ok {
		many.Guard(pairsAppend, func() { many.checkPairs(pairsOfSource{oneSource{s}, p}) })
	}
	if s, ok := s.(mteval.SymmetricScorer); ok {
		many.Guard("Symmetric", func() { many.checkSymmetric(s) })
	}
}

const theSource = "the one source of all texts"

// oneSource is a SourceScorer as a Scorer of texts that translate theSource.
type oneSource struct{ of mteval.SourceScorer }

func (s oneSource) Info() mteval.Info           { return s.of.Info() }
func (s oneSource) Width() int                  { return s.of.Width() }
func (s oneSource) Score(row []float64) float64 { return s.of.Score(row) }

func (s oneSource) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err // else it may be none where it reads no reference
	}
	return s.of.PrepareSources(ctx, slices.Repeat([]string{theSource}, len(refs)), refs)
}

type meansWithSource struct {
	oneSource
	means mteval.SourceAggregateScorer
}

func (s meansWithSource) PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	return s.means.PrepareSourcesAggregate(ctx, slices.Repeat([]string{theSource}, len(refs)), refs, weights)
}

type pairsOfSource struct {
	oneSource
	pairs mteval.PairScorer
}

func (s pairsOfSource) NewPairs() mteval.Pairs {
	p := s.pairs.NewPairs()
	if p, ok := p.(mteval.SourcePairs); ok {
		return setSource{p}
	}
	return p
}

type setSource struct{ mteval.SourcePairs }

func (p setSource) Set(ctx context.Context, texts []string) error {
	return p.SetSource(ctx, theSource, texts)
}

package scorertest

import (
	"context"
	"errors"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
)

// sourceMany is lengths with what is for many against many. A factor of the source's length that
// is not 1 is a fault.
type sourceMany struct {
	lengths
	meanFactor, pairFactor float64
}

func (s sourceMany) PrepareSourcesAggregate(ctx context.Context, sources []string, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if err := mteval.CheckSources(s.in, sources, refs); err != nil {
		return nil, err
	}
	if err := ngram.CheckWeights("lengths", refs, weights); err != nil {
		return nil, err
	}
	p := make(preparedLengths, len(refs))
	for i, texts := range refs {
		shares, err := ngram.SegmentShares(nil, refs, weights, i)
		if err != nil {
			return nil, err
		}
		p[i] = s.meanFactor * float64(len(sources[i]))
		for r, text := range texts {
			p[i] += shares[r] * float64(len(text))
		}
	}
	return p, ctx.Err()
}

func (s sourceMany) NewPairs() mteval.Pairs { return &nearSource{factor: s.pairFactor} }

type nearSource struct {
	nearPairs
	factor, source float64
}

func (p *nearSource) Set(context.Context, []string) error {
	p.lengths = nil
	return mteval.ErrNoSource
}

func (p *nearSource) SetSource(ctx context.Context, source string, texts []string) error {
	p.source = p.factor * float64(len(source))
	return p.nearPairs.Set(ctx, texts)
}

func (p *nearSource) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	n := len(dst)
	out, err := p.nearPairs.Append(ctx, dst, ref, hyps)
	if err != nil {
		return dst, err
	}
	for i := n + 1; i < len(out); i += 2 {
		out[i] += p.source
	}
	return out, nil
}

// noMean has none with its options.
type noMean struct{ sourceMany }

func (noMean) PrepareSourcesAggregate(context.Context, []string, [][]string, [][]float64) (mteval.Prepared, error) {
	return nil, errors.ErrUnsupported
}

func (noMean) NewPairs() mteval.Pairs { return nil }

func TestManyWithSource(t *testing.T) {
	sound := sourceMany{lengths{in: inputs[0]}, 1, 1}
	for _, s := range []mteval.Scorer{sound, noMean{sound}} {
		if err := Test(s, Options{}); err != nil {
			t.Error(err)
		}
	}
}

func manySourceFaults() []fault {
	read := lengths{in: inputs[0]}
	return []fault{
		{name: "mean without the source", s: sourceMany{read, 0, 1}, want: breaks(aggregatePrepare, aggregateMean)},
		{name: "pairs of another source", s: sourceMany{read, 1, 2}, want: breaks(pairsAppend, pairsRow)},
	}
}

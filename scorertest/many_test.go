package scorertest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
)

// nearness is a sound scorer of many against many: how near the lengths of hypothesis and first
// reference are. What is not nil is its fault.
type nearness struct {
	aggregate func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error)
	newPairs  func() mteval.Pairs
	symmetric func() bool
	score     func(row []float64) float64
}

func (nearness) Info() mteval.Info { return mteval.Info{Name: "nearness", Scale: 1} }
func (nearness) Width() int        { return 2 }

func (n nearness) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	if n.score != nil {
		return n.score(row)
	}
	return 1 - math.Abs(row[0]-row[1])/max(1, row[0]+row[1])
}

func (n nearness) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := make(preparedLengths, len(refs))
	for i, r := range refs {
		p[i] = float64(len(r[0]))
	}
	return p, ctx.Err()
}

func (n nearness) PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if n.aggregate != nil {
		return n.aggregate(ctx, refs, weights)
	}
	if err := ngram.CheckWeights("nearness", refs, weights); err != nil {
		return nil, err
	}
	p := make(preparedLengths, len(refs))
	for i, texts := range refs {
		shares, err := ngram.SegmentShares(nil, refs, weights, i)
		if err != nil {
			return nil, err
		}
		for r, text := range texts {
			p[i] += shares[r] * float64(len(text))
		}
	}
	return p, ctx.Err()
}

func (n nearness) NewPairs() mteval.Pairs {
	if n.newPairs != nil {
		return n.newPairs()
	}
	return new(nearPairs)
}

func (n nearness) Symmetric() bool { return n.symmetric == nil || n.symmetric() }

// nearPairs are lengths of texts.
type nearPairs struct{ lengths []float64 }

func (p *nearPairs) Set(ctx context.Context, texts []string) error {
	p.lengths = p.lengths[:0]
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, text := range texts {
		p.lengths = append(p.lengths, float64(len(text)))
	}
	return nil
}

func (p *nearPairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	n := len(p.lengths)
	if ref < 0 || ref >= n || slices.ContainsFunc(hyps, func(h int) bool { return h < 0 || h >= n }) {
		return dst, errOther
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	for _, h := range hyps {
		dst = append(dst, p.lengths[h], p.lengths[ref])
	}
	return dst, nil
}

// faultyPairs are nearPairs with methods replaced.
type faultyPairs struct {
	nearPairs
	set  func(p *nearPairs, ctx context.Context, texts []string) error
	rows func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error)
}

func (f *faultyPairs) Set(ctx context.Context, texts []string) error {
	if f.set != nil {
		return f.set(&f.nearPairs, ctx, texts)
	}
	return f.nearPairs.Set(ctx, texts)
}

func (f *faultyPairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	if f.rows != nil {
		return f.rows(&f.nearPairs, ctx, dst, ref, hyps)
	}
	return f.nearPairs.Append(ctx, dst, ref, hyps)
}

func TestManyAgainstMany(t *testing.T) {
	if err := Test(nearness{}, Options{}); err != nil {
		t.Error(err)
	}
	if err := Test(nearness{newPairs: func() mteval.Pairs { return new(faultyPairs) }, symmetric: func() bool { return false }}, Options{}); err != nil {
		t.Error(err)
	}
}

// aggregateOf is a scorer with this mean of references, whatever the weights.
type aggregateOf struct {
	mteval.Scorer
	prepare func(ctx context.Context, refs [][]string) (mteval.Prepared, error)
}

func (a aggregateOf) PrepareAggregate(ctx context.Context, refs [][]string, _ [][]float64) (mteval.Prepared, error) {
	return a.prepare(ctx, refs)
}

func aggregateFaults() []fault {
	sound := nearness{}.PrepareAggregate
	mean := func(f func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error)) nearness {
		return nearness{aggregate: f}
	}
	// scaled is a sound mean, of which each length is changed.
	scaled := func(change func(length float64, refs [][]string, weights [][]float64, segment int) float64) nearness {
		return mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			p, err := sound(ctx, refs, weights)
			if err != nil {
				return nil, err
			}
			lengths := p.(preparedLengths)
			for i := range lengths {
				lengths[i] = change(lengths[i], refs, weights, i)
			}
			return lengths, nil
		})
	}
	return []fault{
		{name: "mean is a sum", s: scaled(func(length float64, refs [][]string, _ [][]float64, i int) float64 {
			return length * float64(len(refs[i]))
		}), want: breaks(aggregatePrepare, aggregateMean)},
		{name: "mean of one is another", s: scaled(func(length float64, _ [][]string, _ [][]float64, _ int) float64 {
			return length + .5
		}), want: breaks(aggregatePrepare, aggregateMean)},
		{name: "mean NaN", s: scaled(func(length float64, refs [][]string, _ [][]float64, _ int) float64 {
			return length / length
		}), want: breaks(aggregateAppend, rowFinite)},
		{name: "weights are not divided by their sum", s: scaled(func(length float64, _ [][]string, weights [][]float64, i int) float64 {
			if weights == nil || weights[i] == nil {
				return length
			}
			return length * weights[i][0]
		}), want: breaks(aggregatePrepare, aggregateWeights)},
		{name: "references of weight 0 count", s: mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			for i := range weights {
				weights[i] = slices.Clone(weights[i])
				for r, w := range weights[i] {
					if w == 0 && slices.Max(weights[i]) > 0 {
						weights[i][r] = .01
					}
				}
			}
			return sound(ctx, refs, weights)
		}), want: breaks(aggregatePrepare, aggregateWeights)},
		{name: "no nil weights of a segment", s: mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			for i, w := range weights {
				if w == nil && len(refs[i]) > 0 {
					return nil, errOther
				}
			}
			return sound(ctx, refs, weights)
		}), want: breaks(aggregatePrepare, aggregateWeights)},
		{name: "changes weights", s: mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			p, err := sound(ctx, refs, weights)
			for _, w := range weights {
				for r := range w {
					w[r] /= 7
				}
			}
			return p, err
		}), want: breaks(aggregatePrepare, aggregateKeeps)},
		{name: "keeps weights", s: mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			p, err := sound(ctx, refs, weights)
			if err != nil || weights == nil {
				return p, err
			}
			return weightedLater{preparedLengths: p.(preparedLengths), weights: weights}, nil
		}), want: breaks(aggregatePrepare, aggregateKeeps)},
		{name: "takes any weights", s: mean(func(ctx context.Context, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
			p, err := sound(ctx, refs, weights)
			if err != nil && ctx.Err() == nil && mteval.CheckReferences(refs) == nil {
				return sound(ctx, refs, nil)
			}
			return p, err
		}), want: breaks(aggregatePrepare, aggregateErrors)},
	}
}

// weightedLater looks at weights again in each call.
type weightedLater struct {
	preparedLengths
	weights [][]float64
}

func (w weightedLater) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	n := len(dst)
	dst, err := w.preparedLengths.Append(ctx, dst, segs, hyps)
	if err == nil && len(w.weights[0]) > 0 && w.weights[0][0] < 0 {
		clear(dst[n:])
	}
	return dst, err
}

func pairFaults() []fault {
	set := func(f func(p *nearPairs, ctx context.Context, texts []string) error) nearness {
		return nearness{newPairs: func() mteval.Pairs { return &faultyPairs{set: f} }}
	}
	rows := func(f func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error)) nearness {
		return nearness{newPairs: func() mteval.Pairs { return &faultyPairs{rows: f} }}
	}
	good := (*nearPairs).Append
	inUse := new(atomic.Int64)
	shared := new(faultyPairs)
	return []fault{
		{name: "Set fails", s: set(func(*nearPairs, context.Context, []string) error { return errOther }), want: breaks(pairsSet, pairsFails)},
		{name: "Set panics", s: set(func(*nearPairs, context.Context, []string) error { panic("oh") }), want: breaks(pairsAppend, noPanic)},
		{name: "Set changes texts", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			defer slices.Sort(texts)
			return p.Set(ctx, texts)
		}), want: breaks(pairsSet, pairsKeeps)},
		{name: "keeps texts", s: nearness{newPairs: func() mteval.Pairs { return new(lazyPairs) }}, want: breaks(pairsAppend, pairsRow)},
		{name: "Set adds to the texts before", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			before := slices.Clone(p.lengths)
			err := p.Set(ctx, texts)
			if err == nil {
				p.lengths = append(before, p.lengths...)
			}
			return err
		}), want: breaks(pairsSet, pairsAgain)},
		{name: "Set takes no text for the ones before", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			if len(texts) == 0 {
				return ctx.Err()
			}
			return p.Set(ctx, texts)
		}), want: breaks(pairsAppend, pairsIndex)},
		{name: "all Pairs are one", s: nearness{newPairs: func() mteval.Pairs { return shared }}, want: breaks(pairsSet, pairsAgain)},
		{name: "a Set that was stopped leaves texts", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			return errors.Join(p.Set(background, texts), ctx.Err())
		}), want: breaks(pairsSet, setCancelled)},
		{name: "a Set that was stopped has another error", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			if err := p.Set(ctx, texts); err != nil {
				return errOther
			}
			return nil
		}), want: breaks(pairsSet, setCancelled)},
		{name: "a Set that was stopped says nothing", s: set(func(p *nearPairs, ctx context.Context, texts []string) error {
			_ = p.Set(ctx, texts)
			return nil
		}), want: breaks(pairsSet, setCancelled)},
		{name: "rows a little off", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			n := len(dst)
			dst, err := good(p, ctx, dst, ref, hyps)
			for i := n; i < len(dst); i++ {
				dst[i] *= 1 + 1e-15
			}
			return dst, err
		}), want: breaks(pairsAppend, pairsRow)},
		{name: "reference and hypothesis are changed", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			n := len(dst)
			dst, err := good(p, ctx, dst, ref, hyps)
			for i := n; err == nil && i < len(dst); i += 2 {
				dst[i], dst[i+1] = dst[i+1], dst[i]
			}
			return dst, err
		}), want: breaks(pairsAppend, pairsRow)},
		{name: "sorts hypotheses", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			defer slices.Sort(hyps)
			return good(p, ctx, dst, ref, hyps)
		}), want: breaks(pairsAppend, pairsRow)},
		{name: "starts over", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			out, err := good(p, ctx, nil, ref, hyps)
			if err != nil {
				return dst, err
			}
			return out, nil
		}), want: breaks(pairsAppend, pairsAppends)},
		{name: "takes any reference", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			return good(p, ctx, dst, max(0, min(ref, len(p.lengths)-1)), hyps)
		}), want: breaks(pairsAppend, pairsIndex)},
		{name: "an index leaves rows", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			for _, h := range hyps {
				var err error
				if dst, err = good(p, ctx, dst, ref, []int{h}); err != nil {
					return dst, err
				}
			}
			return good(p, ctx, dst, ref, nil)
		}), want: breaks(pairsAppend, pairsIndex)},
		{name: "has another error when cancelled", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			dst, err := good(p, ctx, dst, ref, hyps)
			if ctx.Err() != nil {
				err = errOther
			}
			return dst, err
		}), want: breaks(pairsAppend, pairsCancelled)},
		{name: "returns what it has when cancelled", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			if ctx.Err() != nil {
				return dst, nil
			}
			return good(p, ctx, dst, ref, hyps)
		}), want: breaks(pairsAppend, pairsCancelled)},
		{name: "serves one caller at a time", s: rows(func(p *nearPairs, ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
			defer inUse.Add(-1)
			if inUse.Add(1); len(hyps) > 1 && ref < 3 {
				time.Sleep(5 * time.Millisecond) // for the others to come
			}
			if inUse.Load() > 1 && len(hyps) > 0 {
				hyps = slices.Repeat(hyps[:1], len(hyps))
			}
			return good(p, ctx, dst, ref, hyps)
		}), want: breaks(pairsAppend, pairsConcurrent)},
		{name: "not symmetric", s: nearness{score: func(row []float64) float64 {
			return math.Abs(row[0]-row[1]) / max(1, row[1])
		}}, want: breaks("Symmetric", symmetricScores)},
		{name: "symmetric but for a bit", s: nearness{score: func(row []float64) float64 {
			return row[0] * (1. / 3) * row[1]
		}}, want: breaks("Symmetric", symmetricScores)},
		{name: "symmetric now and then", s: nearness{symmetric: func() bool { return inUse.Add(1)%2 == 0 }}, want: breaks("Symmetric", infoSame)},
	}
}

// lazyPairs looks at its texts when it is asked.
type lazyPairs struct{ texts []string }

func (l *lazyPairs) Set(ctx context.Context, texts []string) error {
	l.texts = nil
	if err := ctx.Err(); err != nil {
		return err
	}
	l.texts = texts
	return nil
}

func (l *lazyPairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	var p nearPairs
	if err := p.Set(ctx, l.texts); err != nil {
		return dst, err
	}
	return p.Append(ctx, dst, ref, hyps)
}

package mbr

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
)

// expect sets utilities to the weighted means of the scores.
func (d *Decoder) expect(ctx context.Context, utilities []float64, seg *Segment) error {
	d.set.put(seg.Candidates, seg.references(), d.shares)
	if err := d.start(ctx, seg); err != nil {
		return err
	}
	d.sums = resize(d.sums, len(d.set.texts))
	clear(d.sums)
	of := d.weigh(seg, nil, 0)
	if err := d.each(ctx, seg, pairing{hyps: d.set.hyps, refs: d.set.refs, half: d.half(seg), take: d.add}); err != nil {
		return err
	}
	for i := range utilities {
		utilities[i] = d.sums[d.set.at[i]] / of
	}
	return nil
}

// weigh sets d.counts to what each text weighs as a reference, of those with a rank below
// most, of all if rank is nil, and returns by what a sum is to be divided.
func (d *Decoder) weigh(seg *Segment, rank []int, most int) (of float64) {
	d.counts = resize(d.counts, len(d.set.texts))
	clear(d.counts)
	all := true
	for j, t := range d.set.at[len(seg.Candidates):] {
		switch {
		case t < 0: // of no weight
		case rank != nil && rank[j] >= most:
			all = false
		case seg.Weights == nil:
			d.counts[t]++ // shares were rounded
			of++
		default:
			d.counts[t] += d.shares[j]
			of += d.shares[j]
		}
	}
	if all && seg.Weights != nil {
		return 1
	}
	return of
}

// addScore adds a score to the sum of the text h, and with half to that of r.
func (d *Decoder) addScore(h, r int, score float64) {
	// The conversions keep a processor from rounding once for both, which would make the
	// sum another one than that of pruning.
	d.sums[h] += float64(score * d.counts[r])
	if d.grid.half && h != r {
		d.sums[r] += float64(score * d.counts[h])
	}
}

// aggregate sets utilities to the scores against the mean reference.
func (d *Decoder) aggregate(ctx context.Context, utilities []float64, seg *Segment) error {
	p, err := d.meanReference(ctx, seg)
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	if contract.Nil(p) {
		return fmt.Errorf("mbr: %w", contract.NoPrepared(d.s.Info().Name))
	}
	if r, ok := p.(interface{ Release() }); ok { // of our own metrics, whose memory it is
		defer r.Release()
	}
	d.set.put(seg.Candidates, nil, nil)
	d.grid.segs = resize(d.grid.segs, len(d.set.texts))
	clear(d.grid.segs)
	if d.rows, err = p.Append(ctx, d.rows[:0], d.grid.segs, d.set.texts); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	if err := d.checkRows(d.rows, len(d.set.texts)); err != nil {
		return err
	}
	for i, t := range d.set.at {
		utilities[i] = d.s.Score(d.rows[t*d.width : (t+1)*d.width])
	}
	return nil
}

// meanReference is that of the segment, beside its source if that is given and read.
func (d *Decoder) meanReference(ctx context.Context, seg *Segment) (mteval.Prepared, error) {
	refs, weights := d.mean.refs[:], d.mean.weights[:]
	refs[0], weights[0] = seg.references(), seg.Weights
	if s, ok := d.s.(mteval.SourceAggregateScorer); ok && seg.Source != nil {
		return s.PrepareSourcesAggregate(ctx, []string{*seg.Source}, refs, weights)
	}
	if s, ok := d.s.(mteval.AggregateScorer); ok {
		return s.PrepareAggregate(ctx, refs, weights)
	}
	return nil, fmt.Errorf("%w: %s reads it: set Segment.Source", mteval.ErrNoSource, d.s.Info().Name)
}

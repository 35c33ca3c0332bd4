package multilevel

import (
	"context"
	"errors"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// block is how many texts are worked on at a time, which bounds what is held.
const block = 512

// joined puts what several metrics append of a hypothesis and one reference side by side,
// and after it the length of the reference.
type joined struct {
	parts   []mteval.Prepared
	widths  []int
	lengths []float64 // by segment; nil: none
}

func (j *joined) Len() int { return j.parts[0].Len() }

func (j *joined) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(j.Len(), segs, hyps); err != nil {
		return dst, err
	}
	width := 0
	for _, w := range j.widths {
		width += w
	}
	if j.lengths != nil {
		width++
	}
	out := append(dst, make([]float64, len(hyps)*width)...)
	at := len(dst)
	var part []float64
	for i, p := range j.parts {
		var err error
		if part, err = p.Append(ctx, part[:0], segs, hyps); err != nil {
			return dst, err
		}
		w := j.widths[i]
		for k := range hyps {
			copy(out[at+k*width:], part[k*w:(k+1)*w])
		}
		at += w
	}
	if j.lengths != nil {
		for k := range hyps {
			out[at+k*width] = j.lengths[rows.Segment(segs, k)]
		}
	}
	return out, ctx.Err()
}

// chosen scores hypotheses against each of their references, and keeps the best rows.
type chosen struct {
	best  mteval.BestReference
	flat  mteval.Prepared // every reference is a segment
	width int             // of what flat appends
	first []int           // the first reference of each segment, and their number
}

// choose prepares references one by one.
func choose(ctx context.Context, refs [][]string, s mteval.Scorer, prepare func(ctx context.Context, refs []string) (mteval.Prepared, error)) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	c := &chosen{best: mteval.NewBestReference(s), width: mteval.StatisticsWidth(s)}
	var flat []string
	var segment []int
	for i, r := range refs {
		c.first = append(c.first, len(flat))
		flat = append(flat, r...)
		for range r {
			segment = append(segment, i)
		}
	}
	c.first = append(c.first, len(flat))
	p, err := prepare(ctx, flat)
	if err != nil {
		var of *mteval.SegmentError
		if errors.As(err, &of) && of.Segment >= 0 && of.Segment < len(segment) {
			moved := *of
			moved.Segment = segment[of.Segment]
			if of.Side == mteval.ReferenceSide {
				moved.Index = of.Segment - c.first[moved.Segment]
			}
			err = &moved
		}
		return nil, err
	}
	c.flat = p
	return c, nil
}

func (c *chosen) Len() int { return len(c.first) - 1 }

func (c *chosen) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(c.Len(), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	start := len(dst)
	var at, of []int
	var texts []string
	var statistics []float64
	for lo := 0; lo < len(hyps); lo += block {
		hi := min(lo+block, len(hyps))
		at, of, texts = at[:0], of[:0], texts[:0]
		for k := lo; k < hi; k++ {
			seg := rows.Segment(segs, k)
			for r := c.first[seg]; r < c.first[seg+1]; r++ {
				at, of, texts = append(at, r), append(of, k), append(texts, hyps[k])
			}
		}
		var err error
		if statistics, err = c.flat.Append(ctx, statistics[:0], at, texts); err != nil {
			var failed *mteval.SegmentError
			if errors.As(err, &failed) && failed.Side == mteval.HypothesisSide && failed.Index >= 0 && failed.Index < len(of) {
				k := of[failed.Index]
				err = &mteval.SegmentError{Segment: rows.Segment(segs, k), Side: failed.Side, Index: k, Err: failed.Err}
			}
			return dst[:start], err
		}
		rest := statistics
		for k := lo; k < hi; k++ {
			seg := rows.Segment(segs, k)
			n := (c.first[seg+1] - c.first[seg]) * c.width
			dst = c.best.AppendRow(dst, rest[:n])
			rest = rest[n:]
		}
	}
	return dst, nil
}

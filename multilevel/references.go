package multilevel

import (
	"context"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// block is how many texts are worked on at a time, which bounds what is held.
const block = 512

// A rowJoin puts what several metrics append of a hypothesis and one reference side by side,
// and after it the length of the reference.
type rowJoin struct {
	parts   []mteval.Prepared
	widths  []int
	lengths []float64 // by segment; nil: none
}

// partRows is for all prepared references: a pool is known to the runtime, and one in them would keep
// them until the garbage was collected twice.
var partRows sync.Pool // *[]float64

func (j *rowJoin) Len() int { return j.parts[0].Len() }

func (j *rowJoin) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
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
	out := slices.Grow(dst, len(hyps)*width)[:len(dst)+len(hyps)*width]
	at := len(dst)
	part, _ := partRows.Get().(*[]float64)
	if part == nil {
		part = new([]float64)
	}
	defer partRows.Put(part)
	for i, p := range j.parts {
		var err error
		if *part, err = p.Append(ctx, (*part)[:0], segs, hyps); err != nil {
			return dst, err
		}
		w := j.widths[i]
		for k := range hyps {
			copy(out[at+k*width:], (*part)[k*w:(k+1)*w])
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

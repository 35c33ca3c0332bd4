// Package rows is the part of Prepared.Append that all metrics share which score
// hypotheses one by one, and the check of a metric that all share which work over any.
package rows

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/parallel"
)

// A Filler fills in rows. It is safe for concurrent use.
type Filler interface {
	// Fill fills in the rows, zero so far, of hyps[lo:hi], which belong to
	// segs[lo:hi] (segs nil: to segments lo to hi-1). In a long text it looks at ctx
	// every few milliseconds, and returns its error. The error of a text is that of
	// HypothesisError.
	Fill(ctx context.Context, rows []float64, segs []int, hyps []string, lo, hi int) error
}

// Append does what Prepared.Append promises, for references of n segments and rows
// of the given width. Goroutines take grain hypotheses at a time; as few as that are
// scored on the caller's goroutine. Nothing is allocated but room in dst.
func Append(ctx context.Context, f Filler, n, width, workers, grain int, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(n, segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	out := grow(dst, len(hyps)*width)
	rows := out[len(dst):]
	if len(hyps) <= grain {
		if err := fill(ctx, f, rows, width, segs, hyps, 0, len(hyps)); err != nil {
			return dst, err
		}
		return out, nil
	}
	c := calls.Get().(*call)
	c.ctx, c.f, c.rows, c.width, c.segs, c.hyps = ctx, f, rows, width, segs, hyps
	err := parallel.For(ctx, len(hyps), workers, grain, c.part)
	*c = call{part: c.part}
	calls.Put(c)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// A call is one of Append on several goroutines. It is used again, with the function that
// they are given.
type call struct {
	ctx   context.Context
	f     Filler
	rows  []float64
	width int
	segs  []int
	hyps  []string
	part  func(lo, hi int) error // fill
}

var calls = sync.Pool{New: func() any {
	c := new(call)
	c.part = c.fill
	return c
}}

func (c *call) fill(lo, hi int) error {
	return fill(c.ctx, c.f, c.rows[lo*c.width:hi*c.width], c.width, c.segs, c.hyps, lo, hi)
}

// fill looks at the context after every few kilobytes, and after the last, so that long
// hypotheses are not scored to the end for nobody.
func fill(ctx context.Context, f Filler, rows []float64, width int, segs []int, hyps []string, lo, hi int) error {
	for lo < hi {
		next, bytes := lo, 0
		for next < hi && (next == lo || bytes+len(hyps[next]) <= 4096) {
			bytes += len(hyps[next])
			next++
		}
		if err := f.Fill(ctx, rows[:(next-lo)*width], segs, hyps, lo, next); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rows = rows[(next-lo)*width:]
		lo = next
	}
	return nil
}

// grow returns dst longer by n zeros.
func grow(dst []float64, n int) []float64 {
	if cap(dst)-len(dst) >= n {
		out := dst[:len(dst)+n]
		clear(out[len(dst):])
		return out
	}
	return append(dst, make([]float64, n)...)
}

// Segment is the segment of hypothesis k.
func Segment(segs []int, k int) int {
	if segs == nil {
		return k
	}
	return segs[k]
}

// HypothesisError is the error of hypothesis k. That of a context is no text's, and returned
// as it is.
func HypothesisError(segs []int, k int, err error) error {
	if limit.OfContext(err) {
		return err
	}
	return &mteval.SegmentError{Segment: Segment(segs, k), Side: mteval.HypothesisSide, Index: k, Err: err}
}

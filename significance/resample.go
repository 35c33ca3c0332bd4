package significance

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
)

// Resample draws samples of n things with replacement, n of them a sample, and computes
// numbers of each: Resample(…)[v][i] is number v of sample i. It is the bootstrap of
// any statistic, of whatever is drawn: segments, judgements, pairs.
//
// f gets the things drawn, from 0 to n−1, and fills out, which is values long. It is
// called by several goroutines at once, and must keep neither. Sample i is drawn from
// what numpy.random.default_rng(seed).choice(n, (samples, n)) has in row i. There are
// 1,000 samples unless o says otherwise. The first error of f, in the order of the
// samples, ends it.
func Resample(ctx context.Context, n int, o Options, values int, f func(draws []uint32, out []float64) error) ([][]float64, error) {
	return resample(ctx, []int{n}, o, values, f)
}

// maxThings is how many things can be drawn from: draws of one sample are a gibibyte then.
const maxThings = 1 << 28

// resample draws each sample from several sets of things, one after the other: as many
// as sizes says, of as many.
func resample(ctx context.Context, sizes []int, o Options, values int, f func(draws []uint32, out []float64) error) ([][]float64, error) {
	if err := o.set(1000); err != nil {
		return nil, err
	}
	n, err := drawCount(sizes)
	if err != nil {
		return nil, err
	}
	if values == 0 {
		return nil, nil
	}
	if values < 0 || values > maxKept/o.Samples {
		return nil, fmt.Errorf("significance: %d numbers of each of %d samples: %d are the most for all", values, o.Samples, maxKept)
	}
	if f == nil {
		return nil, errors.New("significance: nothing to compute of samples: f is nil")
	}
	out := make([][]float64, values)
	for v := range out {
		out[v] = make([]float64, o.Samples)
	}
	g := numpyrand.New(o.Seed)
	step := min(atOnce(n), o.Samples)
	draws := make([]uint32, step*n)
	for lo := 0; lo < o.Samples; lo += step {
		hi := min(o.Samples, lo+step)
		if err := draw(ctx, g, draws[:(hi-lo)*n], sizes); err != nil {
			return nil, err
		}
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			numbers := make([]float64, values)
			if err := f(draws[s*n:(s+1)*n:(s+1)*n], numbers); err != nil {
				return fmt.Errorf("sample %d: %w", lo+s+1, err)
			}
			for v, x := range numbers {
				out[v][lo+s] = x
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		mteval.ReportProgress(ctx, hi, o.Samples)
	}
	return out, nil
}

// drawCount returns how many draws a sample has.
func drawCount(sizes []int) (int, error) {
	n := 0
	for _, size := range sizes {
		if size == 0 {
			return 0, ErrNoSegments
		}
		if size < 0 || size > maxThings {
			return 0, fmt.Errorf("significance: can't draw from %d things: %d are the most", size, maxThings)
		}
		n += size
	}
	return n, nil
}

// draw fills draws with samples from sets of things, as many as sizes says.
func draw(ctx context.Context, g *numpyrand.Generator, draws []uint32, sizes []int) error {
	for len(draws) > 0 {
		for _, size := range sizes {
			for at := 0; at < size; at += stretch {
				if err := ctx.Err(); err != nil {
					return err
				}
				g.Fill(draws[at:min(size, at+stretch)], uint32(size))
			}
			draws = draws[size:]
		}
	}
	return nil
}

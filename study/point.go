package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// correlations are those of package metaeval, by significance.Coefficient.
var correlations = [...]metaeval.Correlation{
	significance.Pearson:  metaeval.Pearson,
	significance.Spearman: metaeval.Spearman,
	significance.Kendall:  metaeval.Kendall,
}

// scores are those of the K best systems by one metric, and on samples of the segments.
type scores struct {
	table   *mteval.Table // of these systems, or of more
	scores  []float64
	values  ranking.Coefficients
	samples [][]float64 // by system and sample
}

// oriented returns scores such that more is better.
func (s *scores) oriented(of []float64) []float64 {
	return metaeval.Oriented(of, s.table.Info.LowerIsBetter)
}

// point finds all for the K best systems. The first curve is that of the metric of which the
// others are forms.
func (r *run) point(ctx context.Context, curves []*Curve, of []scores) error {
	k := len(of[0].scores)
	people := r.best.Human[:k]
	segments, err := r.overSegments(ctx, of, people)
	if err != nil {
		return err
	}
	systems, err := r.overSystems(ctx, of, people)
	if err != nil {
		return err
	}
	for i, c := range curves {
		p := Point{K: k, Scores: of[i].scores}
		values, base := valuesOf(of[i].values), valuesOf(of[0].values)
		for j := range correlations {
			a := Agreement{Value: values[j], Segments: intervalOf(segments[i][j]), Systems: intervalOf(systems[i][j])}
			if i > 0 && values[j] != nil && base[j] != nil {
				d := &Difference{Value: *values[j] - *base[j]}
				d.Segments, d.P = differenceOf(*values[j], *base[j], segments[i][j], segments[0][j])
				d.Systems, _ = differenceOf(*values[j], *base[j], systems[i][j], systems[0][j])
				a.Difference = d
			}
			p.Agreements[j] = a
		}
		c.Points = append(c.Points, p)
	}
	return r.permute(ctx, curves, of)
}

// valuesOf are coefficients by significance.Coefficient.
func valuesOf(c ranking.Coefficients) [len(correlations)]*float64 {
	return [...]*float64{significance.Pearson: c.Pearson, significance.Spearman: c.Spearman, significance.Kendall: c.Kendall}
}

// correlate sets out to the coefficients of x with people, NaN where undefined.
func correlate(out, x, people []float64) error {
	for j, of := range correlations {
		v, err := of(x, people)
		switch {
		case err == nil:
			out[j] = v
		case errors.Is(err, metaeval.ErrUndefined):
			out[j] = math.NaN()
		default:
			return err
		}
	}
	return nil
}

// overSegments are the correlations on samples of the segments, by metric, coefficient and
// sample.
func (r *run) overSegments(ctx context.Context, of []scores, people []float64) ([][][]float64, error) {
	out := make([][][]float64, len(of))
	for i := range out {
		out[i] = make([][]float64, len(correlations))
		for j := range out[i] {
			out[i][j] = make([]float64, r.Samples)
		}
	}
	err := parallel.For(ctx, r.Samples, r.Workers, 64, func(lo, hi int) error {
		x := make([]float64, len(people))
		var found [len(correlations)]float64
		for s := lo; s < hi; s++ {
			for i := range of {
				for k := range x {
					x[k] = of[i].samples[k][s]
				}
				if err := correlate(found[:], of[i].oriented(x), people); err != nil {
					return fmt.Errorf("sample %d: %w", s+1, err)
				}
				for j, v := range found {
					out[i][j][s] = v
				}
			}
		}
		return nil
	})
	return out, err
}

// overSystems are those on samples of the systems, with their scores as they are.
func (r *run) overSystems(ctx context.Context, of []scores, people []float64) ([][][]float64, error) {
	n := len(correlations)
	got, err := significance.Resample(ctx, len(people), r.significance(), len(of)*n, func(draws []uint32, out []float64) error {
		x, y := make([]float64, len(draws)), make([]float64, len(draws))
		for i := range of {
			for at, k := range draws {
				x[at], y[at] = of[i].scores[k], people[k]
			}
			if err := correlate(out[i*n:(i+1)*n], of[i].oriented(x), y); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(got, n)), nil
}

// intervalOf is that of samples, NaN where undefined.
func intervalOf(samples []float64) Interval {
	var defined []float64
	for _, v := range samples {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	in := significance.Interval95(defined)
	return Interval{in.Low, in.High, len(defined), len(samples) - len(defined)}
}

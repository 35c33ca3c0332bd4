package significance

import (
	"context"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/parallel"
)

// PairedZ compares all pairs of systems of a table: PairedZ(…)[a][b] is the difference of the
// scores of systems a and b in units of its standard error over segments, positive where a is
// better, so negative for an error metric with the higher score. It is antisymmetric.
//
// The standard error is that of the delete-one jackknife (Efron and Stein 1981): a score is
// taken apart into pseudo-values, n·f(all) − (n−1)·f(all but segment i), and the standard
// error is that of the mean of two systems' differences of them, which are paired by segment.
// For a mean of segments' scores the pseudo-values are these scores, and z is that of the
// paired t-test; for scores of sums, such as BLEU, it agrees with the delta method's but for
// terms of the order of 1/n.
//
// Equal outputs have 0, and so has a single segment, which has no standard error. No z is
// larger than the number of segments, which it is where the difference is the same on all.
func PairedZ(ctx context.Context, t *mteval.Table) ([][]float64, error) {
	if t == nil || t.Len() == 0 {
		return nil, ErrNoSegments
	}
	scores, values, err := pseudoValues(ctx, t)
	if err != nil {
		return nil, err
	}
	k := len(values)
	out := make([][]float64, k)
	for a := range out {
		out[a] = make([]float64, k)
	}
	err = parallel.For(ctx, k, 0, 1, func(a, _ int) error {
		for b := range a {
			if err := ctx.Err(); err != nil {
				return err
			}
			z := pairedZ(scores[a]-scores[b], values[a], values[b])
			out[a][b], out[b][a] = z, 0-z
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// pairedZ is the difference over its standard error.
func pairedZ(difference float64, a, b []float64) float64 {
	n := float64(len(a))
	if difference == 0 || n < 2 {
		return 0
	}
	mean := 0.0
	for i, v := range a {
		mean += v - b[i]
	}
	mean /= n
	squares := 0.0
	for i, v := range a {
		d := v - b[i] - mean
		squares += d * d
	}
	z := difference / math.Sqrt(squares/n/(n-1))
	return max(-n, min(z, n)) // not NaN, as the difference is not 0
}

// pseudoValues returns the scores of the systems and their jackknife pseudo-values by segment,
// more being better, all times the same factor, which makes them fit to be squared.
func pseudoValues(ctx context.Context, t *mteval.Table) (scores []float64, values [][]float64, err error) {
	n, systems := t.Len(), len(t.Systems)
	scores, values = make([]float64, systems), make([][]float64, systems)
	all := make([]float64, systems*n)
	sign := 1.0
	if t.Info.LowerIsBetter {
		sign = -1
	}
	err = parallel.For(ctx, systems, 0, 1, func(k, _ int) error {
		sum := t.Sum(k)
		scores[k] = sign * t.Score(sum)
		values[k] = all[k*n : (k+1)*n : (k+1)*n]
		rest := make([]float64, len(sum))
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if n == 1 {
				values[k][i] = scores[k]
				continue
			}
			for j, v := range t.Row(k, i) {
				rest[j] = sum[j] - v
			}
			without := sign * t.Score(rest)
			values[k][i] = scores[k] + float64(n-1)*(scores[k]-without)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i, v := range all {
		if v-v != 0 {
			return nil, nil, fmt.Errorf("significance: %s of %s without segment %d is not a finite number, or too large", t.Info.Name, t.Systems[i/n], i%n+1)
		}
	}
	unit := moments.Unit(all)
	for i := range all {
		all[i] *= unit
	}
	for k := range scores {
		scores[k] *= unit
	}
	return scores, values, nil
}

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
// Equal scores have 0, and so has a single segment, which has no standard error. No z is
// larger than the number of segments, which it is where the difference is the same on all.
// The z of a pair does not depend on the other systems, but for difficulty-aware scores, whose
// rows do. A table without segments is ErrNoSegments, and a score that is not a finite number,
// of all segments or without one, is an error.
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
		differences := make([]float64, t.Len())
		for b := range a {
			if err := ctx.Err(); err != nil {
				return err
			}
			for i, v := range values[a] {
				differences[i] = v/2 - values[b][i]/2 // halves do not overflow
			}
			z := pairedZ(scores[a]/2-scores[b]/2, differences)
			out[a][b], out[b][a] = z, 0-z
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// pairedZ is a difference over its standard error, that of the mean of the differences by
// segment, which it overwrites.
func pairedZ(difference float64, d []float64) float64 {
	n := float64(len(d))
	if difference == 0 || n < 2 {
		return 0
	}
	unit := moments.Unit(d)
	mean := 0.0
	for i := range d {
		d[i] *= unit
		mean += d[i]
	}
	mean /= n
	squares := 0.0
	for _, v := range d {
		squares += float64((v - mean) * (v - mean))
	}
	z := difference * unit / math.Sqrt(squares/n/(n-1))
	return max(-n, min(z, n)) // not NaN, as the difference is not 0
}

// pseudoValues returns the scores of the systems and their jackknife pseudo-values by segment,
// more being better.
func pseudoValues(ctx context.Context, t *mteval.Table) (scores []float64, values [][]float64, err error) {
	scores, values = make([]float64, len(t.Systems)), make([][]float64, len(t.Systems))
	err = parallel.For(ctx, len(scores), 0, 1, func(k, _ int) (err error) {
		scores[k], values[k], err = jackknife(ctx, t, k)
		return err
	})
	return scores, values, err
}

// jackknife returns the score of a system and its pseudo-values.
func jackknife(ctx context.Context, t *mteval.Table, system int) (score float64, values []float64, err error) {
	sign := 1.0
	if t.Info.LowerIsBetter {
		sign = -1
	}
	sum := t.Sum(system)
	score = sign * t.Score(sum)
	if score-score != 0 {
		return 0, nil, fmt.Errorf("significance: %s of %s is %v: want a finite number", t.Info.Name, t.Systems[system], score)
	}
	values = make([]float64, t.Len())
	if len(values) == 1 {
		values[0] = score
		return score, values, nil
	}
	rest, others := make([]float64, len(sum)), float64(len(values)-1)
	for i := range values {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		for j, v := range t.Row(system, i) {
			rest[j] = sum[j] - v
		}
		v := score + float64(others*(score-sign*t.Score(rest)))
		if v-v != 0 {
			return 0, nil, fmt.Errorf("significance: %s of %s without segment %d is not a finite number, or too large", t.Info.Name, t.Systems[system], i+1)
		}
		values[i] = v
	}
	return score, values, nil
}

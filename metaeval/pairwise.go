package metaeval

import (
	"fmt"
	"math"
)

// PairAccuracy is on how many pairs of systems a metric agrees with people. That of
// several language pairs is their sum.
type PairAccuracy struct{ Agree, Pairs int64 }

// Plus returns the sum of a and b.
func (a PairAccuracy) Plus(b PairAccuracy) PairAccuracy {
	return PairAccuracy{a.Agree + b.Agree, a.Pairs + b.Pairs}
}

// Value is the accuracy, 0 to 1. It wraps ErrUndefined where there is no pair; counts that
// can't be are another error.
func (a PairAccuracy) Value() (float64, error) {
	if a.Agree < 0 || a.Agree > a.Pairs {
		return 0, fmt.Errorf("metaeval: agreement on %d of %d pairs", a.Agree, a.Pairs)
	}
	if a.Pairs == 0 {
		return 0, fmt.Errorf("metaeval: pairwise accuracy is %w: no pair of systems", ErrUndefined)
	}
	return float64(a.Agree) / float64(a.Pairs), nil
}

// PairwiseAccuracy counts the pairs of systems of which people's scores and a metric's
// say the same: that the one is better, or the other, or that they are equal (Kocmi et
// al. 2021). Scores of systems are those of SystemLevel, whose errors it has; pairs of
// which one is missing are left out. Keep says which pairs, by index, are looked at, such
// as those that people tell apart; nil: all.
func PairwiseAccuracy(human *Scores, m Metric, keep func(a, b int) bool) (PairAccuracy, error) {
	x, y, err := systemScores(human, m)
	if err != nil {
		return PairAccuracy{}, err
	}
	missing := func(k int) bool { return math.IsNaN(x[k]) || math.IsNaN(y[k]) }
	var out PairAccuracy
	for b := range x {
		for a := range b {
			if missing(a) || missing(b) || keep != nil && !keep(a, b) {
				continue
			}
			out.Pairs++
			if relation(x[a], x[b], 0) == relation(y[a], y[b], 0) {
				out.Agree++
			}
		}
	}
	return out, nil
}

// SoftPairwiseAccuracy is the mean, over pairs of systems, of 1 − |p_human − p_metric|,
// where p[a][b] is the one-sided p-value of a being better than b (Thompson et al. 2024),
// by the same test for both; only p[a][b] with a < b are read. It wraps ErrUndefined for
// fewer than two systems; matrices of different sizes and values outside 0 to 1 are other
// errors.
func SoftPairwiseAccuracy(human, metric [][]float64) (float64, error) {
	n := len(human)
	if len(metric) != n {
		return 0, fmt.Errorf("metaeval: p-values of %d systems by people, of %d by the metric", n, len(metric))
	}
	sum := 0.0
	for a := range n {
		if len(human[a]) != n || len(metric[a]) != n {
			return 0, fmt.Errorf("metaeval: p-values of system %d with %d and %d systems, of %d", a+1, len(human[a]), len(metric[a]), n)
		}
		for b := a + 1; b < n; b++ {
			h, m := human[a][b], metric[a][b]
			if !(h >= 0 && h <= 1 && m >= 0 && m <= 1) {
				return 0, fmt.Errorf("metaeval: p-values %v and %v of systems %d and %d", h, m, a+1, b+1)
			}
			sum += 1 - math.Abs(h-m)
		}
	}
	if n < 2 {
		return 0, fmt.Errorf("metaeval: soft pairwise accuracy is %w: no pair of systems", ErrUndefined)
	}
	return sum / float64(n*(n-1)/2), nil
}

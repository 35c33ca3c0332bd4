package metaeval

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/moments"
)

// Outliers returns the indices of the scores that lie further from the median than
// cutoff times 1.483 times the median absolute deviation from it; cutoff 0 is 2.5.
// Mathur et al. (2020) leave such systems, by human score, out of correlations, as they
// alone can make one high.
//
// It wraps ErrUndefined where the deviation is 0, because more than half of the scores
// are equal, and for no scores. A score that is not finite and a negative cutoff are
// other errors.
func Outliers(scores []float64, cutoff float64) ([]int, error) {
	if err := checkThreshold(cutoff); err != nil {
		return nil, err
	}
	if cutoff == 0 {
		cutoff = 2.5
	}
	for i, v := range scores {
		if v-v != 0 {
			return nil, fmt.Errorf("metaeval: score %d is %v", i+1, v)
		}
	}
	if len(scores) == 0 {
		return nil, fmt.Errorf("metaeval: outliers are %w: no scores", ErrUndefined)
	}
	given := scores
	scores = moments.Tame(scores)
	middle := median(scores)
	away := make([]float64, len(scores))
	for i, v := range scores {
		away[i] = math.Abs(v - middle)
	}
	spread := 1.483 * median(away)
	if spread == 0 {
		return nil, fmt.Errorf("metaeval: outliers are %w: most of the scores are %v", ErrUndefined, median(given))
	}
	var out []int
	for i, d := range away {
		if d/spread > cutoff {
			out = append(out, i)
		}
	}
	return out, nil
}

// median of at least one value.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1]/2 + s[n/2]/2
}

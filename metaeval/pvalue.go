package metaeval

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/student"
)

// A CorrelationTest is a correlation and how probable one at least as far from 0 is by
// chance.
type CorrelationTest struct {
	Correlation float64
	// P is two-sided, 0 to 1.
	P float64
}

// PearsonTest tests Pearson's correlation by Student's t with n − 2 degrees of freedom,
// which is exact for x and y from independent normal distributions. Of two pairs P is
// 1. Errors are Pearson's.
func PearsonTest(x, y []float64) (CorrelationTest, error) {
	r, err := Pearson(x, y)
	if err != nil {
		return CorrelationTest{}, err
	}
	if len(x) == 2 {
		return CorrelationTest{r, 1}, nil
	}
	return CorrelationTest{r, student.Correlation(r, len(x)-2)}, nil
}

// SpearmanTest tests Spearman's correlation by Student's t with n − 2 degrees of
// freedom, which holds for large n, and wraps ErrUndefined for two pairs too. Other
// errors are Pearson's.
func SpearmanTest(x, y []float64) (CorrelationTest, error) {
	r, err := Spearman(x, y)
	if err != nil {
		return CorrelationTest{}, err
	}
	if len(x) == 2 {
		return CorrelationTest{}, fmt.Errorf("metaeval: the test of 2 pairs is %w", ErrUndefined)
	}
	return CorrelationTest{r, student.Correlation(r, len(x)-2)}, nil
}

// A KendallMethod is how the P of a KendallTest is computed.
type KendallMethod int

const (
	// KendallAuto is KendallExact where there are no ties, and at most 33 pairs or
	// at most one that is discordant or concordant; else KendallNormal.
	KendallAuto KendallMethod = iota
	// KendallExact counts the permutations that have a tau as far from 0 (Kendall
	// 1970). There may be no ties. It takes about n³/4 steps, and it is an error to ask
	// for it where they are more than 2³³, as for 3,500 pairs.
	KendallExact
	// KendallNormal takes the numerator of tau as normal, with the variance that it
	// has given the ties (Kendall 1970).
	KendallNormal
)

// KendallTest tests Kendall's tau; Correlation is tau-b, and P is that of tau-a and
// tau-c too. It is an error to ask for KendallExact where there are ties. Other errors
// are Pearson's.
func KendallTest(x, y []float64, method KendallMethod) (CorrelationTest, error) {
	c, err := countOrders(x, y)
	if err != nil {
		return CorrelationTest{}, err
	}
	ties := c.x.pairs+c.y.pairs > 0
	least := min(c.discordant, c.all()-c.discordant)
	switch {
	case method == KendallExact && ties:
		return CorrelationTest{}, fmt.Errorf("metaeval: no exact test of Kendall's tau with %d pairs tied in x and %d in y", c.x.pairs, c.y.pairs)
	case method == KendallExact && float64(c.n)*float64(least) > 1<<33:
		return CorrelationTest{}, fmt.Errorf("metaeval: an exact test of Kendall's tau of %d pairs, %d of them in one order, takes too long: KendallNormal is as good for so many", c.n, least)
	case method == KendallExact, method == KendallAuto && !ties && (c.n <= 33 || least <= 1):
		return CorrelationTest{c.tauB(), exactKendallP(int(c.n), int(least))}, nil
	case method == KendallAuto, method == KendallNormal:
		return CorrelationTest{c.tauB(), c.normalP()}, nil
	}
	return CorrelationTest{}, fmt.Errorf("metaeval: unknown method %d of Kendall's test", method)
}

func (c *orders) normalP() float64 {
	n := float64(c.n)
	m := n * (n - 1)
	variance := (m*(2*n+5)-c.x.linear-c.y.linear)/18 + 2*float64(c.x.pairs)*float64(c.y.pairs)/m
	if c.n > 2 {
		variance += c.x.cubic * c.y.cubic / (9 * m * (n - 2))
	}
	// Not 0: neither x nor y is constant.
	return math.Erfc(math.Abs(float64(c.difference())) / math.Sqrt(2*variance))
}

// exactKendallP is the share of the permutations of n that have at most k inversions,
// or at least as many as they have more of, with k at most half of all.
func exactKendallP(n, k int) float64 {
	if 4*k >= n*(n-1)-2 { // the two tails are all there is
		return 1
	}
	// at[i] is the share of the permutations of j with i inversions. One more element
	// goes into any of j places, and adds 0 to j − 1 inversions.
	at, next := make([]float64, k+1), make([]float64, k+1)
	at[0] = 1
	for j := 2; j <= n; j++ {
		sum := 0.0
		for i := range min(k, j*(j-1)/2) + 1 {
			sum += at[i]
			if i >= j {
				sum -= at[i-j]
			}
			next[i] = sum / float64(j)
		}
		at, next = next, at
	}
	p := 0.0
	for _, v := range at {
		p += v
	}
	return max(0, min(1, 2*p))
}

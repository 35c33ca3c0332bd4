package significance

import (
	"fmt"
	"math"
)

// A SignTestResult says whether one of two systems was found better more often than it
// would be by chance.
type SignTestResult struct {
	// N is how many judgements found one better.
	N int
	// P is the exact probability of as large a majority, either way, if both were as
	// likely to be found better, 0 to 1.
	P float64
}

// SignTest is the two-sided sign test of pairwise judgements (Dixon and Mood, JASA 1946):
// how often system A was found better, neither, and system B. Ties are dropped. Without a
// judgement that found one better, P is 1. A negative number is an error, as are more than
// 10¹² judgements (2³⁰ where an int has 32 bits).
//
// It takes time in the square root of the number of judgements.
func SignTest(better, ties, worse int) (SignTestResult, error) {
	if better < 0 || ties < 0 || worse < 0 || better > maxJudgements || worse > maxJudgements-better {
		return SignTestResult{}, fmt.Errorf("significance: a sign test of %d better, %d ties, %d worse", better, ties, worse)
	}
	n := better + worse
	return SignTestResult{N: n, P: binomialTails(min(better, worse), n)}, nil
}

const maxJudgements = min(1_000_000_000_000, math.MaxInt/2)

// binomialTails is the probability that a fair coin, tossed n times, comes up k times or
// less, or n−k times or more, for k ≤ n/2.
//
// It adds up binomial coefficients as parts of the largest, each from the one before, from
// the middle out. So nothing overflows or cancels, and what is too small to count ends it.
func binomialTails(k, n int) float64 {
	if 2*k+1 >= n { // no other outcome is left
		return 1
	}
	const least = 0x1p-1022 // rounding would keep what is less where it is
	all, tails, part := 0.0, 0.0, 1.0
	for i := n / 2; i >= 0 && part > max(least, tails*1e-17); i-- {
		both := 2 * part // i and n−i
		if 2*i == n {
			both = part
		}
		all += both
		if i <= k {
			tails += both
		}
		part *= float64(i) / float64(n-i+1)
	}
	return tails / all
}

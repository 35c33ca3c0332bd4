// Package preference says how likely it is that people prefer one system to another, for all
// pairs of systems, from what metrics say of them and from a calibration: what metrics have
// said of systems that people judged.
//
// # What a probability means
//
// P(a, b) is the probability that a campaign of human judgements such as WMT's would put
// system a above system b, in the mean over its judgements. It is no p-value: a difference of
// BERTScore at z from 2 to 4, which is a p below .05, has been people's two times in three.
// People's scores of systems have noise of their own, so that no metric can be right always.
//
// # The model
//
// What a metric says of a pair is z, the difference of the two systems' scores in standard
// errors over segments (significance.PairedZ). The log odds that people agree are taken to be a
// weighted sum over metrics,
//
//	log P(a, b) / P(b, a) = Σ_m w_m · t_m(z_m(a, b))
//
// where t is z itself, or sign(z)·log(1 + |z|): a metric that is taken as Linear decides where
// it is sure, and one taken as Log has a say where the former is not. There is no constant, so
// that P(a, b) + P(b, a) = 1 and equal systems have ½.
//
// The embedded calibration (Default) adds up, with one weight,
//
//	z of BERTScore over lexical vectors, linear
//	z of chrF, logarithmic
//	z of difficulty-aware BERTScore (Zhan et al., ACL 2021, without a system's own vote),
//	logarithmic
//
// The plain score decides where it is sure, and difficulty where it is not, which is the
// paper's claim. Its figures, and what else was tried, are in docs/difficulty.md.
//
// # Rankings
//
// From the pairs come the expected wins of each system, which order them, the strengths of
// Bradley and Terry (1952) and from these the probability of being the best, and groups of
// systems that people would not tell apart. Nothing depends on the order of systems.
//
// Adding a system changes what is said of the others only by what it changes in difficulty: on
// 14 judged sets, with each system left out in turn, a probability changed by .001 in the mean,
// and by .06 at most. Among few systems difficulty says less. Pairs of judged systems taken by
// themselves, without the others of their set, have probabilities that are less well calibrated,
// but still better than those by BERTScore: on 56 sets, to which the weights were fitted, the
// calibration error is .027 (with the others .020), the accuracy .839 (BERTScore .833) and the log
// loss .338 (.341). Among six systems nearly all is there.
package preference

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/significance"
)

// A Result is what people are expected to prefer. It comes from Judge. Methods of one whose P is
// no square of probabilities, one row for each of Systems, return nil or an error.
type Result struct {
	Systems []string
	// P[a][b] is the probability that people prefer system a to system b, ½ for a system and
	// itself. P[a][b] + P[b][a] is 1.
	P [][]float64
	// Outside says, for people, in what the evidence is unlike what the calibration was fitted
	// on, if it is: then what P is worth is not known.
	Outside []string
}

// check refuses what is no result.
func (r *Result) check() error {
	if r == nil {
		return errors.New("preference: a result that is nil")
	}
	if len(r.P) != len(r.Systems) {
		return fmt.Errorf("preference: %d rows of probabilities of %d systems", len(r.P), len(r.Systems))
	}
	for a, row := range r.P {
		if len(row) != len(r.P) {
			return fmt.Errorf("preference: %d probabilities of %s, want %d", len(row), r.Systems[a], len(r.P))
		}
		for b, p := range row {
			if !(p >= 0 && p <= 1) { // NaN too
				return fmt.Errorf("preference: the probability of %s and %s is %v", r.Systems[a], r.Systems[b], p)
			}
		}
	}
	return nil
}

// Wins returns the expected share of the other systems that people prefer each system to, ½ if
// there is no other.
func (r *Result) Wins() []float64 {
	if r.check() != nil {
		return nil
	}
	out := make([]float64, len(r.P))
	for a, row := range r.P {
		if len(row) < 2 {
			out[a] = .5
			continue
		}
		others := slices.Delete(slices.Clone(row), a, a+1)
		out[a] = sorted(others) / float64(len(others))
	}
	return out
}

// sorted is the sum of the values, which it sorts: then it does not depend on their order.
func sorted(values []float64) float64 {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}

// Order returns the indices of the systems, most expected wins first, equal ones by name.
func (r *Result) Order() []int {
	wins := r.Wins()
	order := make([]int, len(wins))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(wins[b], wins[a]), cmp.Compare(r.Systems[a], r.Systems[b]))
	})
	return order
}

// Groups divides the systems into groups that people would not tell apart, and returns the
// number of each system's group, from 1 for the best. From the best down, a system begins a new
// group if one of the present group is preferred to it with a probability of confidence or
// more, which is from above ½ to 1. So none of a group is told to be worse than one above it.
func (r *Result) Groups(confidence float64) ([]int, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if !(confidence > .5 && confidence <= 1) { // NaN too
		return nil, fmt.Errorf("preference: a confidence of %v, want above .5 and at most 1", confidence)
	}
	against := make([][]float64, len(r.P))
	for a, row := range r.P {
		for _, p := range row {
			against[a] = append(against[a], 1-p) // exact from ½ up
		}
	}
	return significance.RankClusters(r.Order(), against, 1-confidence)
}

// sigmoid is 1/(1 + exp(−x)); sigmoid(x) and sigmoid(−x) add up to 1.
func sigmoid(x float64) float64 {
	if x < 0 {
		return 1 - sigmoid(-x)
	}
	return 1 / (1 + math.Exp(-x))
}

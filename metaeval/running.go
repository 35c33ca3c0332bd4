package metaeval

import (
	"fmt"
	"math"
	"slices"
)

// CalibrateTiesRunning is [CalibrateTies] with the rounding of mt-metrics-eval, which keeps
// a running sum over groups, of acc_eq or of tau_eq: of epsilons that are equally good it
// may take another than the least. The agreement is that of acc_eq, and 2·acc_eq − 1 if
// tau says so. It takes 32 bytes for each pair.
func CalibrateTiesRunning(human *Scores, m Metric, g Grouping, tau bool) (epsilon float64, a Agreement, err error) {
	if err := aligned(human, m); err != nil {
		return 0, Agreement{}, err
	}
	groups, err := differing(human, m, g)
	if err != nil {
		return 0, Agreement{}, err
	}
	epsilon = runningEpsilon(groups, tau)
	if a, err = accEq(groups, m.Name, epsilon); err != nil {
		return 0, Agreement{}, fmt.Errorf("calibration: %w", err)
	}
	if tau {
		a.Value = 2*a.Value - 1
	}
	return epsilon, a, nil
}

// A tiedPair is what the count of right pairs of a group changes by once a pair is a tie.
type tiedPair struct {
	difference    float64
	group, change int
}

func runningEpsilon(groups []group, tau bool) float64 {
	right, pairs := make([]int, len(groups)), make([]int, len(groups))
	value := func(k int) float64 {
		if tau {
			return float64(2*right[k]-pairs[k]) / float64(pairs[k])
		}
		return float64(right[k]) / float64(pairs[k])
	}
	var all []tiedPair
	total, rows := 0.0, 0
	for k, s := range groups {
		for i := range s.human { // in the order in which mt-metrics-eval has them
			for j := i + 1; j < len(s.human); j++ {
				h, d := relation(s.human[i], s.human[j], 0), s.metric[i]-s.metric[j]
				is, tied := 0, 0
				if h == relation(d, 0, 0) {
					is = 1
				}
				if h == 1 {
					tied = 1
				}
				right[k] += is
				pairs[k]++
				all = append(all, tiedPair{math.Abs(d), k, tied - is})
			}
		}
		if pairs[k] > 0 {
			total += value(k)
			rows++
		}
	}
	slices.SortStableFunc(all, func(p, q tiedPair) int {
		switch {
		case p.difference < q.difference:
			return -1
		case p.difference > q.difference:
			return 1
		}
		return 0
	})
	best, epsilon := math.Inf(-1), 0.0
	at := 0.0 // the threshold
	take := func() {
		if v := total / float64(rows); v > best {
			best, epsilon = v, at
		}
	}
	for _, p := range all {
		if p.difference != at {
			take()
			at = p.difference
		}
		total -= value(p.group)
		right[p.group] += p.change
		total += value(p.group)
	}
	take()
	return epsilon
}

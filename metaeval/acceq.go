package metaeval

import (
	"fmt"
	"math"
)

// AccEq is acc_eq, the share of the pairs of scores of which a metric says what people
// say, that one is better, or that they tie (Deutsch, Foster and Freitag 2023): two
// of the metric's scores tie where they differ by at most epsilon, people's where they are
// equal. By item it compares systems, by system items, and is averaged over groups with
// a pair; without grouping it compares all scores with all. Their tau_eq is
// 2·acc_eq − 1. It wraps ErrUndefined where there is no pair, and ErrMismatch.
func AccEq(human *Scores, m Metric, g Grouping, epsilon float64) (Agreement, error) {
	if err := checkThreshold(epsilon); err != nil {
		return Agreement{}, err
	}
	if err := aligned(human, m); err != nil {
		return Agreement{}, err
	}
	groups, err := differing(human, m, g)
	if err != nil {
		return Agreement{}, err
	}
	return accEq(groups, m.Name, epsilon)
}

// differing is grouped, for metrics of which any two scores have a difference.
func differing(human *Scores, m Metric, g Grouping) ([]group, error) {
	for _, v := range m.Scores.Values {
		if math.Abs(v) > math.MaxFloat64/2 {
			return nil, fmt.Errorf("metaeval: %s: a score of %v is too large for differences", m.Name, v)
		}
	}
	return grouped(human, m, g)
}

func accEq(groups []group, name string, epsilon float64) (Agreement, error) {
	var a Agreement
	sum := 0.0
	for i, s := range groups {
		a.Missing += s.missing
		right, pairs := s.agreeing(epsilon)
		if pairs == 0 {
			a.Undefined = append(a.Undefined, i)
			continue
		}
		a.Groups++
		sum += float64(right) / float64(pairs)
	}
	if a.Groups == 0 {
		return Agreement{}, fmt.Errorf("metaeval: %s: acc_eq is %w: no pair to compare", name, ErrUndefined)
	}
	a.Value = sum / float64(a.Groups)
	return a, nil
}

// sortedFrom is how many scores are sorted to be compared rather than compared pair by pair.
const sortedFrom = 64

// agreeing returns how many of all pairs the metric has as people have.
func (s group) agreeing(epsilon float64) (right, pairs int64) {
	n := int64(len(s.human))
	pairs = n * (n - 1) / 2
	if epsilon == 0 && n >= sortedFrom {
		c := counted(s.human, s.metric)
		return c.concordant() + c.both, pairs
	}
	for i, h := range s.human {
		m := s.metric[i]
		before := s.metric[:i]
		for j, x := range s.human[:i] {
			d := before[j] - m
			said := 0
			if d > epsilon {
				said = 1
			} else if d < -epsilon {
				said = -1
			}
			is := 0
			if x > h {
				is = 1
			} else if x < h {
				is = -1
			}
			if said == is {
				right++
			}
		}
	}
	return right, pairs
}

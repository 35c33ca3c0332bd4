package metaeval

import (
	"errors"
	"fmt"
	"math"
)

// CalibrateTies finds the epsilon for which AccEq is best, and the AccEq that it gives (tie
// calibration, Deutsch, Foster and Freitag 2023). One epsilon holds for all groups. It is 0
// or a difference of two of the metric's scores: the least of those that are equally good,
// as far as mt-metrics-eval's running sum over groups tells them apart. Its rounding is done
// here too, so that epsilons are those that WMT publishes.
//
// As epsilon is chosen on the data that it is used for, metrics are compared fairly only
// if each is calibrated on the same.
//
// It takes O(p log p) for p pairs of scores, and 32 bytes for each; without grouping, for
// each of those whose verdict depends on epsilon.
func CalibrateTies(human *Scores, m Metric, g Grouping) (epsilon float64, a Agreement, err error) {
	return calibrated(human, m, g, false)
}

// CalibrateTiesTau is [CalibrateTies] of tau_eq, which is 2·acc_eq − 1 and so is best for the
// same epsilons, but for the rounding of the running sum, which may prefer another of them.
func CalibrateTiesTau(human *Scores, m Metric, g Grouping) (epsilon float64, a Agreement, err error) {
	if epsilon, a, err = calibrated(human, m, g, true); err == nil {
		a.Value = 2*a.Value - 1
	}
	return epsilon, a, err
}

func calibrated(human *Scores, m Metric, g Grouping, tau bool) (epsilon float64, a Agreement, err error) {
	if err := aligned(human, m); err != nil {
		return 0, Agreement{}, err
	}
	groups, err := differing(human, m, g)
	if err != nil {
		return 0, Agreement{}, err
	}
	find := bestOfGroups
	if len(groups) == 1 {
		find = bestOfOne
	}
	if epsilon, err = find(groups, tau); err != nil {
		return 0, Agreement{}, fmt.Errorf("metaeval: %s: %w", m.Name, err)
	}
	a, err = accEq(groups, m.Name, epsilon)
	return epsilon, a, err
}

var errPairs = errors.New("calibration on more than 2³² pairs: calibrate by item, or on fewer segments")

// bestOfOne is the least epsilon with the most right pairs of a group. A sum of one group has
// no rounding, so pairs whose verdict stays need not be kept.
func bestOfOne(groups []group, _ bool) (epsilon float64, err error) {
	s := groups[0]
	total := int64(0)
	s.pairs(func(human int, difference float64) {
		if gains, loses := verdict(human, difference); gains || loses {
			total++
		}
	})
	if total > math.MaxUint32 {
		return 0, errPairs
	}
	changes := make([]keyed, 0, total)
	s.pairs(func(human int, difference float64) {
		if gains, loses := verdict(human, difference); gains {
			changes = append(changes, keyed{math.Float64bits(math.Abs(difference)), 1})
		} else if loses {
			changes = append(changes, keyed{math.Float64bits(math.Abs(difference)), 0})
		}
	})
	changes, _ = sortKeyed(changes, make([]keyed, len(changes)))
	right, best := int64(0), int64(0) // more than at 0
	for at := 0; at < len(changes); {
		key := changes[at].key
		for ; at < len(changes) && changes[at].key == key; at++ {
			right += 2*int64(changes[at].value) - 1
		}
		if right > best {
			best, epsilon = right, math.Float64frombits(key)
		}
	}
	return epsilon, nil
}

// pairs calls do with people's relation of every pair, and how the metric's scores
// differ.
func (s group) pairs(do func(human int, difference float64)) {
	for i, h := range s.human {
		for j := range i {
			do(relation(s.human[j], h, 0), s.metric[j]-s.metric[i])
		}
	}
}

// verdict says whether a pair becomes right, or wrong, once epsilon reaches the
// difference of the metric's scores. It does neither where the metric has the wrong
// order, or a tie.
func verdict(human int, difference float64) (gains, loses bool) {
	rel := relation(difference, 0, 0)
	return human == 1 && rel != 1, human != 1 && rel == human
}

// A running sum is what mt-metrics-eval keeps while epsilon grows.
type running struct {
	right, pairs []float64 // by group
	value        []float64
	tau          bool
	total        float64
	groups       float64 // with a pair
}

// change adds to a group's right pairs. No change is one too: it takes the group's value
// from the sum and adds it again, which may round.
func (r *running) change(group int, by float64) {
	r.total -= r.value[group]
	if by != 0 {
		r.right[group] += by
		r.value[group] = r.of(group)
	}
	r.total += r.value[group]
}

func (r *running) of(group int) float64 {
	if r.tau {
		return (2*r.right[group] - r.pairs[group]) / r.pairs[group]
	}
	return r.right[group] / r.pairs[group]
}

// Of a pair's value, for sorting: its number, so that equal differences stay in order, its
// group, and the change of the group's right pairs once the pair is a tie, plus 1.
const (
	groupBits  = 29
	changeBits = 2
)

// bestOfGroups is the epsilon at which the running sum is highest, the first such.
func bestOfGroups(groups []group, tau bool) (epsilon float64, err error) {
	total := uint64(0)
	for _, s := range groups {
		n := uint64(len(s.human))
		total += n * (max(n, 1) - 1) / 2
	}
	if total > math.MaxUint32 || len(groups) >= 1<<groupBits {
		return 0, errPairs
	}
	r := &running{right: make([]float64, len(groups)), pairs: make([]float64, len(groups)), value: make([]float64, len(groups)), tau: tau}
	all := make([]keyed, 0, total)
	for k, s := range groups {
		all = r.add(all, k, s)
	}
	all, _ = sortKeyed(all, make([]keyed, len(all)))
	best := math.Inf(-1)
	at := uint64(0) // the threshold's bits
	for _, p := range all {
		if p.key != at {
			if v := r.total / r.groups; v > best {
				best, epsilon = v, math.Float64frombits(at)
			}
			at = p.key
		}
		r.change(int(p.value>>changeBits&(1<<groupBits-1)), float64(p.value&(1<<changeBits-1))-1)
	}
	if r.total/r.groups > best {
		epsilon = math.Float64frombits(at)
	}
	return epsilon, nil
}

// add counts a group's pairs at epsilon 0, and appends them to all.
func (r *running) add(all []keyed, k int, s group) []keyed {
	for i, h := range s.human { // in the order in which mt-metrics-eval has them
		m := s.metric[i]
		later := s.metric[i+1:]
		for j, x := range s.human[i+1:] {
			d := m - later[j]
			is, tied := uint64(0), uint64(0)
			if h == x {
				tied = 1
			}
			if (h > x) == (d > 0) && (h < x) == (d < 0) {
				is = 1
			}
			r.right[k] += float64(is)
			value := uint64(len(all))<<(groupBits+changeBits) | uint64(k)<<changeBits | (1 + tied - is)
			all = append(all, keyed{math.Float64bits(math.Abs(d)), value})
		}
	}
	if n := float64(len(s.human)); n > 1 {
		r.pairs[k] = n * (n - 1) / 2
		r.value[k] = r.of(k)
		r.total += r.value[k]
		r.groups++
	}
	return all
}

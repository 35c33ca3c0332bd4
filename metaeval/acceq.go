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

// CalibrateTies finds the epsilon for which AccEq is best, the least of those, and the
// AccEq that it gives (tie calibration, Deutsch, Foster and Freitag 2023). One epsilon holds
// for all groups. It is 0 or a difference of two of the metric's scores.
//
// As epsilon is chosen on the data that it is used for, metrics are compared fairly only
// if each is calibrated on the same.
//
// It takes O(p log p) for p pairs, and 32 bytes for each of those whose verdict depends
// on epsilon.
func CalibrateTies(human *Scores, m Metric, g Grouping) (epsilon float64, a Agreement, err error) {
	if err := aligned(human, m); err != nil {
		return 0, Agreement{}, err
	}
	groups, err := differing(human, m, g)
	if err != nil {
		return 0, Agreement{}, err
	}
	c, err := newCalibration(groups)
	if err != nil {
		return 0, Agreement{}, fmt.Errorf("metaeval: %s: %w", m.Name, err)
	}
	epsilon = c.best()
	a, err = accEq(groups, m.Name, epsilon)
	return epsilon, a, err
}

// A calibration is what becomes right, or wrong, once epsilon reaches a difference. Groups
// of the same number of pairs weigh the same, so their counts are added up: sums of whole
// numbers have no rounding that could depend on the order.
type calibration struct {
	right   []int64 // at epsilon, by size of the groups
	weight  []float64
	changes []keyed // of a difference; the place of the size, and whether a pair becomes right
}

func newCalibration(groups []group) (*calibration, error) {
	c := &calibration{}
	size := make(map[int]int) // of a group, to its place
	total := 0
	for _, s := range groups {
		n := len(s.human)
		if _, ok := size[n]; n >= 2 && !ok {
			size[n] = len(c.right)
			c.right = append(c.right, 0)
			c.weight = append(c.weight, 2/(float64(n)*float64(n-1)))
		}
		s.pairs(func(human int, difference float64) {
			if gains, loses := verdict(human, difference); gains || loses {
				total++
			}
		})
	}
	if uint64(total) > math.MaxUint32 {
		return nil, fmt.Errorf("calibration on %d pairs", total)
	}
	changes := make([]keyed, 0, total)
	for _, s := range groups {
		at := size[len(s.human)]
		s.pairs(func(human int, difference float64) {
			key := math.Float64bits(math.Abs(difference))
			switch gains, loses := verdict(human, difference); {
			case gains:
				changes = append(changes, keyed{key, uint64(at)<<1 | 1})
			case loses:
				c.right[at]++
				changes = append(changes, keyed{key, uint64(at) << 1})
			case human == 1:
				c.right[at]++
			}
		})
	}
	c.changes, _ = sortKeyed(changes, make([]keyed, len(changes)))
	return c, nil
}

func (c *calibration) accuracy() float64 {
	sum := 0.0
	for at, n := range c.right {
		sum += float64(n) * c.weight[at]
	}
	return sum
}

// best returns the least epsilon with the best accuracy. It can be called once.
func (c *calibration) best() (epsilon float64) {
	best, changes := c.accuracy(), c.changes
	for lo := 0; lo < len(changes); {
		key := changes[lo].key
		gains := false
		for ; lo < len(changes) && changes[lo].key == key; lo++ {
			at := changes[lo].value >> 1
			if changes[lo].value&1 == 1 {
				c.right[at]++
				gains = true
			} else {
				c.right[at]--
			}
		}
		if !gains {
			continue
		}
		// Better by more than rounding.
		if sum := c.accuracy(); sum > best+1e-9 {
			best, epsilon = sum, math.Float64frombits(key)
		}
	}
	return epsilon
}

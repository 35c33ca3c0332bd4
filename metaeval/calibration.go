package metaeval

import (
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
// It takes O(p log p) for p pairs of scores, at most 2³². They are sorted in parts, so that it
// takes some 300 MB, or 32 bytes for each of the pairs of most equal differences if that is more.
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
	if n := pairsOf(groups); n > math.MaxUint32 || len(groups) >= 1<<groupBits {
		return 0, Agreement{}, fmt.Errorf("metaeval: %s: calibration on %d pairs, more than 2³²: calibrate by item, or on fewer segments", m.Name, n)
	}
	epsilon = bestEpsilon(groups, tau, pairsAtOnce)
	a, err = accEq(groups, m.Name, epsilon)
	return epsilon, a, err
}

func pairsOf(groups []group) uint64 {
	total := uint64(0)
	for _, s := range groups {
		n := uint64(len(s.human))
		total += n * (max(n, 1) - 1) / 2
	}
	return total
}

// pairsAtOnce is how many pairs are sorted at once, of 32 bytes each.
const pairsAtOnce = 1 << 23

// A keyRange is how many keys there are up to one, the last, and beyond that of the range
// before.
type keyRange struct {
	last uint64
	n    int
}

// keyRanges parts the keys of all pairs into ranges of about most, or of those that share their
// upper bits.
func keyRanges(groups []group, most int) []keyRange {
	if total := pairsOf(groups); total <= uint64(most) {
		return []keyRange{{math.MaxUint64, int(total)}}
	}
	const shift = 44 // keys of floats share their lower bits or little
	counts := make([]uint32, 1<<(64-shift))
	for _, s := range groups {
		for i, m := range s.metric {
			for _, x := range s.metric[i+1:] {
				counts[math.Float64bits(math.Abs(m-x))>>shift]++
			}
		}
	}
	var out []keyRange
	n := 0
	for at, count := range counts {
		if n > 0 && n+int(count) > most {
			out = append(out, keyRange{uint64(at)<<shift - 1, n})
			n = 0
		}
		n += int(count)
	}
	return append(out, keyRange{math.MaxUint64, n})
}

// buffers are two that hold the pairs of any range, and one more.
func buffers(ranges []keyRange) (a, b []keyed) {
	n := 0
	for _, r := range ranges {
		n = max(n, r.n)
	}
	return make([]keyed, n+1), make([]keyed, n+1)
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

// bestEpsilon is the epsilon at which the running sum is highest, the first such.
func bestEpsilon(groups []group, tau bool, most int) (epsilon float64) {
	r := &running{right: make([]float64, len(groups)), pairs: make([]float64, len(groups)), value: make([]float64, len(groups)), tau: tau}
	for k, s := range groups {
		r.start(k, s)
	}
	ranges := keyRanges(groups, most)
	changes, scratch := buffers(ranges)
	best := math.Inf(-1)
	first, at := uint64(0), uint64(0) // at is the threshold's bits
	for _, part := range ranges {
		changes = changes[:cap(changes)]
		n := 0
		for k, s := range groups {
			n = s.within(changes, n, k, first, part.last)
		}
		first = part.last + 1
		changes, scratch = sortKeyed(changes[:n], scratch[:n])
		for _, p := range changes {
			if p.key != at {
				if v := r.total / r.groups; v > best {
					best, epsilon = v, math.Float64frombits(at)
				}
				at = p.key
			}
			r.change(int(p.value>>changeBits&(1<<groupBits-1)), float64(p.value&(1<<changeBits-1))-1)
		}
	}
	if r.total/r.groups > best {
		epsilon = math.Float64frombits(at)
	}
	return epsilon
}

// start counts a group's right pairs at epsilon 0.
func (r *running) start(k int, s group) {
	n := float64(len(s.human))
	if n < 2 {
		return
	}
	right, _ := s.agreeing(0)
	r.right[k] = float64(right)
	r.pairs[k] = n * (n - 1) / 2
	r.value[k] = r.of(k)
	r.total += r.value[k]
	r.groups++
}

// within puts the pairs of a group, the k-th, whose differences are from first to last behind
// the n that are there, in the order in which mt-metrics-eval has them, and returns how many
// there are then. There must be room for one more. No branch depends on a score, which would
// take longer than what is done in vain.
func (s group) within(changes []keyed, n, k int, first, last uint64) int {
	one := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	for i, h := range s.human {
		m := s.metric[i]
		later := s.metric[i+1:]
		for j, x := range s.human[i+1:] {
			d := m - later[j]
			key := math.Float64bits(math.Abs(d))
			tied, right := one(h == x), one((h > x) == (d > 0))&one((h < x) == (d < 0))
			changes[n] = keyed{key, uint64(n)<<(groupBits+changeBits) | uint64(k)<<changeBits | (1 + tied - right)}
			n += int(one(key-first <= last-first))
		}
	}
	return n
}

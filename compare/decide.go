package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// A Decision says which segments decide between two systems.
type Decision struct {
	// A is the system with the better mean, or the one named first.
	A, B string
	// Segments that both have scores of, those first on which the systems are furthest
	// apart; of equal ones, that which the metric has first.
	Segments []Decided
	// Difference of the means, 0 or above.
	Difference float64
	// Needed is the least number of segments without which A is no longer the better one:
	// those that speak most for it. It is 0 where the means are equal.
	Needed int
}

// A Decided segment, and what the systems have there.
type Decided struct {
	Item string
	A, B float64
	// Difference is above 0 where A is better, for an error metric too. The difference of the
	// means is the mean of these.
	Difference float64
}

// Decide compares two systems of a metric segment by segment, on those that both have scores of.
func Decide(m metaeval.Metric, a, b string) (*Decision, error) {
	if m.Scores == nil {
		return nil, fmt.Errorf("compare: metric %q has no scores", m.Name)
	}
	for _, name := range []string{a, b} {
		if !slices.Contains(m.Scores.Systems, name) {
			return nil, fmt.Errorf("compare: metric %q has no system %q", m.Name, name)
		}
	}
	if a == b {
		return nil, fmt.Errorf("compare: system %q is to be compared with itself", a)
	}
	two, err := m.Scores.Select([]string{a, b}, m.Scores.Items)
	if err != nil {
		return nil, fmt.Errorf("compare: metric %q: %w", m.Name, err)
	}
	c, err := newContest(metaeval.Metric{Name: m.Name, Scores: two, LowerIsBetter: m.LowerIsBetter})
	if err != nil {
		return nil, err
	}
	first, second := 0, 1
	if c.ahead(0, 1) == 0 && c.systems[0] != a {
		first, second = 1, 0
	}
	d := &Decision{A: c.systems[first], B: c.systems[second], Difference: c.ahead(first, second)}
	for at, i := range c.items {
		row := c.of(at)
		d.Segments = append(d.Segments, Decided{two.Items[i], row[first], row[second], c.up(row[first] - row[second])})
	}
	if d.Difference > 0 {
		d.Needed = needed(d.Segments, rounding(c.sizes[0], c.sizes[1]))
	}
	slices.SortStableFunc(d.Segments, func(x, y Decided) int {
		return cmp.Compare(math.Abs(y.Difference), math.Abs(x.Difference))
	})
	return d, nil
}

// needed counts from the largest difference how many it takes to have none left, or no more than
// comes of rounding.
func needed(segments []Decided, rounding float64) int {
	sorted := slices.SortedFunc(slices.Values(segments), func(x, y Decided) int { return cmp.Compare(y.Difference, x.Difference) })
	// What is left without the first ones is added up from the other end, so that
	// nothing is left of equal scores.
	left := 0.0
	for n := len(sorted) - 1; n >= 0; n-- {
		left += sorted[n].Difference
		if left > rounding {
			return n + 1
		}
	}
	return 0
}

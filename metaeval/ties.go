package metaeval

import (
	"fmt"
	"math"
)

// IdenticalPairs returns the pairs of which people found one better, although the texts
// are the same (Tables 1 and 2 of the paper). With identical nil it is not known of any.
func IdenticalPairs(pairs []Pair, identical func(item, a, b int) bool) []Pair {
	var out []Pair
	for _, p := range pairs {
		if p.Human != 0 && identical != nil && identical(p.Item, p.A, p.B) {
			out = append(out, p)
		}
	}
	return out
}

// TieCounts says how many pairs have identical texts, and how many a metric ties
// (Table 3 of the paper).
type TieCounts struct {
	Pairs, Identical int64
	// Metrics, in the order given.
	Metrics []MetricTies
}

// MetricTies are a metric's ties.
type MetricTies struct {
	Name string
	// Ties is how many pairs have equal scores, Identical how many of these have
	// identical texts, and Missing how many pairs lack a score.
	Ties, Identical, Missing int64
}

// CountTies counts identical texts and metrics' ties among pairs. With identical nil
// they are not known, and their number is 0.
func CountTies(pairs []Pair, identical func(item, a, b int) bool, metrics []Metric) (*TieCounts, error) {
	t := &TieCounts{Pairs: int64(len(pairs))}
	same := make([]bool, len(pairs))
	for i, p := range pairs {
		same[i] = identical != nil && identical(p.Item, p.A, p.B)
		if same[i] {
			t.Identical++
		}
	}
	for _, m := range metrics {
		ties := MetricTies{Name: m.Name}
		if err := m.Scores.checkValues(); err != nil {
			return nil, fmt.Errorf("metaeval: %s: %w", m.Name, err)
		}
		for i, p := range pairs {
			if err := m.Scores.checkPair(p); err != nil {
				return nil, fmt.Errorf("metaeval: %s: pair %d: %w", m.Name, i+1, err)
			}
			a, b := m.Scores.At(p.A, p.Item), m.Scores.At(p.B, p.Item)
			switch {
			case math.IsNaN(a) || math.IsNaN(b):
				ties.Missing++
			case a == b:
				ties.Ties++
				if same[i] {
					ties.Identical++
				}
			}
		}
		t.Metrics = append(t.Metrics, ties)
	}
	return t, nil
}

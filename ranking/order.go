package ranking

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
)

// A Human score of a system, more is better.
type Human struct {
	System string
	Score  float64
}

// HumanOf returns the means of systems over the items that have a score, in the order of
// s.Systems, without the systems that have none: of a table of systems, on one item, the
// scores as they are. It is nil if s is.
func HumanOf(s *metaeval.Scores) []Human {
	if s == nil {
		return nil
	}
	var out []Human
	for k, mean := range s.SystemMeans() {
		if !math.IsNaN(mean) {
			out = append(out, Human{s.Systems[k], mean})
		}
	}
	return out
}

// An Order is the one that people's scores make of systems.
type Order struct {
	// Systems are the indices of those with a human score, best first, equal ones as
	// their scores stood.
	Systems []int
	Human   []float64 // the scores of Systems
	// Unscored are the indices of the systems without one, in the order they were given.
	Unscored []int
	// Missing names the systems with a human score that were not given.
	Missing []string
}

// NewOrder puts systems into the order of human scores, which may be none. A second score
// of a system, one that is not finite, scores that are all of other systems, and two systems
// of a name are errors.
func NewOrder(systems []string, human []Human) (*Order, error) {
	index := make(map[string]int, len(systems))
	for k, name := range systems {
		if _, ok := index[name]; ok {
			return nil, fmt.Errorf("ranking: two systems are called %s", name)
		}
		index[name] = k
	}
	o := new(Order)
	scores := make([]float64, len(systems))
	seen := make(map[string]bool, len(human))
	for _, h := range human {
		if seen[h.System] {
			return nil, fmt.Errorf("ranking: two human scores of %s", h.System)
		}
		seen[h.System] = true
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
			return nil, fmt.Errorf("ranking: human score %v of %s", h.Score, h.System)
		}
		if k, ok := index[h.System]; ok {
			o.Systems = append(o.Systems, k)
			scores[k] = h.Score
		} else {
			o.Missing = append(o.Missing, h.System)
		}
	}
	if len(human) > 0 && len(o.Systems) == 0 {
		return nil, errors.New("ranking: no human score is of any of the systems")
	}
	slices.SortStableFunc(o.Systems, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, k := range o.Systems {
		o.Human = append(o.Human, scores[k])
	}
	for k, name := range systems {
		if !seen[name] {
			o.Unscored = append(o.Unscored, k)
		}
	}
	return o, nil
}

// Best returns the k best of the systems by human score, in the order they were given, and
// the human scores without those of the other systems, which are then not worth the work of
// scoring them. It is an error if fewer than k have a score.
func Best(systems []mteval.System, human []Human, k int) ([]mteval.System, []Human, error) {
	names := make([]string, len(systems))
	for i, s := range systems {
		names[i] = s.Name
	}
	o, err := NewOrder(names, human)
	if err != nil {
		return nil, nil, err
	}
	if k < 1 || k > len(o.Systems) {
		return nil, nil, fmt.Errorf("ranking: no top %d of %d systems with a human score", k, len(o.Systems))
	}
	left := make(map[string]bool) // out
	best := make([]mteval.System, 0, k)
	for i, s := range systems {
		if left[s.Name] = !slices.Contains(o.Systems[:k], i); !left[s.Name] {
			best = append(best, s)
		}
	}
	scores := make([]Human, 0, len(human))
	for _, h := range human {
		if !left[h.System] {
			scores = append(scores, h)
		}
	}
	return best, scores, nil
}

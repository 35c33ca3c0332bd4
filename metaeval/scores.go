package metaeval

import (
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/moments"
)

// Scores are the scores of systems on items: segments, or documents. A missing one
// is NaN.
type Scores struct {
	Systems, Items []string
	Values         []float64 // [system*len(Items)+item]
}

// NewScores returns scores that are all missing. It keeps systems and items.
func NewScores(systems, items []string) *Scores {
	s := &Scores{Systems: systems, Items: items, Values: make([]float64, len(systems)*len(items))}
	for i := range s.Values {
		s.Values[i] = math.NaN()
	}
	return s
}

// At returns the score of a system on an item, NaN where it is missing. It panics if there
// is no such value: see Check.
func (s *Scores) At(system, item int) float64 { return s.Values[system*len(s.Items)+item] }

// Set sets the score of a system on an item; NaN makes it missing. It panics as At does.
func (s *Scores) Set(system, item int, v float64) { s.Values[system*len(s.Items)+item] = v }

// Present returns how many scores there are.
func (s *Scores) Present() int {
	n := 0
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// SystemMeans returns each system's mean over the items that have a score, NaN for a
// system that has none. It is within the scores: that of equal ones is what they are.
// Values that are not there count as missing.
func (s *Scores) SystemMeans() []float64 {
	return systemMeans(s.Values, len(s.Systems), len(s.Items))
}

func systemMeans(values []float64, systems, items int) []float64 {
	out := make([]float64, systems)
	for k := range out {
		row := values[min(k*items, len(values)):]
		out[k] = moments.Mean(row[:min(items, len(row))])
	}
	return out
}

// Check returns an error for what scores can't be: nil, a value that is infinite, a number
// of values other than systems times items, or a name that stands twice.
func (s *Scores) Check() error {
	if err := s.checkValues(); err != nil {
		return fmt.Errorf("metaeval: %w", err)
	}
	if _, err := index("systems", s.Systems); err != nil {
		return err
	}
	_, err := index("items", s.Items)
	return err
}

// checkValues returns errors without the package's name, for callers to put before more.
func (s *Scores) checkValues() error {
	if s == nil {
		return errors.New("no scores: they are nil")
	}
	if n := len(s.Systems) * len(s.Items); len(s.Values) != n {
		return fmt.Errorf("%d values for %d systems on %d items", len(s.Values), len(s.Systems), len(s.Items))
	}
	for i, v := range s.Values {
		if math.IsInf(v, 0) {
			return fmt.Errorf("the score of system %s on item %s is %v", s.Systems[i/len(s.Items)], s.Items[i%len(s.Items)], v)
		}
	}
	return nil
}

// index maps names to their places.
func index(kind string, names []string) (map[string]int, error) {
	at := make(map[string]int, len(names))
	for i, name := range names {
		if _, ok := at[name]; ok {
			return nil, fmt.Errorf("metaeval: two %s are called %q", kind, name)
		}
		at[name] = i
	}
	return at, nil
}

// Select returns the scores of the given systems on the given items, in this order:
// what s has not is missing. It is how a metric's scores are brought into the order
// of people's, and how systems are left out. The error is Check's.
func (s *Scores) Select(systems, items []string) (*Scores, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	system, _ := index("", s.Systems)
	item, _ := index("", s.Items)
	out := NewScores(systems, items)
	for k, name := range systems {
		from, ok := system[name]
		if !ok {
			continue
		}
		for i, name := range items {
			if at, ok := item[name]; ok {
				out.Set(k, i, s.At(from, at))
			}
		}
	}
	return out, nil
}

// A Pair is one comparison of two systems' outputs for an item: Human says how A
// compares with B. Item, A and B are indices into a Scores' Items and Systems.
type Pair struct {
	Item, A, B int
	Human      int8 // +1: A is better, 0: a tie, −1: B is better
}

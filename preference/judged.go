package preference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Set is systems that people judged, of one language pair as a rule, and what metrics say of
// them.
type Set struct {
	Name string
	// Campaign is what it was judged in, with others: their texts, systems and judges are not
	// independent, so that they are left out together. That of sets without is one, too.
	Campaign string
	// Human scores by system, in the order of the evidence, more is better; NaN: none.
	Human []float64
	// Evidence of the metrics, the same in all sets, in the same order.
	Evidence []*Evidence
}

// data are the pairs of all sets.
type data struct {
	sets    []Set
	metrics []Metric
	terms   []Choice
	pairs   []judgedPair
	counts  []int // of pairs, by set
}

// A judgedPair is one that people scored differently.
type judgedPair struct {
	set   int
	human float64   // 1 or −1
	clear bool      // their scores differ by more than a quarter of the set's standard deviation
	z     []float64 // by metric
}

func newData(ctx context.Context, sets []Set, o FitOptions) (*data, error) {
	if len(sets) == 0 {
		return nil, errors.New("preference: no judged sets to fit to")
	}
	d := &data{sets: sets, terms: slices.Clone(o.Terms), counts: make([]int, len(sets))}
	seen := make(map[string]bool)
	for i := range sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := &sets[i]
		if seen[s.Name] {
			return nil, fmt.Errorf("preference: two sets are called %s", s.Name)
		}
		seen[s.Name] = true
		if err := d.add(i, s); err != nil {
			return nil, fmt.Errorf("preference: %s: %w", s.Name, err)
		}
	}
	if len(d.pairs) == 0 {
		return nil, errors.New("preference: no pair of systems that people scored differently")
	}
	if len(d.terms) == 0 {
		for m := range d.metrics {
			shape := Log
			if m == 0 {
				shape = Linear
			}
			d.terms = append(d.terms, Choice{m, shape})
		}
	}
	for _, t := range d.terms {
		if t.Evidence < 0 || t.Evidence >= len(d.metrics) || t.Shape < Linear || t.Shape > Log {
			return nil, fmt.Errorf("preference: no term of evidence %d and shape %v, of %d metrics", t.Evidence, t.Shape, len(d.metrics))
		}
	}
	return d, nil
}

// add adds the pairs of a set.
func (d *data) add(i int, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := d.addMetrics(s.Evidence); err != nil {
		return err
	}
	systems := s.Evidence[0].Systems
	order := make([]int, len(systems)) // by name, so that nothing depends on how they stand
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(systems[a], systems[b]) })
	least := leastClear(s.Human)
	for place, a := range order {
		for _, b := range order[:place] {
			h, g := s.Human[a], s.Human[b]
			if math.IsNaN(h) || math.IsNaN(g) || h == g {
				continue
			}
			p := judgedPair{set: i, human: 1, clear: math.Abs(h-g) > least, z: make([]float64, len(s.Evidence))}
			if h < g {
				p.human = -1
			}
			for m, e := range s.Evidence {
				p.z[m] = e.Z[a][b]
			}
			d.pairs = append(d.pairs, p)
			d.counts[i]++
		}
	}
	return nil
}

// check refuses what is no judged set.
func (s *Set) check() error {
	if len(s.Evidence) == 0 {
		return errors.New("no evidence")
	}
	for _, e := range s.Evidence {
		if err := e.check(s.Evidence[0]); err != nil {
			return err
		}
	}
	if systems := len(s.Evidence[0].Systems); len(s.Human) != systems {
		return fmt.Errorf("%d human scores of %d systems", len(s.Human), systems)
	}
	if len(s.Human) < 2 {
		return fmt.Errorf("%d systems, want two at least", len(s.Human))
	}
	for k, v := range s.Human {
		if !(math.Abs(v) <= maxHuman) && v == v {
			return fmt.Errorf("the human score of %s is %v, want within ±%g", s.Evidence[0].Systems[k], v, maxHuman)
		}
	}
	return nil
}

// maxHuman bounds people's scores: squares of them are finite.
const maxHuman = 1e100

// addMetrics adds what the signatures of a set are.
func (d *data) addMetrics(evidence []*Evidence) error {
	if d.metrics == nil {
		for _, e := range evidence {
			d.metrics = append(d.metrics, fitted(e))
		}
		return nil
	}
	if len(evidence) != len(d.metrics) {
		return fmt.Errorf("evidence of %d metrics, %d in the first set", len(evidence), len(d.metrics))
	}
	for m, e := range evidence {
		if !d.metrics[m].add(fitted(e)) {
			return fmt.Errorf("metric %d is %s with signature %s, and another one in the first set", m+1, e.Metric, e.Signature)
		}
	}
	return nil
}

// leastClear is the difference above which people's scores of two systems differ clearly: a
// quarter of the standard deviation of all that are there. Scores are added up in order of size,
// so that it does not depend on that of the systems.
func leastClear(human []float64) float64 { return deviation(slices.Sorted(slices.Values(human))) / 4 }

// deviation is the standard deviation of the scores that are there.
func deviation(scores []float64) float64 {
	n, mean := 0.0, 0.0
	for _, v := range scores {
		if v == v {
			n++
			mean += (v - mean) / n
		}
	}
	if n < 2 {
		return 0
	}
	squares := 0.0
	for _, v := range scores {
		if v == v {
			squares += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(squares / (n - 1))
}

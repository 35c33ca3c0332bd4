package meta

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// People is what people said of systems' outputs. One of Scores, Pairs and Systems is there
// at least.
type People struct {
	// Scores of segments, and how many judgements each of them rests on, of the same systems
	// and segments in the same order; nil if that is not known.
	Scores, Judgements *metaeval.Scores
	// Pairs of outputs that people compared. Segments takes them rather than Scores.
	Pairs *human.Pairs
	// Systems has scores of systems, on one item, which Systems takes rather than those of
	// segments, or pairs.
	Systems *metaeval.Scores
}

// A Candidate is a metric that is judged. It must have a name, which is its own.
type Candidate struct {
	metaeval.Metric
	// SystemsOnly says that the scores are of systems: that the one item stands for all of
	// a system's outputs.
	SystemsOnly bool
	// Segments has scores of segments beside those of systems, which soft pairwise accuracy
	// is of; nil: there are none.
	Segments *metaeval.Scores
}

// Options of what is compared, of intervals and of tests. The zero value is all systems, 1,000
// samples and a level of 0.05.
type Options struct {
	// Exclude says which systems are left out, of people's and of metrics' scores; nil: none.
	Exclude func(system string) bool
	// NoTests leaves out intervals, tests, and what else needs samples of Seed.
	NoTests bool
	// Samples of the bootstrap, and permutations; 0 is 1,000.
	Samples int
	// Seed of the samples; 0 is 12345.
	Seed uint64
	// Alpha is the level of significance, between 0 and 1; 0 is 0.05.
	Alpha float64
	// Workers bounds the goroutines; 0 is GOMAXPROCS.
	Workers int
}

// set fills in what is left 0.
func (o *Options) set() error {
	if o.Samples == 0 {
		o.Samples = 1000
	}
	if o.Samples < 0 {
		return fmt.Errorf("meta: %d samples", o.Samples)
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	if o.Alpha == 0 {
		o.Alpha = .05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("meta: a level of significance of %v: it is above 0 and below 1", o.Alpha)
	}
	return nil
}

func (o *Options) significance() significance.Options {
	return significance.Options{Samples: o.Samples, Seed: o.Seed, Workers: o.Workers}
}

// take returns what is left of people and metrics without the systems that are excluded, and
// an error for what can't be, and for a context that is cancelled already.
func take(ctx context.Context, people People, metrics []Candidate, excluded func(system string) bool) (People, []Candidate, error) {
	if err := cmp.Or(people.check(), checkMetrics(metrics), ctx.Err()); err != nil {
		return People{}, nil, err
	}
	return exclude(people, metrics, excluded)
}

func (p *People) check() error {
	if p.Scores == nil && p.Pairs == nil && p.Systems == nil {
		return errors.New("meta: people said nothing: give scores, pairs, or scores of systems")
	}
	if p.Judgements != nil && p.Scores == nil {
		return errors.New("meta: people's judgements have no scores that rest on them")
	}
	for _, t := range []struct {
		name   string
		scores *metaeval.Scores
	}{{"scores", p.Scores}, {"numbers of judgements", p.Judgements}, {"scores of systems", p.Systems}} {
		if t.scores == nil {
			continue
		}
		if err := t.scores.Check(); err != nil {
			return fmt.Errorf("meta: people's %s: %w", t.name, err)
		}
	}
	if n := p.Judgements; n != nil && !(slices.Equal(n.Systems, p.Scores.Systems) && slices.Equal(n.Items, p.Scores.Items)) {
		return fmt.Errorf("meta: people's numbers of judgements: %w", metaeval.ErrMismatch)
	}
	if p.Systems != nil && len(p.Systems.Items) != 1 {
		return fmt.Errorf("meta: people's scores of systems are on %d items, not one", len(p.Systems.Items))
	}
	if p.Pairs != nil {
		if _, err := p.Pairs.Counts(); err != nil { // which looks at each of them
			return fmt.Errorf("meta: people's pairs: %w", err)
		}
		for _, named := range []*metaeval.Scores{{Systems: p.Pairs.Systems}, {Items: p.Pairs.Items}} {
			if err := named.Check(); err != nil {
				return fmt.Errorf("meta: people's pairs: %w", err)
			}
		}
	}
	return nil
}

// checkMetrics returns an error for metrics that can't be, or have no name or the same.
func checkMetrics(ms []Candidate) error {
	if len(ms) == 0 {
		return errors.New("meta: no metric")
	}
	called := make(map[string]bool)
	for i, m := range ms {
		if m.Name == "" {
			return fmt.Errorf("meta: metric %d has no name", i+1)
		}
		if called[m.Name] {
			return fmt.Errorf("meta: two metrics are called %q", m.Name)
		}
		called[m.Name] = true
		if err := m.Scores.Check(); err != nil {
			return fmt.Errorf("meta: %s: %w", m.Name, err)
		}
		if m.SystemsOnly && len(m.Scores.Items) != 1 {
			return fmt.Errorf("meta: %s: scores of systems are on %d items, not one", m.Name, len(m.Scores.Items))
		}
		if m.Segments == nil {
			continue
		}
		if !m.SystemsOnly {
			return fmt.Errorf("meta: %s has scores of segments twice: as Scores, and as Segments beside scores of systems", m.Name)
		}
		if err := m.Segments.Check(); err != nil {
			return fmt.Errorf("meta: %s, scores of segments: %w", m.Name, err)
		}
	}
	return nil
}

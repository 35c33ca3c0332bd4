package metaeval

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/names"
)

// A Metric is a metric's scores and their direction.
type Metric struct {
	Name   string
	Scores *Scores
	// LowerIsBetter is true for an error metric.
	LowerIsBetter bool
}

// ErrMismatch is returned for scores of other systems or items than people's, or in
// another order. Scores.Select brings them into it.
var ErrMismatch = errors.New("scores are not of the systems and items of the human scores, in this order")

var errNoCorrelation = errors.New("metaeval: no correlation: it is nil")

// aligned checks both, and that they are of the same systems and items.
func aligned(human *Scores, m Metric) error {
	if err := human.checkValues(); err != nil {
		return fmt.Errorf("metaeval: human scores: %w", err)
	}
	if err := m.Scores.checkValues(); err != nil {
		return fmt.Errorf("metaeval: %s: %w", m.Name, err)
	}
	if !slices.Equal(human.Systems, m.Scores.Systems) || !slices.Equal(human.Items, m.Scores.Items) {
		return fmt.Errorf("metaeval: %s: %w", m.Name, ErrMismatch)
	}
	return nil
}

// A Grouping says what a segment-level measure is taken over: everything at once, or
// each group apart, and then averaged (Deutsch et al. 2023).
type Grouping int

const (
	// NoGrouping takes all scores of all systems together.
	NoGrouping Grouping = iota
	// ByItem compares the systems on each item.
	ByItem
	// BySystem compares the items of each system.
	BySystem
)

var groupings = [...]string{NoGrouping: "none", ByItem: "item", BySystem: "system"}

// String is "none", "item" or "system".
func (g Grouping) String() string { return names.Of("Grouping", groupings[:], g) }

// Agreement is how far a metric agrees with people.
type Agreement struct {
	// Value is the mean over Groups groups; without grouping there is one.
	Value  float64
	Groups int
	// Undefined are the groups for which the measure is not defined, by index into
	// Items or Systems. They are left out.
	Undefined []int
	// Missing is how many scores are left out because people or the metric have none:
	// of systems at system level, of systems on items at segment level.
	Missing int
}

// SystemLevel is the correlation of a metric's scores of systems with people's: of the
// means over the items that each has scores for, so a metric with one item gives its own
// score of a system. The items can be others than people's, the systems can't. An error
// metric's scores are negated. It wraps ErrUndefined where there is no correlation, and
// ErrMismatch.
func SystemLevel(human *Scores, m Metric, f Correlation) (Agreement, error) {
	if f == nil {
		return Agreement{}, errNoCorrelation
	}
	h, s, err := systemScores(human, m)
	if err != nil {
		return Agreement{}, err
	}
	x, y, missing := paired(h, s)
	v, err := f(x, y)
	if err != nil {
		return Agreement{}, fmt.Errorf("metaeval: %s: %w", m.Name, err)
	}
	return Agreement{Value: v, Groups: 1, Missing: missing}, nil
}

// systemScores returns people's scores of systems, and the metric's such that more is
// better, both perhaps times a power of two.
func systemScores(human *Scores, m Metric) (h, s []float64, err error) {
	if err := human.checkValues(); err != nil {
		return nil, nil, fmt.Errorf("metaeval: human scores: %w", err)
	}
	if err := m.Scores.checkValues(); err != nil {
		return nil, nil, fmt.Errorf("metaeval: %s: %w", m.Name, err)
	}
	if !slices.Equal(human.Systems, m.Scores.Systems) {
		return nil, nil, fmt.Errorf("metaeval: %s: %w", m.Name, ErrMismatch)
	}
	// Of tame values, as the means of numbers next to 0 would be rounded to equal ones.
	h = systemMeans(moments.Tame(human.Values), len(human.Systems), len(human.Items))
	s = systemMeans(moments.Tame(m.Scores.Values), len(m.Scores.Systems), len(m.Scores.Items))
	return h, Oriented(s, m.LowerIsBetter), nil
}

// SegmentLevel is the correlation of a metric's scores of segments with people's, or the
// mean of it over groups. An error metric's scores are negated. It wraps ErrUndefined
// where no group has a correlation, and ErrMismatch.
func SegmentLevel(human *Scores, m Metric, g Grouping, f Correlation) (Agreement, error) {
	if f == nil {
		return Agreement{}, errNoCorrelation
	}
	if err := aligned(human, m); err != nil {
		return Agreement{}, err
	}
	groups, err := grouped(human, m, g)
	if err != nil {
		return Agreement{}, err
	}
	var a Agreement
	sum := 0.0
	for i, s := range groups {
		a.Missing += s.missing
		v, err := f(s.human, s.metric)
		switch {
		case err == nil:
			sum += v
			a.Groups++
		case errors.Is(err, ErrUndefined):
			a.Undefined = append(a.Undefined, i)
			if len(groups) == 1 {
				return Agreement{}, fmt.Errorf("metaeval: %s: %w", m.Name, err)
			}
		default:
			return Agreement{}, fmt.Errorf("metaeval: %s, %s %d: %w", m.Name, g, i+1, err)
		}
	}
	if a.Groups == 0 {
		return Agreement{}, fmt.Errorf("metaeval: %s: the correlation is %w for every %s", m.Name, ErrUndefined, g)
	}
	a.Value = sum / float64(a.Groups)
	return a, nil
}

// A group of scores that are compared with one another.
type group struct {
	human, metric []float64 // the metric's, more is better
	missing       int
}

func grouped(human *Scores, m Metric, g Grouping) ([]group, error) {
	n := len(human.Items)
	metric := Oriented(m.Scores.Values, m.LowerIsBetter)
	var out []group
	add := func(h, s []float64) {
		x, y, missing := paired(h, s)
		out = append(out, group{x, y, missing})
	}
	switch g {
	case NoGrouping:
		add(human.Values, metric)
	case ByItem:
		h, s := make([]float64, len(human.Systems)), make([]float64, len(human.Systems))
		for i := range n {
			for k := range h {
				h[k], s[k] = human.Values[k*n+i], metric[k*n+i]
			}
			add(h, s)
		}
	case BySystem:
		for k := range human.Systems {
			add(human.Values[k*n:(k+1)*n], metric[k*n:(k+1)*n])
		}
	default:
		return nil, fmt.Errorf("metaeval: unknown grouping %d", int(g))
	}
	return out, nil
}

// paired returns copies of the values that both have.
func paired(human, metric []float64) (x, y []float64, missing int) {
	for i := range human {
		if math.IsNaN(human[i]) || math.IsNaN(metric[i]) {
			missing++
			continue
		}
		x = append(x, human[i])
		y = append(y, metric[i])
	}
	return x, y, missing
}

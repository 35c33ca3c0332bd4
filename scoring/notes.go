package scoring

import (
	"github.com/mteval/mteval"
)

// A Limit says in how many segments of a system's output a metric's search was ended by its
// limit, so that another score would have been possible.
type Limit struct {
	Metric, System string
	Segments       int
}

// Limits are those of all systems where a search was ended, of a metric with a limit, such as
// TER; nil: there is none.
func Limits(s mteval.Scorer, t *mteval.Table) []Limit {
	limited, ok := s.(interface{ Limited(row []float64) int })
	if !ok || t == nil {
		return nil
	}
	var out []Limit
	for k, name := range t.Systems {
		if n := limited.Limited(t.Sum(k)); n > 0 {
			out = append(out, Limit{t.Info.Name, name, n})
		}
	}
	return out
}

// Limits are those of all tables that the run made, in the order in which it made them.
func (r *Run) Limits() []Limit {
	var out []Limit
	for _, s := range r.scored {
		out = append(out, Limits(s.by, s.table)...)
	}
	return out
}

// A Level is a metric's level of segments, and how many of a system's are on it.
type Level struct {
	Name     string
	Segments int
}

// Levels are those of each system, from low to high, of a metric that puts segments on levels,
// such as multilevel's; nil: it does not.
func Levels(s mteval.Scorer, t *mteval.Table) [][]Level {
	leveled, ok := s.(interface {
		Levels() []string
		Counts(row []float64) []int
	})
	if !ok || t == nil {
		return nil
	}
	names := leveled.Levels()
	out := make([][]Level, len(t.Systems))
	for k := range out {
		for i, n := range leveled.Counts(t.Sum(k)) {
			out[k] = append(out[k], Level{names[i], n})
		}
	}
	return out
}

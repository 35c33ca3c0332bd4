package scoring

import "github.com/mteval/mteval"

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

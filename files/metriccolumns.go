package files

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/grid"
)

// parseSegmentColumns reads a table with a row for each output and a column for each metric.
// Columns of texts are passed over.
func parseSegmentColumns(s *source, by separator, system, segment int, header []string) ([]MetricScores, error) {
	var g grid.Grid
	var taken, at []int // columns, lines
	var values [][]float64
	started := false
	err := rows(s, by, func(r *row) error {
		if !started {
			started = true
			return nil
		}
		if len(r.fields) != len(header) {
			return r.errorf("%d columns, the header has %d", len(r.fields), len(header))
		}
		if err := r.named(system, segment); err != nil {
			return err
		}
		if at == nil {
			for c, field := range r.fields {
				if c == system || c == segment || header[c] == "" || !numeric(field) && !missing(field) {
					continue
				}
				taken = append(taken, c)
			}
			if len(taken) == 0 {
				return r.errorf("no column has a number: the header has %q", header)
			}
			values = make([][]float64, len(taken))
		}
		for k, c := range taken {
			v, err := r.score(c, header[c])
			if err != nil {
				return err
			}
			values[k] = append(values[k], v)
		}
		g.Add(r.fields[system], r.fields[segment])
		at = append(at, r.line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(at) == 0 {
		return nil, s.empty()
	}
	var out []MetricScores
	for k, c := range taken {
		if slices.ContainsFunc(out, func(m MetricScores) bool { return m.Name == header[c] }) {
			return nil, fmt.Errorf("%s: two columns are called %s", s.name, header[c])
		}
		if !slices.ContainsFunc(values[k], func(v float64) bool { return !math.IsNaN(v) }) {
			continue
		}
		scores, err := filled(s.name, &g, values[k], at)
		if err != nil {
			return nil, err
		}
		out = append(out, MetricScores{Name: header[c], Scores: scores})
	}
	if len(out) == 0 {
		return nil, s.empty()
	}
	return out, nil
}

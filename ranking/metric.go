package ranking

import (
	"context"
	"fmt"
	"math"

	"github.com/mteval/mteval"
)

// A FieldMetric scores any of a fixed set of systems.
type FieldMetric interface {
	// Info describes the metric.
	Info() mteval.Info
	// Scores returns the scores of the systems with these indices. Voters are
	// the systems of the field that they are compared in: a metric that
	// depends on the field, as a difficulty-aware one does, takes it from
	// them, others ignore them.
	Scores(ctx context.Context, systems, voters []int) ([]float64, error)
}

// FromTable is the metric of a table of rows, for which voters do not matter. Nil is a
// table without systems. It panics as t.Scores does.
func FromTable(t *mteval.Table) FieldMetric {
	if t == nil {
		t = &mteval.Table{}
	}
	return tableMetric{t, t.Scores()}
}

type tableMetric struct {
	t      *mteval.Table
	scores []float64
}

func (m tableMetric) Info() mteval.Info { return m.t.Info }

func (m tableMetric) Scores(_ context.Context, systems, _ []int) ([]float64, error) {
	out := make([]float64, len(systems))
	for i, k := range systems {
		if k < 0 || k >= len(m.scores) {
			return nil, fmt.Errorf("ranking: no system %d in a table of %d", k, len(m.scores))
		}
		out[i] = m.scores[k]
	}
	return out, nil
}

// scoresOf returns a metric's scores, one finite number for each system.
func scoresOf(ctx context.Context, m FieldMetric, systems, voters []int) ([]float64, error) {
	name := m.Info().Name
	got, err := m.Scores(ctx, systems, voters)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(got) != len(systems) {
		return nil, fmt.Errorf("%s: %d scores for %d systems", name, len(got), len(systems))
	}
	for _, x := range got {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s: a score is %v", name, x)
		}
	}
	return got, nil
}

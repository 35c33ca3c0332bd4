package preference

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

// Evidence is what one metric says of all pairs of systems.
type Evidence struct {
	// Metric is its name, and Signature what its scores depend on, the number of references
	// among it: a calibration is of signatures.
	Metric    string
	Signature mteval.Signature
	Systems   []string
	Segments  int
	// Z[a][b] is the difference of systems a and b in standard errors, positive where a is
	// better, for error metrics too: significance.PairedZ.
	Z [][]float64
}

// FromTable returns what a metric's rows say. The signature is the table's.
func FromTable(ctx context.Context, t *mteval.Table) (*Evidence, error) {
	if t == nil {
		return nil, errors.New("preference: no table: it is nil")
	}
	z, err := significance.PairedZ(ctx, t)
	if err != nil {
		return nil, err
	}
	return &Evidence{Metric: t.Info.Name, Signature: t.Info.Signature, Systems: t.Systems, Segments: t.Len(), Z: z}, nil
}

// check refuses what is no evidence on systems that come in this order.
func (e *Evidence) check(systems []string) error {
	if e == nil {
		return errors.New("preference: evidence that is nil")
	}
	if len(e.Systems) != len(systems) || len(e.Z) != len(systems) {
		return fmt.Errorf("preference: %s is of %d systems with %d rows of z, want %d", e.Metric, len(e.Systems), len(e.Z), len(systems))
	}
	for a, row := range e.Z {
		if e.Systems[a] != systems[a] {
			return fmt.Errorf("preference: system %d of %s is %s, that of others %s", a+1, e.Metric, e.Systems[a], systems[a])
		}
		if len(row) != len(systems) {
			return fmt.Errorf("preference: %s has %d z of %s, want %d", e.Metric, len(row), systems[a], len(systems))
		}
	}
	for a, row := range e.Z {
		for b, z := range row {
			if math.IsNaN(z) || math.IsInf(z, 0) || z != -e.Z[b][a] {
				return fmt.Errorf("preference: z of %s is %v for %s and %s, and %v the other way: want finite numbers with opposite signs", e.Metric, z, systems[a], systems[b], e.Z[b][a])
			}
		}
	}
	return nil
}

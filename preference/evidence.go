package preference

import (
	"context"
	"errors"

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
	// better, for error metrics too, and −Z[b][a]: significance.PairedZ.
	Z [][]float64
}

// FromTable returns what a metric's rows say. The signature is the table's. Errors are those of
// significance.PairedZ.
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

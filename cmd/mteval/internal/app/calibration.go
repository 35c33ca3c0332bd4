package app

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/preference"
)

// OpenCalibration returns the calibration of --calibration, or the embedded one if there is no
// path.
func OpenCalibration(ctx context.Context, path string) (*preference.Calibration, error) {
	if path == "" {
		return preference.Default(), nil
	}
	c, err := parallel.Await(ctx, func() (*preference.Calibration, error) { return preference.Open(path) })
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("--calibration: %w", err)
	}
	return c, err
}

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/preference"
)

// fewestPairs is how many judged pairs it takes for a share of them to be told: of less it is
// chance.
const fewestPairs = 10

// openCalibration returns the calibration of --calibration, or the embedded one if there is no
// path.
func openCalibration(ctx context.Context, path string) (*preference.Calibration, error) {
	if path == "" {
		return preference.Default(), nil
	}
	c, err := parallel.Await(ctx, func() (*preference.Calibration, error) { return preference.Open(path) })
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("--calibration: %w", err)
	}
	return c, err
}

// campaigns are those of a calibration's sets, by name.
func campaigns(c *preference.Calibration) []string {
	var out []string
	for _, s := range c.Sets {
		out = append(out, s.Campaign)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

package app

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// MetaOptions are the flags of meta.
type MetaOptions struct {
	Human, HumanSystem string
	HumanFormat        files.Form
	HumanScore         string
	Pair               string
	Scores             []string
	Level              string
	Kendall            []string
	Threshold          float64
	Directions         DirectionFlags
	Exclude            []string
	Outliers           bool
	Sweep              []float64
	Output, HTML       string
	Alpha              float64
	Samples            int
	Seed               uint64
	Tree               TreeOptions
	Tasks              string

	Set *pflag.FlagSet
	// beside is what the segments of scores are lined up with; nil: nothing.
	Beside *files.Segments
	// forms are those of kendall.
	Forms    []metaeval.KendallForm
	Grouping metaeval.Grouping
}

// ReadMetrics reads the metrics' scores.
func (a *App) ReadMetrics(ctx context.Context, o *MetaOptions) ([]meta.Candidate, error) {
	reading := a.Reading()
	reading.Beside = o.Beside
	ms, err := files.OpenMetricFiles(ctx, o.Scores, reading)
	if err != nil {
		return nil, Advise(err)
	}
	directed, err := a.Directed(&o.Directions, ms)
	if err != nil {
		return nil, err
	}
	var out []meta.Candidate
	for i, m := range ms {
		if m.SystemsOnly && o.Level == "segment" {
			return nil, fmt.Errorf("%s has scores of systems: --level segment needs those of segments", m.Name)
		}
		out = append(out, meta.Candidate{Metric: directed[i], SystemsOnly: m.SystemsOnly})
	}
	return out, nil
}

// TreeOptions are the flags of meta for a tree of mt-metrics-eval.
type TreeOptions struct {
	Dir, Set   string
	References []string
	Include    []string
	Domain, By string
	Metrics    []string
	Ratings    []string
	Weights    string
	Write      string
	Overwrite  bool
}

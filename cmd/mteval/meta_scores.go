package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// readMetrics reads the metrics' scores.
func (a *app) readMetrics(ctx context.Context, o *metaOptions) ([]meta.Candidate, error) {
	reading := a.reading()
	reading.Beside = o.beside
	ms, err := files.OpenMetricFiles(ctx, o.scores, reading)
	if err != nil {
		return nil, advise(err)
	}
	var out []meta.Candidate
	for _, m := range ms {
		if m.SystemsOnly && o.level == "segment" {
			return nil, fmt.Errorf("%s has scores of systems: --level segment needs those of segments", m.Name)
		}
		out = append(out, meta.Candidate{Metric: metaeval.Metric{Name: m.Name, Scores: m.Scores}, SystemsOnly: m.SystemsOnly})
	}
	return out, nil
}

// setNames checks the names that were given by those that there are, and sets which metrics
// are better where they are lower.
func (o *metaOptions) setNames(p *people, ms []meta.Candidate) error {
	var metrics []string
	systems := p.SystemNames()
	for _, m := range ms {
		metrics = append(metrics, m.Name)
		systems = append(systems, m.Scores.Systems...)
		if err := checkTwins("metric "+m.Name, m.Scores.Systems, "people's scores", p.SystemNames()); err != nil {
			return err
		}
	}
	if err := o.checkNames(metrics, unique(systems)); err != nil {
		return err
	}
	for i, m := range ms {
		ms[i].LowerIsBetter = slices.Contains(o.lower, m.Name)
	}
	if !slices.ContainsFunc(p.SystemNames(), func(s string) bool { return !o.excluded(s) }) {
		return errors.New("--exclude leaves no system")
	}
	return nil
}

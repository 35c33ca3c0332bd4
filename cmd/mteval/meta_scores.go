package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
)

// readMetrics reads the metrics' scores.
func (a *app) readMetrics(ctx context.Context, o *metaOptions) ([]meta.Candidate, error) {
	reading := a.reading()
	reading.Beside = o.beside
	ms, err := files.OpenMetricFiles(ctx, o.scores, reading)
	if err != nil {
		return nil, advise(err)
	}
	directed, err := a.directed(&o.directions, ms)
	if err != nil {
		return nil, err
	}
	var out []meta.Candidate
	for i, m := range ms {
		if m.SystemsOnly && o.level == "segment" {
			return nil, fmt.Errorf("%s has scores of systems: --level segment needs those of segments", m.Name)
		}
		out = append(out, meta.Candidate{Metric: directed[i], SystemsOnly: m.SystemsOnly})
	}
	return out, nil
}

// checkNames checks the names that were given by those that there are.
func (o *metaOptions) checkNames(p *people, ms []meta.Candidate) error {
	systems := p.SystemNames()
	for _, m := range ms {
		systems = append(systems, m.Scores.Systems...)
		if err := checkTwins("metric "+m.Name, m.Scores.Systems, "people's scores", p.SystemNames()); err != nil {
			return err
		}
	}
	if err := o.splitExcluded(unique(systems)); err != nil {
		return err
	}
	if !slices.ContainsFunc(p.SystemNames(), func(s string) bool { return !o.excluded(s) }) {
		return errors.New("--exclude leaves no system")
	}
	return nil
}

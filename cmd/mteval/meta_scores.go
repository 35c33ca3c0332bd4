package main

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

// scored are a metric's scores as they were read.
type scored struct {
	name, path string
	scores     *metaeval.Scores
	// systemsOnly: the one item stands for all of a system's output.
	systemsOnly bool
	lower       bool
}

func (m *scored) metric(s *metaeval.Scores) metaeval.Metric {
	return metaeval.Metric{Name: m.name, Scores: s, LowerIsBetter: m.lower}
}

func (a *app) readMetrics(ctx context.Context, paths []string, level string) ([]scored, error) {
	var out []scored
	from := make(map[string]string)
	for _, p := range paths {
		ms, err := a.readScores(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if before, ok := from[m.name]; ok {
				return nil, fmt.Errorf("%s and %s both have scores of a metric %s: give it another name", before, p, m.name)
			}
			if m.systemsOnly && level == "segment" {
				return nil, fmt.Errorf("%s has scores of systems: --level segment needs those of segments", p)
			}
			from[m.name] = p
		}
		out = append(out, ms...)
	}
	return out, nil
}

// readScores reads what a file of scores has.
func (a *app) readScores(ctx context.Context, path string) ([]scored, error) {
	ms, err := files.OpenMetrics(ctx, path, a.reading())
	if err != nil {
		return nil, advise(err)
	}
	var out []scored
	for _, m := range ms {
		if m.Name == "" {
			if m.Name = files.SystemName(path); readOnce(path) {
				return nil, fmt.Errorf("--scores %s: it has no name for a metric: give it a header and a column metric", path)
			}
		}
		out = append(out, scored{name: m.Name, path: path, scores: m.Scores, systemsOnly: m.SystemsOnly})
	}
	return out, nil
}

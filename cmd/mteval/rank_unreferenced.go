package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/ranking"
)

// unreferenced says whether there are sources alone, for metrics that read no references. A base
// and the probabilities read some: without, metrics are all that ranks.
func (o *rankOptions) unreferenced() bool { return len(o.refs) == 0 && o.source != "" }

// checkUnreferenced refuses the options of what reads references.
func (o *rankOptions) checkUnreferenced(ctx context.Context) error {
	var err error
	o.flags.Set.Visit(func(f *pflag.Flag) {
		reads := slices.Contains([]string{"base", "calibration", "group-confidence", "segments", "segments-format", "html-segments"}, f.Name)
		if err == nil && (reads || strings.HasPrefix(f.Name, "difficulty")) {
			err = fmt.Errorf("--%s is of what reads references: name a file with -r, or leave it out", f.Name)
		}
	})
	if err != nil {
		return err
	}
	o.base = "" // which has no options now
	if err := flags.Check(o.flags.Set); err != nil {
		return err
	}
	return o.flags.Check(ctx, o.metrics)
}

// rankUnreferenced ranks the page's systems by metrics alone: in people's order, or else by the
// first of the metrics.
func (p *rankPage) rankUnreferenced(ctx context.Context, metrics []ranking.FieldMetric, human []ranking.Human) error {
	var err error
	if p.ranking, err = ranking.Rank(ctx, systemNames(p.systems), metrics, ranking.Options{Human: human}); err != nil || len(human) > 0 {
		return err
	}
	rows := slices.Clone(p.ranking.Systems) // as the systems were given
	order := slices.Clone(p.ranking.Order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[a].Ranks[0], rows[b].Ranks[0]) })
	p.reorder(rows, order)
	return nil
}

// withoutReferences says what is not there, and what the order is.
func (p *rankPage) withoutReferences() string {
	by := p.ranking.Metrics[0].Name
	if len(p.ranking.Correlations) > 0 {
		by = "people"
	}
	return "no references, so no difficulty-aware column and no probabilities: the order is that of " + by
}

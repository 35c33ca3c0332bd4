package meta

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A treeOutput is a file that --write makes.
type treeOutput struct {
	file   mtme.MetricFile
	scores *metaeval.Scores
	path   string
}

// checkWrite returns an error for a reference that there is not.
func (t *judgedPair) checkWrite(o *app.MetaOptions) error {
	if ref := o.Tree.Write; ref != "" && ref != mtme.NoReference && t.pair.References[ref] == nil {
		return fmt.Errorf("--write %s: %s %s has no such reference: it has %s; %s is for a metric that uses none", ref, t.pair.Set, t.pair.LanguagePair, app.List(t.referenceNames()), mtme.NoReference)
	}
	return nil
}

// outputs are the files that --write makes, all of which can be made.
func (t *judgedPair) outputs(o *app.MetaOptions) ([]treeOutput, error) {
	if o.Tree.Write == "" {
		return nil, nil
	}
	var out []treeOutput
	var uses []outfile.Use
	for _, m := range t.metrics {
		if m.table == nil {
			continue
		}
		scores, err := t.whole(&m)
		if err != nil {
			return nil, err
		}
		for _, level := range []mtme.Level{mtme.Segment, mtme.System, mtme.Domain} {
			if scores[level] == nil {
				continue
			}
			w := treeOutput{m.file, scores[level], ""}
			w.file.Level = level
			w.path = t.pair.MetricPath(w.file)
			if _, err := os.Lstat(w.path); err == nil && !o.Tree.Overwrite {
				return nil, fmt.Errorf("--write: %s is there already: add --overwrite to replace it, or give the metric another name", w.path)
			}
			out = append(out, w)
			uses = append(uses, outfile.Use{Path: w.path, By: "--write"})
		}
	}
	return out, outfile.Check(flags.Arguments("--scores", o.Scores), append(uses, flags.Outputs(o.Set)...))
}

// whole are a metric's scores as the tree has them: of all systems, and more is better.
func (t *judgedPair) whole(m *treeMetric) (map[mtme.Level]*metaeval.Scores, error) {
	systems := slices.DeleteFunc(slices.Clone(t.pair.Systems), func(s string) bool { return s == m.file.Reference })
	items := t.pair.Segments()
	if m.systemsOnly {
		items = []string{""}
	}
	all, err := m.table.Select(systems, items)
	if err != nil {
		return nil, err
	}
	all.Values = metaeval.Oriented(all.Values, m.lower)
	if at := slices.IndexFunc(all.Values, math.IsNaN); at >= 0 {
		where := "system " + systems[at/len(items)]
		if !m.systemsOnly {
			where += " on segment " + items[at%len(items)]
		}
		return nil, fmt.Errorf("--write: %s has no score of %s: the tree has one of each output", m.name, where)
	}
	if m.systemsOnly {
		return map[mtme.Level]*metaeval.Scores{mtme.System: all}, nil
	}
	domains, err := all.GroupMeans(t.pair.Domains, nil)
	if err != nil {
		return nil, err
	}
	return map[mtme.Level]*metaeval.Scores{mtme.Segment: all, mtme.System: systemMeans(all), mtme.Domain: domains}, nil
}

// writeTree writes the metrics of --scores.
func writeTree(ctx context.Context, a *app.App, t *judgedPair, outputs []treeOutput) error {
	for _, w := range outputs {
		if err := t.pair.WriteMetric(ctx, w.file, w.scores); err != nil {
			return err
		}
	}
	for _, w := range outputs {
		a.Note("wrote %s", w.path)
	}
	return nil
}

package choose

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// readTree reads the texts and people's scores of a folder of mt-metrics-eval.
func (in *selectInput) readTree(ctx context.Context) error {
	o := in.options
	var err error
	if in.tree, err = app.OpenPair(ctx, o.tree, o.set, o.pair); err != nil {
		return err
	}
	p := in.tree
	if in.rules, err = in.treeRules(); err != nil {
		return err
	}
	if in.Human, err = p.Human(ctx, in.rules.SegmentGold, mtme.Segment); err != nil {
		return err
	}
	systems, err := in.rules.Systems(p, in.Human)
	if err != nil {
		return err
	}
	if len(systems) == 0 {
		return fmt.Errorf("%s: no system of %s has a score of %s", o.tree, o.pair, in.rules.SegmentGold)
	}
	in.Segments, in.Sources, in.Documents = p.Segments(), p.Sources, app.DocumentNames(p.Domains, p.Documents)
	for _, name := range systems {
		in.run.Systems = append(in.run.Systems, mteval.System{Name: name, Hyps: p.Outputs[name]})
	}
	refs, err := mteval.Segments(p.References[in.rules.Reference])
	if err != nil {
		return err
	}
	in.References, in.Systems = refs, in.run.Systems
	in.run.Texts.Refs, in.run.Texts.Systems, in.run.Texts.Sources = refs, in.run.Systems, in.Sources
	o.flags.Lines = in.run.Texts.Lines()
	return nil
}

// treeRules are those of WMT's metrics task, or of another set those with its first reference.
func (in *selectInput) treeRules() (mtme.Rules, error) {
	rules, err := mtme.RulesOf(in.tree.Set, in.tree.LanguagePair)
	if err != nil {
		references := slices.Sorted(maps.Keys(in.tree.References))
		if len(references) == 0 {
			return rules, fmt.Errorf("%s: no reference of %s", in.options.tree, in.tree.LanguagePair)
		}
		in.app.Note("%s %s is no set whose rules are known: %s is the reference, and others are no systems", in.tree.Set, in.tree.LanguagePair, references[0])
		rules = mtme.Rules{Reference: references[0], SegmentGold: "mqm"}
	}
	if in.options.humanScore != "" {
		rules.SegmentGold = in.options.humanScore
	}
	return rules, nil
}

// meta.treeMetric reads a metric's scores in the tree; nil: there are none.
func (in *selectInput) treeMetric(ctx context.Context, name string) (*metaeval.Metric, error) {
	for _, f := range in.tree.MetricScores {
		if f.Level != mtme.Segment || f.Metric+"-"+f.Reference != name {
			continue
		}
		s, err := in.tree.Metric(ctx, f)
		if err != nil {
			return nil, err
		}
		if s, err = s.Select(app.SystemNames(in.run.Systems), in.Segments); err != nil {
			return nil, err
		}
		return &metaeval.Metric{Name: name, Scores: s}, nil
	}
	return nil, nil
}

package main

import (
	"context"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/preference"
)

// A witness is a metric that gives evidence, or the difficulty-aware form of one that
// matches tokens.
type witness struct {
	scorer mteval.Scorer
	form   *difficulty.Options
}

// evidence is what metrics say of all pairs of systems.
func evidence(ctx context.Context, w *work, witnesses []witness) ([]*preference.Evidence, error) {
	// Matchings first: plain rows then come of them.
	for _, t := range witnesses {
		if t.form != nil {
			if _, err := w.match(ctx, t.scorer.(mteval.MatchScorer)); err != nil {
				return nil, err
			}
		}
	}
	var out []*preference.Evidence
	for _, t := range witnesses {
		table, err := t.table(ctx, w)
		if err != nil {
			return nil, err
		}
		e, err := preference.FromTable(ctx, table)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (t *witness) table(ctx context.Context, w *work) (*mteval.Table, error) {
	if t.form == nil {
		return w.table(ctx, t.scorer)
	}
	return w.form(ctx, t.scorer.(mteval.MatchScorer), *t.form)
}

// forms are the difficulty-aware forms of which calibrations have evidence: first the one that
// is a term of the log odds.
func forms() []difficulty.Options {
	normalized := difficulty.Normalized()
	normalized.Average = difficulty.MeanF
	return []difficulty.Options{
		{LeaveOneOut: true, Average: difficulty.MeanF},
		difficulty.Combined(),
		normalized,
		{Average: difficulty.MeanF},
	}
}

// formOf tells the metric that one is a difficulty-aware form of, and the form, of several the
// one that is a term; nil: it is none.
func formOf(name string) (string, *difficulty.Options) {
	forms := forms()
	if base, ok := strings.CutPrefix(name, "da-"); ok {
		return base, &forms[0]
	}
	if base, ok := strings.CutSuffix(name, "+da"); ok {
		return base, &forms[1]
	}
	return name, nil
}

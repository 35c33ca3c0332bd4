package scoring

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/script"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/tokenize"
)

// A Metric is a scorer, or the difficulty-aware form of one that matches tokens.
type Metric struct {
	Scorer mteval.Scorer
	Form   *difficulty.Options // nil: the scorer itself
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

// FormOf tells the metric of a calibration's term by its name: the base that it is a
// difficulty-aware form of, and the form, of several the one that is a term; nil: it is none.
func FormOf(name string) (base string, form *difficulty.Options) {
	forms := forms()
	if base, ok := strings.CutPrefix(name, "da-"); ok {
		return base, &forms[0]
	}
	if base, ok := strings.CutSuffix(name, "+da"); ok {
		return base, &forms[1]
	}
	return name, nil
}

// CalibrationMetrics are what a calibration has evidence of, and the terms that are made of it, for
// preference.FitOptions: the base as it is, and logarithmically the metrics that are combined with
// it and the difficulty-aware form of the base without a system's own vote. Other forms of the base
// and the metrics that are alone are recorded only.
func CalibrationMetrics(base mteval.MatchScorer, combined, alone []mteval.Scorer) ([]Metric, []preference.Choice) {
	out := []Metric{{Scorer: base}}
	for _, s := range combined {
		out = append(out, Metric{Scorer: s})
	}
	terms := []preference.Choice{{Evidence: 0, Shape: preference.Linear}}
	for i := range out { // all but the base, and difficulty
		terms = append(terms, preference.Choice{Evidence: i + 1, Shape: preference.Log})
	}
	for _, form := range forms() {
		out = append(out, Metric{base, &form})
	}
	for _, s := range alone {
		out = append(out, Metric{Scorer: s})
	}
	return out, terms
}

// errNoMatches is that of a form of a metric that has none.
var errNoMatches = errors.New("scoring: a difficulty-aware form of a metric that does not match tokens")

// Evidence is what metrics say of all pairs of systems. Errors are those of Table and Form, and of
// preference.FromTable.
func (r *Run) Evidence(ctx context.Context, metrics []Metric) ([]*preference.Evidence, error) {
	// Matchings first: plain rows then come of them.
	for _, m := range metrics {
		if m.Form == nil {
			continue
		}
		base, ok := m.Scorer.(mteval.MatchScorer)
		if !ok || contract.Nil(base) {
			return nil, errNoMatches
		}
		if _, err := r.Match(ctx, base); err != nil {
			return nil, err
		}
	}
	var out []*preference.Evidence
	for _, m := range metrics {
		table, err := r.metric(ctx, m)
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

func (r *Run) metric(ctx context.Context, m Metric) (*mteval.Table, error) {
	if m.Form == nil {
		return r.Table(ctx, m.Scorer)
	}
	return r.Form(ctx, m.Scorer.(mteval.MatchScorer), *m.Form)
}

// Judge says what people would prefer, of all systems, by a calibration and the metrics of its
// terms. Errors are those of Evidence and of Calibration.Judge.
func (r *Run) Judge(ctx context.Context, c *preference.Calibration, metrics []Metric) (*preference.Result, error) {
	evidence, err := r.Evidence(ctx, metrics)
	if err != nil {
		return nil, err
	}
	out, err := c.Judge(evidence)
	if err == nil && needSpaces(metrics) && script.WithoutSpaces(slices.Concat(r.Texts.Refs...)) {
		out.Outside = append(out.Outside, unsplit)
	}
	return out, err
}

// unsplit is what words without spaces between them are outside of.
const unsplit = "references in Chinese or Japanese, whose words 13a does not split"

// needSpaces says whether a metric is of words as 13a has them.
func needSpaces(metrics []Metric) bool {
	return slices.ContainsFunc(metrics, func(m Metric) bool {
		return m.Scorer.Info().Signature.Get("tok") == tokenize.V13a.Name()
	})
}

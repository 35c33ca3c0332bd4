package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/scoring"
)

// filesOf are those of a judged folder, also those that are not read, such as sources and other
// scores.
func filesOf(s *scoring.JudgedSet) []string {
	more := flags.FilesIn(filepath.Dir(s.Folder.Human), func(name string) bool {
		return strings.HasPrefix(name, "human") || strings.HasPrefix(name, "src.")
	})
	return slices.Concat(s.Refs, s.Outputs, more)
}

// readSets reads people's scores of all sets, and the texts to see that they line up, so that
// what is wrong with the last is not found out after the work on the others.
func (a *app) readSets(ctx context.Context, sets []*scoring.JudgedSet) error {
	quiet := a.readingTexts()
	quiet.Note = nil // told when they are read to be scored
	for _, s := range sets {
		if _, err := files.OpenCorpus(ctx, s.Refs, s.Outputs, quiet); err != nil {
			return adviseTexts(err)
		}
		if err := s.OpenHuman(ctx, a.reading()); err != nil {
			return advise(err)
		}
		if len(s.Missing) > 0 {
			a.note("%s has scores of systems whose outputs are not there: %s", s.Folder.Human, names.Few(s.Missing))
		}
		if len(s.Unscored) > 0 {
			a.note("%s has no score of %s: scored, with a vote in the difficulty, but in no pair", s.Folder.Human, names.Few(s.Unscored))
		}
	}
	return nil
}

// scoreSet scores a set, of which it keeps what metrics say of the pairs, and tells the terms of a
// calibration.
func (a *app) scoreSet(ctx context.Context, start time.Time, s *scoring.JudgedSet, number string, o *calibrateOptions, model *registry.Backend) (preference.Set, []preference.Choice, error) {
	c, err := a.readTexts(ctx, &texts{refs: s.Refs, outputs: s.Outputs})
	if err != nil {
		return preference.Set{}, nil, err
	}
	metrics, terms, err := o.calibrated(ctx, o.flags.For(s.Language, c.Lines()), model)
	if err != nil {
		return preference.Set{}, nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	out := preference.Set{Name: s.Name, Campaign: s.Campaign(), Human: s.Human}
	out.Evidence, err = a.run(start, safe.Visible(number+" "+s.Name+": "), c, nil).Evidence(ctx, metrics)
	return out, terms, err
}

// calibrated makes the metrics.
func (o *calibrateOptions) calibrated(ctx context.Context, f *registry.Flags, open *registry.Backend) ([]scoring.Metric, []preference.Choice, error) {
	combined, alone := o.names()
	var scorers []mteval.Scorer
	for _, name := range slices.Concat([]string{o.base}, combined, alone) {
		s, err := f.Scorer(ctx, name, open)
		if err != nil {
			return nil, nil, err
		}
		scorers = append(scorers, s)
	}
	base, err := matching(scorers[0], "--base "+o.base)
	if err != nil {
		return nil, nil, err
	}
	at := 1 + len(combined)
	metrics, terms := scoring.CalibrationMetrics(base, scorers[1:at], scorers[at:])
	return metrics, terms, nil
}

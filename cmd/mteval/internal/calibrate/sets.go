package calibrate

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
	"github.com/mteval/mteval/cmd/mteval/internal/app"
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
func readSets(ctx context.Context, a *app.App, sets []*scoring.JudgedSet) error {
	quiet := a.ReadingTexts()
	quiet.Note = nil // told when they are read to be scored
	for _, s := range sets {
		if _, err := files.OpenCorpus(ctx, s.Refs, s.Outputs, quiet); err != nil {
			return app.AdviseTexts(err)
		}
		if err := s.OpenHuman(ctx, a.Reading()); err != nil {
			return app.Advise(err)
		}
		if len(s.Missing) > 0 {
			a.Note("%s has scores of systems whose outputs are not there: %s", s.Folder.Human, names.Few(s.Missing))
		}
		if len(s.Unscored) > 0 {
			a.Note("%s has no score of %s: scored, with a vote in the difficulty, but in no pair", s.Folder.Human, names.Few(s.Unscored))
		}
	}
	return nil
}

// scoreSet scores a set, of which it keeps what metrics say of the pairs, and tells the terms of a
// calibration.
func scoreSet(ctx context.Context, a *app.App, start time.Time, s *scoring.JudgedSet, number string, o *calibrateOptions, model *registry.Backend) (preference.Set, []preference.Choice, error) {
	c, err := a.ReadTexts(ctx, &app.Texts{Refs: s.Refs, Outputs: s.Outputs})
	if err != nil {
		return preference.Set{}, nil, err
	}
	metrics, terms, err := o.calibrated(ctx, o.flags.For(s.Language, c.Lines()), model)
	if err != nil {
		return preference.Set{}, nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	out := preference.Set{Name: s.Name, Campaign: s.Campaign(), Human: s.Human}
	out.Evidence, err = a.Run(start, safe.Visible(number+" "+s.Name+": "), c, nil).Evidence(ctx, metrics)
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
	base, err := app.Matching(scorers[0], "--base "+o.base)
	if err != nil {
		return nil, nil, err
	}
	at := 1 + len(combined)
	metrics, terms := scoring.CalibrationMetrics(base, scorers[1:at], scorers[at:])
	return metrics, terms, nil
}

package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
)

// A judgedSet is a folder of systems that people judged.
type judgedSet struct {
	*files.Folder
	language string
	human    []float64 // by output; NaN: none
}

// campaign is the first part of the folder's name.
func (s *judgedSet) campaign() string {
	c, _, _ := strings.Cut(s.Name, "-")
	return c
}

// files are those of the folder, also those that are not read, such as sources and other scores.
func (s *judgedSet) files() []string {
	more := flags.FilesIn(filepath.Dir(s.Human), func(name string) bool {
		return strings.HasPrefix(name, "human") || strings.HasPrefix(name, "src.")
	})
	return slices.Concat(s.Refs, s.Outputs, more)
}

// findSets finds the files of all folders.
func findSets(paths []string) ([]*judgedSet, error) {
	at := make(map[string]string)
	var out []*judgedSet
	for _, path := range paths {
		f, err := files.FindJudged(path)
		if err != nil {
			return nil, err
		}
		if before, ok := at[f.Name]; ok {
			return nil, fmt.Errorf("%s and %s are both called %s: give one of them another name", before, path, f.Name)
		}
		at[f.Name] = path
		s := &judgedSet{Folder: f}
		if s.language, err = f.Language(); err != nil {
			return nil, err
		}
		if len(f.Outputs) < 2 {
			return nil, fmt.Errorf("%s: one output in it (%s): want two systems at least", path, f.Outputs[0])
		}
		out = append(out, s)
	}
	return out, nil
}

// readSets reads people's scores of all sets, and the texts to see that they line up, so that
// what is wrong with the last is not found out after the work on the others.
func (a *app) readSets(ctx context.Context, sets []*judgedSet) error {
	quiet := a.readingTexts()
	quiet.Note = nil // told when they are read to be scored
	for _, s := range sets {
		if _, err := files.OpenCorpus(ctx, s.Refs, s.Outputs, quiet); err != nil {
			return adviseTexts(err)
		}
		if err := a.readScores(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) readScores(ctx context.Context, s *judgedSet) error {
	systems := files.SystemNames(s.Outputs)
	scores, err := files.OpenSystems(ctx, s.Human, systems, a.reading())
	if err != nil {
		return advise(err)
	}
	if err := checkTwins(s.Human, scores.Systems, "the outputs", systems); err != nil {
		return err
	}
	// If all scores are of other systems, that is NewOrder's error, which does not name them.
	order, err := ranking.NewOrder(systems, ranking.HumanOf(scores))
	if err != nil || len(order.Human) == 0 || order.Human[0] == order.Human[len(order.Human)-1] {
		return fmt.Errorf("%s: no two of the outputs have different scores in it: its systems are %s, the outputs' %s", s.Human, names.Few(scores.Systems), names.Few(systems))
	}
	s.human = slices.Repeat([]float64{math.NaN()}, len(systems))
	for i, k := range order.Systems {
		s.human[k] = order.Human[i]
	}
	var unscored []string
	for _, k := range order.Unscored {
		unscored = append(unscored, systems[k])
	}
	if len(order.Missing) > 0 {
		a.note("%s has scores of systems whose outputs are not there: %s", s.Human, names.Few(order.Missing))
	}
	if len(unscored) > 0 {
		a.note("%s has no score of %s: scored, with a vote in the difficulty, but in no pair", s.Human, names.Few(unscored))
	}
	return nil
}

// scoreSet scores a set, of which it keeps what metrics say of the pairs.
func (a *app) scoreSet(ctx context.Context, start time.Time, s *judgedSet, number string, o *calibrateOptions, model *registry.Backend) (preference.Set, error) {
	out := preference.Set{Name: s.Name, Campaign: s.campaign(), Human: s.human}
	c, err := a.readTexts(ctx, &texts{refs: s.Refs, outputs: s.Outputs})
	if err != nil {
		return out, err
	}
	witnesses, err := o.witnesses(ctx, o.flags.For(s.language, c.lines()), model)
	if err != nil {
		return out, fmt.Errorf("%s: %w", s.Name, err)
	}
	w := &work{app: a, start: start, label: safe.Visible(number + " " + s.Name + ": "), corpus: c, systems: c.Systems}
	out.Evidence, err = evidence(ctx, w, witnesses)
	return out, err
}

// witnesses are the base, the metrics that are combined with it, the forms of the base, and the
// metrics that are recorded alone.
func (o *calibrateOptions) witnesses(ctx context.Context, f *registry.Flags, open *registry.Backend) ([]witness, error) {
	combined, alone := o.names()
	var out []witness
	add := func(names ...string) error {
		for _, name := range names {
			s, err := f.Scorer(ctx, name, open)
			if err != nil {
				return err
			}
			out = append(out, witness{scorer: s})
		}
		return nil
	}
	if err := add(o.base); err != nil {
		return nil, err
	}
	base, err := matching(out[0].scorer, "--base "+o.base)
	if err != nil {
		return nil, err
	}
	if err := add(combined...); err != nil {
		return nil, err
	}
	for _, form := range forms() {
		out = append(out, witness{base, &form})
	}
	return out, add(alone...)
}

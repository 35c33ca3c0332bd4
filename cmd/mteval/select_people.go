package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// people are people's scores of the segments, more being better. Systems that they did not judge
// are left out of all, as whoever chooses gives the outputs of those that will be judged.
func (in *selectInput) people(ctx context.Context) (*metaeval.Scores, error) {
	if in.tree != nil {
		return in.human.Select(systemNames(in.work.systems), in.segments)
	}
	s, err := in.human, error(nil)
	if s == nil {
		if s, err = in.readPeople(ctx); err != nil {
			return nil, err
		}
	}
	o := in.options
	if in.work.systems == nil && len(in.scores) > 0 {
		// Those that have scores stand for the systems.
		for _, name := range in.scores[0].Scores.Systems {
			in.work.systems = append(in.work.systems, mteval.System{Name: name})
		}
		defer func() { in.work.systems = nil }()
	}
	if s, err = in.align(o.human, s); err != nil {
		return nil, err
	}
	var judged []string
	for k, mean := range s.SystemMeans() {
		if mean == mean {
			judged = append(judged, s.Systems[k])
		}
	}
	if len(judged) < 2 {
		return nil, fmt.Errorf("%s: people judged %d of the systems, and a ranking is of two or more", o.human, len(judged))
	}
	return s.Select(judged, in.segments)
}

// keep leaves out all systems but these.
func (in *selectInput) keep(systems []string) error {
	var kept []mteval.System
	for _, s := range in.work.systems {
		if slices.Contains(systems, s.Name) {
			kept = append(kept, s)
		}
	}
	in.work.systems = kept
	for i, m := range in.scores {
		var has []string
		for _, name := range m.Scores.Systems {
			if slices.Contains(systems, name) {
				has = append(has, name)
			}
		}
		if len(has) == 0 {
			return fmt.Errorf("scores of %s: none of the systems that people judged, %s", m.Name, names.Few(systems))
		}
		var err error
		if in.scores[i].Scores, err = m.Scores.Select(has, in.segments); err != nil {
			return err
		}
	}
	return nil
}

// readPeople reads --human.
func (in *selectInput) readPeople(ctx context.Context) (*metaeval.Scores, error) {
	o := in.options
	reading := in.work.app.reading()
	reading.Beside = in.lines()
	f, err := files.OpenPeople(ctx, o.human, files.PeopleOptions{Options: reading, Form: o.humanFormat, Pair: o.pair})
	if errors.Is(err, files.ErrSingleJudges) {
		return nil, fmt.Errorf("%w, or say with --human-format what it is", err)
	}
	if err != nil {
		return nil, advise(err)
	}
	if f.Pairs != nil {
		s, err := selection.NetWins(f.Pairs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.human, err)
		}
		return s, nil
	}
	if o.pair != "" {
		return nil, errors.New("--lp is of a file of pairs, or of --mtme")
	}
	if o.humanScore != "" && !f.Form.TwoScores() {
		return nil, errors.New("--human-score is of WMT's files, which have two scores, or of --mtme")
	}
	s, _ := f.SegmentScores(o.humanScore == "z")
	if s == nil {
		return nil, fmt.Errorf("%s has %s: --evaluate needs those of segments, or pairs", o.human, f.Form.Title())
	}
	return s, nil
}

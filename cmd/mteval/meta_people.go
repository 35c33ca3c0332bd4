package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// humanFormats are the kinds of files of what people said.
var humanFormats = []string{"scores", "systems", "wmt-segments", "wmt-systems", "pairs"}

// formatNames says them in words.
var formatNames = map[string]string{
	"scores": "scores of segments", "systems": "scores of systems",
	"wmt-segments": "WMT's scores of segments", "wmt-systems": "WMT's scores of systems", "pairs": "pairs",
}

// people is what people said. One of scores, pairs and systems is there at least.
type people struct {
	path, format string
	// read says what was read.
	read string
	// column is raw or z, of WMT's files.
	column string
	// scores of segments, and how many judgements each rests on, if that is known.
	scores, judgements *metaeval.Scores
	pairs              *human.Pairs
	// systems has scores of systems, with one item, and systemsPath where they are from
	// if that is another file.
	systems     *metaeval.Scores
	systemsPath string
}

// names are the systems that people judged.
func (p *people) names() []string {
	var out []string
	if p.scores != nil {
		out = append(out, p.scores.Systems...)
	}
	if p.pairs != nil {
		out = append(out, p.pairs.Systems...)
	}
	if p.systems != nil {
		out = append(out, p.systems.Systems...)
	}
	return unique(out)
}

// describe says what is there.
func (p *people) describe() string {
	var b strings.Builder
	if p.path != "" {
		fmt.Fprintf(&b, "%s: %s", p.path, formatNames[p.format])
		if p.column != "" {
			fmt.Fprintf(&b, " (%s)", p.column)
		}
	}
	switch {
	case p.scores != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", present(p.scores), len(p.scores.Systems), len(p.scores.Items))
	case p.pairs != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", len(p.pairs.Pairs), len(p.pairs.Systems), len(p.pairs.Items))
	case p.systemsPath == "":
		fmt.Fprintf(&b, ", %d", len(p.systems.Systems))
	}
	if p.systemsPath != "" {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: scores of systems, %d", p.systemsPath, len(p.systems.Systems))
	}
	return b.String()
}

// present counts the scores that there are.
func present(s *metaeval.Scores) int {
	n := 0
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

func (a *app) readPeople(ctx context.Context, o *metaOptions) (*people, error) {
	p := &people{}
	if o.human != "" {
		if err := a.readHumanFile(ctx, o, p); err != nil {
			return nil, err
		}
	}
	if o.humanScore != "" && p.column == "" {
		return nil, errors.New("--human-score is of WMT's files, which have two scores")
	}
	if o.pair != "" && p.pairs == nil {
		return nil, errors.New("--lp is of a file of pairs")
	}
	if o.humanSystem != "" {
		if p.systems != nil {
			return nil, fmt.Errorf("%s has scores of systems already: leave --human-system out", p.path)
		}
		s, err := files.OpenSystems(ctx, o.humanSystem, nil, a.reading())
		if err != nil {
			return nil, advise(err)
		}
		p.systems, p.systemsPath = withScore(s), o.humanSystem
	}
	p.read = p.describe()
	return p, nil
}

// exclude leaves out systems.
func (p *people) exclude(excluded func(system string) bool) error {
	if len(slices.DeleteFunc(p.names(), excluded)) == 0 {
		return errors.New("--exclude leaves no system")
	}
	for _, s := range []**metaeval.Scores{&p.scores, &p.judgements, &p.systems} {
		if *s == nil {
			continue
		}
		var err error
		if *s, err = (*s).Select(slices.DeleteFunc(slices.Clone((*s).Systems), excluded), (*s).Items); err != nil {
			return err
		}
	}
	if p.pairs == nil {
		return nil
	}
	out := &human.Pairs{Items: p.pairs.Items}
	at := make([]int, len(p.pairs.Systems))
	for k, name := range p.pairs.Systems {
		at[k] = -1
		if !excluded(name) {
			at[k] = len(out.Systems)
			out.Systems = append(out.Systems, name)
		}
	}
	for _, c := range p.pairs.Pairs {
		if c.A, c.B = at[c.A], at[c.B]; c.A >= 0 && c.B >= 0 {
			out.Pairs = append(out.Pairs, c)
		}
	}
	p.pairs = out
	return nil
}

// readHumanFile reads what stands in --human.
func (a *app) readHumanFile(ctx context.Context, o *metaOptions, p *people) error {
	f, err := files.OpenPeople(ctx, o.human, files.PeopleOptions{Options: a.reading(), Form: files.Form(o.humanFormat), Pair: o.pair})
	switch {
	case errors.Is(err, files.ErrSingleJudges):
		return fmt.Errorf("%w, or say with --human-format what it is", err)
	case err != nil:
		return advise(err)
	}
	p.path, p.format, p.pairs = o.human, string(f.Form), f.Pairs
	column := func(fallback string) string {
		if p.column = o.humanScore; p.column == "" {
			p.column = fallback
		}
		return p.column
	}
	switch f.Form {
	case files.SegmentTable:
		p.scores = f.Scores
	case files.SystemTable:
		p.systems = withScore(f.Scores)
	case files.WMTSegments:
		fallback := "raw"
		if o.level == "system" {
			fallback = "z"
		}
		p.scores, p.judgements = f.Segments.Raw, f.Segments.N
		if column(fallback) == "z" {
			p.scores = f.Segments.Z
		}
	case files.WMTSystems:
		z := column("z") == "z"
		all := &metaeval.Scores{Items: []string{""}}
		for _, s := range f.Systems {
			v := s.Raw
			if z {
				v = s.Z
			}
			all.Systems, all.Values = append(all.Systems, s.System), append(all.Values, v)
		}
		p.systems = withScore(all)
	}
	if o.level == "segment" && p.systems != nil {
		return fmt.Errorf("%s has scores of systems: --level segment needs those of segments, or pairs", o.human)
	}
	return nil
}

// withScore is scores of systems, with one item, without the systems that have none.
func withScore(s *metaeval.Scores) *metaeval.Scores {
	out := &metaeval.Scores{Items: s.Items}
	for k, v := range s.Values {
		if !math.IsNaN(v) {
			out.Systems, out.Values = append(out.Systems, s.Systems[k]), append(out.Values, v)
		}
	}
	return out
}

// readOnce says whether a file is standard input, a pipe or the like.
func readOnce(path string) bool {
	at, err := os.Stat(path)
	return path == "-" || err == nil && !at.Mode().IsRegular() && !at.IsDir()
}

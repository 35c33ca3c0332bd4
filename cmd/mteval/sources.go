package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
)

// sourceFlag adds the flag of commands that score texts.
func sourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them").For("metric", "comet")
}

// shownSourceFlag is sourceFlag of commands whose pages show sources.
func shownSourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them, and to show on the page").For("metric", "comet").Or("html")
}

// with returns a metric with the sources that it reads, or an error if it can't do without what
// was not given.
func (c *corpus) with(s mteval.Scorer) (mteval.Scorer, error) {
	in, name := mteval.InputsOf(s), s.Info().Name
	sourced, reads := s.(mteval.SourceScorer)
	switch {
	case in.References == mteval.Required && c.unreferenced():
		return nil, fmt.Errorf("%s reads references: name a file with -r", name)
	case c.Sources == nil && in.Sources == mteval.Required:
		return nil, fmt.Errorf("%s: %w: it reads what was translated: name its file with --source", name, mteval.ErrNoSource)
	case c.Sources == nil && reads && c.unreferenced():
		return nil, fmt.Errorf("%s: %w, and no reference: name files with --source or -r", name, mteval.ErrNoSource)
	case c.Sources == nil || !reads || in.Sources == mteval.Unused:
		return s, nil
	}
	return mteval.WithSources(sourced, c.Sources), nil
}

// unreferenced says whether no references were given.
func (c *corpus) unreferenced() bool { return len(c.Refs) == 0 || len(c.Refs[0]) == 0 }

// references are those of each segment, none of any where there are sources alone.
func (c *corpus) references() [][]string {
	if c.Refs == nil {
		return make([][]string, len(c.Sources))
	}
	return c.Refs
}

// read are the references that a metric reads, for its signature.
func (c *corpus) read(s mteval.Scorer) [][]string {
	if mteval.InputsOf(s).References == mteval.Unused {
		return nil
	}
	return c.Refs
}

// checkReads returns an error if a metric lacks what it reads, and for sources that no metric
// reads and no page shows. Of references that none reads it tells.
func (a *app) checkReads(c *corpus, source, page string, scorers []mteval.Scorer) error {
	sources, references := false, c.unreferenced()
	for _, s := range scorers {
		if _, err := c.with(s); err != nil {
			return err
		}
		in := mteval.InputsOf(s)
		sources = sources || in.Sources != mteval.Unused
		references = references || in.References != mteval.Unused
	}
	switch {
	case !sources && source != "" && page == "":
		return fmt.Errorf("--source %s: none of the metrics reads sources: leave it out", source)
	case !references && len(scorers) > 0:
		a.note("no metric here reads references: they have no part in the scores")
	}
	return nil
}

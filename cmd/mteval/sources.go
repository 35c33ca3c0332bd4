package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/scoring"
)

// sourceFlag adds the flag of commands that score texts.
func sourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them").For("metric", "comet")
}

// shownSourceFlag is sourceFlag of commands whose pages show sources.
func shownSourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them, and to show on the page").For("metric", "comet").Or("html")
}

// checkReads returns an error if a metric lacks what it reads, and for sources that no metric
// reads and no page shows. Of references that none reads it tells.
func (a *app) checkReads(c *files.Corpus, source, page string, scorers []mteval.Scorer) error {
	sources, references, err := scoring.Reads(c, scorers...)
	switch {
	case err != nil:
		return err
	case !sources && source != "" && page == "":
		return fmt.Errorf("--source %s: none of the metrics reads sources: leave it out", source)
	case !references:
		a.note("no metric here reads references: they have no part in the scores")
	}
	return nil
}

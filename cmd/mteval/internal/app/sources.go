package app

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/scoring"
)

// SourceFlag adds the flag of commands that score texts.
func SourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them").For("metric", "comet")
}

// ShownSourceFlag is SourceFlag of commands whose pages show sources.
func ShownSourceFlag(fs *pflag.FlagSet, p *string) {
	flags.Var(fs, flags.Input(p), "source", "file of the sources, for metrics that read them, and to show on the page").For("metric", "comet").Or("html")
}

// CheckReads returns an error if a metric lacks what it reads, and for sources that no metric
// reads and no page shows. Of references that none reads it tells.
func (a *App) CheckReads(c *files.Corpus, source, page string, scorers []mteval.Scorer) error {
	sources, references, err := scoring.Reads(c, scorers...)
	switch {
	case err != nil:
		return err
	case !sources && source != "" && page == "":
		return fmt.Errorf("--source %s: none of the metrics reads sources: leave it out", source)
	case !references:
		a.Note("no metric here reads references: they have no part in the scores")
	}
	return nil
}

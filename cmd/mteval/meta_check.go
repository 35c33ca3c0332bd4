package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/metaeval"
)

// check refuses what does not go together, beyond what flags say of themselves.
func (o *metaOptions) check(ctx context.Context, args []string) error {
	switch {
	case o.human == "" && (o.humanSystem == "" || o.level == "segment"):
		return errors.New("no human scores: name a file with --human")
	case len(o.scores) == 0:
		return errors.New("no metric's scores: name files with --scores")
	case o.humanScore == "z" && o.level == "segment" && !o.set.Changed("threshold"):
		return fmt.Errorf("--threshold %v is one of raw scores: give one for z scores", o.threshold)
	}
	for _, f := range metaeval.KendallForms() {
		if len(o.kendall) == 0 || slices.Contains(o.kendall, f.Name) {
			o.forms = append(o.forms, f)
		}
	}
	return flags.CheckFiles(ctx, o.set, flags.Arguments("--scores", args)...)
}

// checkPairs returns an error for flags that are of scores, where people gave pairs.
func (o *metaOptions) checkPairs() error {
	switch {
	case o.set.Changed("threshold") || len(o.sweep) > 0:
		return errors.New("--threshold and --sweep make pairs of scores, and people gave pairs")
	case o.set.Changed("group"):
		return errors.New("--group is of correlations, which need people's scores, and people gave pairs")
	}
	return nil
}

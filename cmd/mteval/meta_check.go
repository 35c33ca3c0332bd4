package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/metaeval"
)

// check refuses what does not go together, beyond what flags say of themselves.
func (o *metaOptions) check(ctx context.Context, args []string) error {
	if o.tasks != "" {
		return o.checkTasks(ctx, args)
	}
	if o.tree.dir != "" {
		if err := o.checkTree(); err != nil {
			return err
		}
	} else if err := o.checkTables(); err != nil {
		return err
	}
	for _, f := range metaeval.KendallForms() {
		if len(o.kendall) == 0 || slices.Contains(o.kendall, f.Name) {
			o.forms = append(o.forms, f)
		}
	}
	return flags.CheckFiles(ctx, o.set, flags.Arguments("--scores", args)...)
}

// checkTables is check where people's scores are in a table.
func (o *metaOptions) checkTables() error {
	if o.humanScore = strings.ToLower(o.humanScore); !slices.Contains([]string{"", "raw", "z"}, o.humanScore) {
		return fmt.Errorf("--human-score: no human score %q: have raw, z; others are of --mtme", o.humanScore)
	}
	switch {
	case o.level == "document":
		return errors.New("--level document is of --mtme, which says what documents are")
	case o.human == "" && (o.humanSystem == "" || o.level == "segment"):
		return errors.New("no human scores: name a file with --human")
	case len(o.scores) == 0:
		return errors.New("no metric's scores: name files with --scores")
	case o.humanScore == "z" && o.level == "segment" && !o.set.Changed("threshold"):
		return fmt.Errorf("--threshold %v is one of raw scores: give one for z scores", o.threshold)
	}
	return nil
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

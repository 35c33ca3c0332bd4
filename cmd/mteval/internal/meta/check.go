package meta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/metaeval"
)

// check refuses what does not go together, beyond what flags say of themselves.
func check(ctx context.Context, o *app.MetaOptions, args []string) error {
	if o.Tasks != "" {
		return checkTasks(ctx, o, args)
	}
	if o.Tree.Dir != "" {
		if err := checkTree(o); err != nil {
			return err
		}
	} else if err := checkTables(o); err != nil {
		return err
	}
	for _, f := range metaeval.KendallForms() {
		if len(o.Kendall) == 0 || slices.Contains(o.Kendall, f.Name) {
			o.Forms = append(o.Forms, f)
		}
	}
	return flags.CheckFiles(ctx, o.Set, flags.Arguments("--scores", args)...)
}

// checkTables is check where people's scores are in a table.
func checkTables(o *app.MetaOptions) error {
	if o.HumanScore = strings.ToLower(o.HumanScore); !slices.Contains([]string{"", "raw", "z"}, o.HumanScore) {
		return fmt.Errorf("--human-score: no human score %q: have raw, z; others are of --mtme", o.HumanScore)
	}
	switch {
	case o.Level == "document":
		return errors.New("--level document is of --mtme, which says what documents are")
	case o.Human == "" && (o.HumanSystem == "" || o.Level == "segment"):
		return errors.New("no human scores: name a file with --human")
	case len(o.Scores) == 0:
		return errors.New("no metric's scores: name files with --scores")
	case o.HumanScore == "z" && o.Level == "segment" && !o.Set.Changed("threshold"):
		return fmt.Errorf("--threshold %v is one of raw scores: give one for z scores", o.Threshold)
	}
	return nil
}

// checkPairs returns an error for flags that are of scores, where people gave pairs.
func checkPairs(o *app.MetaOptions) error {
	switch {
	case o.Set.Changed("threshold") || len(o.Sweep) > 0:
		return errors.New("--threshold and --sweep make pairs of scores, and people gave pairs")
	case o.Set.Changed("group"):
		return errors.New("--group is of correlations, which need people's scores, and people gave pairs")
	}
	return nil
}

package meta

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

func addTree(t *app.TreeOptions, fs *pflag.FlagSet, o *app.MetaOptions) {
	flags.Var(fs, flags.Folder(&t.Dir, func(dir string) []string { return app.TreeFiles(dir, t.Set, o.Pair) }), "mtme", "folder of mt-metrics-eval, with people's and metrics' scores").
		Excludes("has people's scores", "human", "human-system", "human-format")
	flags.Var(fs, flags.Text(&t.Set, "", "set"), "set", "test set of the tree, such as wmt23 (default the only one)").OptionOf("mtme").NoDefault()
	flags.Var(fs, flags.RepeatedParts(&t.References, "names"), "reference", "references whose metrics are judged, which are no systems; all: each (default the standard one of the set)").OptionOf("mtme")
	flags.Var(fs, flags.List(&t.Include, nil, "include", "human", "outliers"), "include", "systems that the set leaves out: human (other references), outliers").OptionOf("mtme")
	flags.Var(fs, flags.RepeatedParts(&t.Metrics, "names"), "metrics", "metrics of the tree to judge; * stands for any letters (default all)").OptionOf("mtme")
	flags.Var(fs, flags.Text(&t.Domain, "", "domain"), "domain", "domain to judge on, such as news").OptionOf("mtme")
	flags.Var(fs, flags.Enum(&t.By, "", "by", "domain", "document"), "by", "agreement on each apart, without tests: domain, document").OptionOf("mtme").
		Excludes("judges on each", "domain").NoDefault()
	flags.Var(fs, flags.RepeatedParts(&t.Ratings, "names"), "ratings", "people's scores are made of errors that they marked: names of files of ratings, such as mqm.merged; * stands for any letters").OptionOf("mtme").
		Excludes("makes people's scores", "human-score")
	flags.Var(fs, flags.Enum(&t.Weights, "file", "weights", "file", "google"), "weights", "weights of marked errors: as the file has them, or google (Freitag et al. 2021)").OptionOf("ratings")
	flags.Var(fs, flags.Text(&t.Write, "", "reference"), "write", "add the metrics of --scores to the tree, as ones that used this reference, or src for none").OptionOf("mtme")
	flags.Bool(fs, &t.Overwrite, "overwrite", "let --write replace a metric of the tree").OptionOf("write")
}

// checkTree is check where people's scores are in a tree.
func checkTree(o *app.MetaOptions) error {
	switch {
	case o.Pair == "":
		return errors.New("--mtme needs a language pair: name one with --lp, such as en-de")
	case o.Tree.Write != "" && len(o.Scores) == 0:
		return errors.New("--write adds the metrics of --scores: name files with --scores")
	case o.Tree.By == "document" && o.Level == "document":
		return errors.New("--by document has one document each: give another --level")
	}
	return nil
}

// metaTree is meta for a language pair of a tree.
func metaTree(ctx context.Context, a *app.App, o *app.MetaOptions) error {
	start := time.Now()
	t, err := readTree(ctx, a, o)
	if err != nil {
		return err
	}
	var part treePart
	if o.Tree.Domain != "" {
		part = treePart{"domain", o.Tree.Domain}
	}
	p, ms, err := t.at(o.Level, part)
	if err != nil {
		return err
	}
	if err := checkNames(o, p, ms); err != nil {
		return err
	}
	outputs, err := t.outputs(o)
	if err != nil {
		return err
	}
	if o.Tree.By != "" {
		parts, err := judgeParts(ctx, a, start, o, t)
		if err != nil {
			return err
		}
		if err := writeTree(ctx, a, t, outputs); err != nil {
			return err
		}
		return writeParts(ctx, a, o, parts)
	}
	r, err := judgeAll(ctx, a, start, o, p, ms)
	if err != nil {
		return err
	}
	out, err := newMetaOutput(o, p, r)
	if err != nil {
		return err
	}
	out.sortTree()
	if err := writeTree(ctx, a, t, outputs); err != nil {
		return err
	}
	return finishMeta(ctx, a, out)
}

package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
)

// treeOptions are the flags of meta for a tree of mt-metrics-eval.
type treeOptions struct {
	dir, set   string
	references []string
	include    []string
	domain, by string
	metrics    []string
	ratings    []string
	weights    string
	write      string
	overwrite  bool
}

func (t *treeOptions) add(fs *pflag.FlagSet, o *metaOptions) {
	flags.Var(fs, flags.Folder(&t.dir, func(dir string) []string { return treeFiles(dir, t.set, o.pair) }), "mtme", "folder of mt-metrics-eval, with people's and metrics' scores").
		Excludes("has people's scores", "human", "human-system", "human-format")
	flags.Var(fs, flags.Text(&t.set, "", "set"), "set", "test set of the tree, such as wmt23 (default the only one)").OptionOf("mtme").NoDefault()
	flags.Var(fs, flags.RepeatedParts(&t.references, "names"), "reference", "references whose metrics are judged, which are no systems; all: each (default the standard one of the set)").OptionOf("mtme")
	flags.Var(fs, flags.List(&t.include, nil, "include", "human", "outliers"), "include", "systems that the set leaves out: human (other references), outliers").OptionOf("mtme")
	flags.Var(fs, flags.RepeatedParts(&t.metrics, "names"), "metrics", "metrics of the tree to judge; * stands for any letters (default all)").OptionOf("mtme")
	flags.Var(fs, flags.Text(&t.domain, "", "domain"), "domain", "domain to judge on, such as news").OptionOf("mtme")
	flags.Var(fs, flags.Enum(&t.by, "", "by", "domain", "document"), "by", "agreement on each apart, without tests: domain, document").OptionOf("mtme").
		Excludes("judges on each", "domain").NoDefault()
	flags.Var(fs, flags.RepeatedParts(&t.ratings, "names"), "ratings", "people's scores are made of errors that they marked: names of files of ratings, such as mqm.merged; * stands for any letters").OptionOf("mtme").
		Excludes("makes people's scores", "human-score")
	flags.Var(fs, flags.Enum(&t.weights, "file", "weights", "file", "google"), "weights", "weights of marked errors: as the file has them, or google (Freitag et al. 2021)").OptionOf("ratings")
	flags.Var(fs, flags.Text(&t.write, "", "reference"), "write", "add the metrics of --scores to the tree, as ones that used this reference, or src for none").OptionOf("mtme")
	flags.Bool(fs, &t.overwrite, "overwrite", "let --write replace a metric of the tree").OptionOf("write")
}

// checkTree is check where people's scores are in a tree.
func (o *metaOptions) checkTree() error {
	switch {
	case o.pair == "":
		return errors.New("--mtme needs a language pair: name one with --lp, such as en-de")
	case o.tree.write != "" && len(o.scores) == 0:
		return errors.New("--write adds the metrics of --scores: name files with --scores")
	case o.tree.by == "document" && o.level == "document":
		return errors.New("--by document has one document each: give another --level")
	}
	return nil
}

// metaTree is meta for a language pair of a tree.
func (a *app) metaTree(ctx context.Context, o *metaOptions) error {
	start := time.Now()
	t, err := a.readTree(ctx, o)
	if err != nil {
		return err
	}
	var part treePart
	if o.tree.domain != "" {
		part = treePart{"domain", o.tree.domain}
	}
	p, ms, err := t.at(o.level, part)
	if err != nil {
		return err
	}
	if err := o.checkNames(p, ms); err != nil {
		return err
	}
	outputs, err := t.outputs(o)
	if err != nil {
		return err
	}
	if o.tree.by != "" {
		parts, err := a.judgeParts(ctx, start, o, t)
		if err != nil {
			return err
		}
		if err := a.writeTree(ctx, t, outputs); err != nil {
			return err
		}
		return a.writeParts(ctx, o, parts)
	}
	r, err := a.judgeAll(ctx, start, o, p, ms)
	if err != nil {
		return err
	}
	out, err := newMetaOutput(o, p, r)
	if err != nil {
		return err
	}
	out.sortTree()
	if err := a.writeTree(ctx, t, outputs); err != nil {
		return err
	}
	return a.finishMeta(ctx, out)
}

// list is a list in words.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

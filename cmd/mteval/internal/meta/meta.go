// Package meta is the command that judges metrics by what people say.
package meta

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

const metaHelp = `Meta says how far metrics' scores agree with people's, and which metrics differ.

--scores names tables of system, segment and score, tab-separated, with or without
a header; the metric is called as its file. Several files can follow one --scores.
A table whose header has a column "metric" holds several metrics, and so does what
mteval score --sentence-level prints. At system level a table of system and score
will do, or of system, metric and score, as mteval score --format tsv prints, or one
with a column for each metric, such as that of mteval rank --format tsv.
` + app.DirectionHelp + `
Segments are the same where they have the same name. Where numbers are from 0 in one file
and from 1 in the other, and all are there of both, or the file is MetricX's, which counts
from 0, they are lined up, as standard error says; where it may be so, it is an error, and
--first-segment says what those of --scores are. Lines of a tree are from 1.
Meta reads scores, not texts: those of COMET, say, which take the sources, come by
mteval score --source SRC -r REF -m comet --sentence-level SYS… | mteval meta --scores - …

--mtme names mt-metrics-eval's folder, or a test set in it such as wmt23, instead of
tables: the human scores and metrics of a language pair (--lp) are judged as in WMT's
metrics task, with its reference, human scores and outliers, unless --reference,
--human-score and --include say otherwise. METRIC[noref] used no reference. --scores
are judged beside, and --write adds them to the tree. --by shows each domain or
document, and --ratings makes people's scores of the errors that they marked.

--human is such a table of people's scores, of segments or of systems, or a file of
WMT's: scores of segments (SYS, SEGID or SID, RAW.SCR, Z.SCR, N), of systems, or
pairs (DARR: better and worse; or a, b and result, which is >, = or <). Which it is
is told by its header, or by --human-format, and is printed. Of WMT's scores, raw
ones are taken at segment level and z scores at system level, unless --human-score
says otherwise.

--level system correlates the scores of systems: --human-system's, or the means over
segments, or the expected wins in pairs; a metric's are the means of its segments',
where people's are too over the outputs that they judged.
Differences of Pearson's correlation are tested by PERM-BOTH (Deutsch et al. 2021),
or by Williams' test if a metric has scores of systems only, or a tree; intervals are
of bootstrap samples of systems and segments. Soft pairwise accuracy needs people's
scores of segments; where none is missing it is of mt-metrics-eval's permutations.

--level segment makes pairs of systems on each segment, which are people's ties
where the scores differ by less than --threshold, and gives WMT's Kendall in the
forms of "Towards a Better Evaluation of Metrics for Machine Translation": 4a (ties
are ignored), 4b (a metric's are in the denominator), 4c (they are errors, as in
WMT), 5 (people's count too; that of an error metric is negative where it agrees).
Differences are tested by the bootstrap over segments, as in WMT. With scores of
segments it adds acc_eq, with the tie threshold epsilon at which it is best, and
correlations by --group (PERM-BOTH for Pearson's), and PDP, Pearson's correlation of
the differences between systems on a segment. Intervals are of the bootstrap over
segments. With a tree WMT's Kendall is shown if --threshold or --kendall is given.

Of metrics in order of agreement, # is the cluster: a metric begins a new one if a
metric of the one before is significantly better at --alpha, p-values adjusted by
Holm's method for all pairs of metrics. All metrics are compared on the same outputs:
what one has no score for is left out for all.`

// Command is mteval meta.
func Command(a *app.App) *cobra.Command {
	var o app.MetaOptions
	c := &cobra.Command{
		Use:   "meta {--human FILE --scores FILE… | --mtme DIR --lp PAIR}",
		Short: "Judge metrics by their agreement with people",
		Long:  metaHelp,
		Example: "  mteval meta --level segment --human darr.tsv --scores chrf.tsv ter.tsv\n" +
			"  mteval meta --mtme mt-metrics-eval-v2 --set wmt23 --lp en-de --level segment --scores mine.tsv",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.Scores = append(o.Scores, args...)
			if err := check(c.Context(), &o, args); err != nil {
				return err
			}
			return run(c.Context(), a, &o)
		},
	}
	add(&o, c.Flags())
	a.InputFlags(c.Flags())
	a.SegmentFlags(c.Flags())
	return c
}

func add(o *app.MetaOptions, fs *pflag.FlagSet) {
	o.Set = fs
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Input(&o.Human), "human", "file of people's scores, or of their pairs")
		flags.Var(fs, flags.Enum(&o.HumanFormat, "", "human format", files.Forms()...), "human-format", "what --human is: scores, systems, wmt-segments, wmt-systems, pairs (default: told by its header)").OptionOf("human")
		flags.Var(fs, flags.Text(&o.HumanScore, "", "human score", "raw", "z", "mqm", "da-sqm"), "human-score", "score of WMT's files: raw, z (default raw for segments, z for systems); with --mtme mqm, da-sqm or what else there is").NoDefault()
		flags.Var(fs, flags.Input(&o.HumanSystem), "human-system", "file of people's scores of systems, for --level system").OptionOf("level=system")
		flags.Var(fs, flags.Text(&o.Pair, "", "pair"), "lp", "language pair to read of --mtme, or of a file of pairs with several, such as de-en")
		flags.Var(fs, flags.InputList(&o.Scores), "scores", "file of a metric's scores (repeat, or name more files after it)")
		o.Directions.Add(fs)
		flags.Var(fs, flags.RepeatedParts(&o.Exclude, "names"), "exclude", "systems to leave out; * stands for any letters, as in Human*")
	})
	flags.Group(fs, "Tree of mt-metrics-eval", func(fs *pflag.FlagSet) { addTree(&o.Tree, fs, o); addTasks(o, fs) })
	flags.Group(fs, "Level and agreement", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&o.Level, "system", "level", "system", "segment", "document"), "level", "what is compared: system, segment; with --mtme document, by the means over its segments")
		flags.Var(fs, flags.List(&o.Kendall, nil, "form of Kendall's tau", kendallNames()...), "kendall", "forms of Kendall's tau at segment level: 4a, 4b, 4c, 5 (default all)").OptionOf("level=segment", "level=document")
		flags.Var(fs, flags.NonNegative(&o.Threshold, metaeval.DARRThreshold), "threshold", "difference of people's scores of a segment below which they tie").OptionOf("level=segment", "level=document")
		flags.Var(fs, flags.Enum(&o.Grouping, metaeval.ByItem, "group", metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem), "group", "what correlations and acc_eq at segment level are averaged over: none, item, system").OptionOf("level=segment", "level=document")
		flags.Bool(fs, &o.Outliers, "outliers", "leave out systems whose human score is an outlier (Mathur et al. 2020)").OptionOf("level=system")
		flags.Var(fs, flags.NonNegatives(&o.Sweep), "sweep", "thresholds to show the pairs and Kendall's tau for").OptionOf("level=segment", "level=document")
	})
	flags.Group(fs, "Significance", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Share(&o.Alpha, .05), "alpha", "level of significance")
		flags.Var(fs, flags.Samples(&o.Samples, 1000, 0), "samples", "bootstrap samples and permutations; 0: no tests and no intervals")
		flags.Var(fs, flags.Seed(&o.Seed, 12345), "seed", "seed of the samples, not 0")
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Enum(&o.Output, "text", "format", "text", "tsv", "latex", "json"), "format", "f", "output format: text, tsv, latex, json")
		flags.Var(fs, flags.Output(&o.HTML), "html", "file to write a page with plots to")
	})
}

func kendallNames() []string {
	var out []string
	for _, f := range metaeval.KendallForms() {
		out = append(out, f.Name)
	}
	return out
}

func run(ctx context.Context, a *app.App, o *app.MetaOptions) error {
	if o.Tasks != "" {
		return metaTasks(ctx, a, o)
	}
	if o.Tree.Dir != "" {
		return metaTree(ctx, a, o)
	}
	start := time.Now()
	p, err := readPeople(ctx, a, o)
	if err != nil {
		return err
	}
	o.Beside = p.judged(o.Level)
	ms, err := a.ReadMetrics(ctx, o)
	if err != nil {
		return err
	}
	if err := checkNames(o, p, ms); err != nil {
		return err
	}
	r, err := judgeAll(ctx, a, start, o, p, ms)
	if err != nil {
		return err
	}
	out, err := newMetaOutput(o, p, r)
	if err != nil {
		return err
	}
	return finishMeta(ctx, a, out)
}

func newMetaOutput(o *app.MetaOptions, p *people, r *meta.Result) (_ *metaOutput, err error) {
	out := &metaOutput{Result: r, options: o, people: p}
	if out.marks, err = p.markTable(r.Systems); err != nil {
		return nil, err
	}
	if len(p.left) > 0 {
		out.warnings = append(out.warnings, names.Few(p.left)+": no such scores in the tree, left out")
	}
	for _, w := range r.Warnings {
		switch {
		case w.Kind == meta.LargeThreshold && !out.showsKendall():
		case w.Kind == meta.LooksLower && p.tree != nil && p.tree.has(w.Metric): // where more is better
			out.warnings = append(out.warnings, w.Text)
		default:
			out.warnings = append(out.warnings, warningText(w))
		}
	}
	return out, nil
}

// finishMeta says what there is to say, and writes the output.
func finishMeta(ctx context.Context, a *app.App, out *metaOutput) error {
	noteMeta(a, out)
	if path := out.options.HTML; path != "" {
		if err := a.WritePage(ctx, out.page(), path); err != nil {
			return err
		}
	}
	return writeMeta(a, out)
}

// noteMeta says what the output has no place for.
func noteMeta(a *app.App, out *metaOutput) {
	if out.options.Output == "tsv" {
		for _, line := range out.head() {
			a.Tell("%s", line)
		}
	}
	for _, w := range out.warnings {
		a.Note("warning: %s", w)
	}
}

// judgeAll has package meta do it, and shows its progress.
func judgeAll(ctx context.Context, a *app.App, start time.Time, o *app.MetaOptions, p *people, ms []meta.Candidate) (*meta.Result, error) {
	ctx, done := a.WithProgress(ctx, start, "tests")
	defer done()
	return judge(ctx, o, p, ms, o.Samples > 0)
}

// judge has package meta do it, with tests or without.
func judge(ctx context.Context, o *app.MetaOptions, p *people, ms []meta.Candidate, test bool) (*meta.Result, error) {
	tests := meta.Options{Exclude: func(system string) bool { return excluded(o, system) }, NoTests: !test, Samples: o.Samples, Seed: o.Seed, Alpha: o.Alpha}
	if o.Level == "system" {
		r, err := meta.Systems(ctx, p.People, ms, meta.SystemOptions{Options: tests, Outliers: o.Outliers})
		if errors.Is(err, metaeval.ErrUndefined) { // of people's pairs
			return nil, fmt.Errorf("%s: %w: name a file of scores of systems with --human-system", p.path, err)
		}
		return r, p.locate(ctx, err)
	}
	segments := meta.SegmentOptions{Options: tests, Forms: o.Forms, Grouping: o.Grouping, Sweep: o.Sweep}
	if p.Pairs == nil {
		segments.Threshold = &o.Threshold
	} else if err := checkPairs(o); err != nil {
		return nil, err
	}
	r, err := meta.Segments(ctx, p.People, ms, segments)
	if err == nil && o.Level == "document" {
		r.Signature[0].Value = o.Level
	}
	return r, p.locate(ctx, err)
}

// warningText is a warning with the flags that do something about it.
func warningText(w meta.Warning) string {
	switch w.Kind {
	case meta.LooksHigher:
		return w.Text + ": if more is better, --higher-is-better " + w.Metric
	case meta.LooksLower:
		return w.Text + ": if less is better, --lower-is-better " + w.Metric
	case meta.HumanNames:
		return w.Text + ": --exclude 'Human*'"
	case meta.FewSamples:
		return fmt.Sprintf("%s; --samples %d would do", w.Text, w.Samples)
	case meta.LargeThreshold:
		return w.Text + ": give a --threshold that suits their scale"
	case meta.ManyPairs:
		return strings.Replace(w.Text, "grouping", "--group", 1) + "; --group item has fewer"
	}
	return w.Text
}

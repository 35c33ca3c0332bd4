// Package compare is the command that compares systems by scores of their segments.
package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	scores           []string
	directions       app.DirectionFlags
	exclude, systems []string
	texts            compareTextOptions
	pairs            bool
	decide           string
	segments         int
	output           show.Format
	html             string
	test             string
	alpha, tie       float64
	samples          int
	seed             uint64

	set *pflag.FlagSet
}

const compareHelp = `Compare says which systems are better by the scores of their segments, of any metric, and
whether that is more than chance. It needs no people and no texts.

--scores names files of scores, several after one --scores if there are; - is standard
input. Each is one of these, which is told by what it holds:
  - what comet-score prints, and what it or comet-compare writes with --to_json
  - JSON lines of MetricX, with system_id and segment_id if the input had them
  - mt-metrics-eval's METRIC-REF.seg.score
  - a score a line, of one system
  - a table of system, segment and score with tabs between, and a column metric if there
    are several, such as mteval score --sentence-level prints; or a column for each metric
  - a table of a segment a row, with a column segment, and a column for each system
Tables may have commas between, as pandas writes them, if they have a header.
A file that does not name its system is called as it, and so is one that does not name its
metric; NAME=FILE calls it otherwise. Files of other systems each make one metric.
` + app.DirectionHelp + `

The first lines say which system is better, and how sure that is. Then come the systems of
each metric: # is the cluster (a line of WMT's tables: every system above is significantly
better than every one below), ± half the 95% interval of the mean by bootstrap; the
difference from the best with its p-value; on how many segments the system wins, ties
(--tie) and loses against the best. The triangle has the differences of all pairs, and
--pairs all that there is of them.

p-values are of --test: ar is approximate randomization, t Student's paired t-test, which
comet-compare has, and bs the paired bootstrap of sacreBLEU, which at .05 calls about 12 in
100 pairs of equal systems different. They are adjusted for all pairs of a metric by Holm's
method.

--by shows groups of segments: length, in words of the reference (or else of the source, or
of the outputs); frequency, of the rarest word of the reference or source in --corpus (or in
themselves); domain and document, of --documents. --labels FILE has any others, a label a
line. Differences from the best are tested by Student's test there, and not adjusted.

--decide A,B shows the segments on which two systems are furthest apart, with the texts that
are given, and how few of them the order hangs on.

Texts have a segment a line: line 1 is segment 1, or where segments have other names, the
first one in the scores, and so on. Texts in the rows of scores (source, hypothesis and
reference, as MetricX's have them) tell whether numbers are from 0 or from 1. Else a segment
0 does; MetricX's are from 0, unless one is the number of lines, and those of tables from 1.
Standard error says where they are from 0; --first-segment 0 or 1 overrides that.`

// Command is mteval compare.
func Command(a *app.App) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare --scores FILE…",
		Short: "Compare systems by scores of any metric, without people",
		Long:  compareHelp,
		Example: `  comet-score -s src.txt -r ref.txt -t a.txt b.txt > comet.txt && mteval compare --scores comet.txt
  mteval score -r ref.de -m chrf,ter --sentence-level sys/*.txt | mteval compare --scores -
  mteval compare --scores comet.txt -r ref.txt --outputs a.txt --outputs b.txt --by length --decide a,b --html page.html`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.scores = append(o.scores, args...)
			if len(o.scores) == 0 {
				return errors.New("no scores: name files with --scores")
			}
			if err := flags.CheckFiles(c.Context(), o.set, flags.Arguments("--scores", app.OutputPaths(args))...); err != nil {
				return err
			}
			return run(c.Context(), a, &o)
		},
	}
	o.add(c.Flags())
	a.InputFlags(c.Flags())
	a.SegmentFlags(c.Flags())
	flags.Group(c.Flags(), "Texts and groups", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Name(&a.Texts.Encoding, "encoding", files.IsEncoding, files.Encodings()...), "encoding", "e", "encoding of the texts, such as utf-16, latin-1, windows-1251, shift_jis")
	})
	return c
}

func (o *compareOptions) add(fs *pflag.FlagSet) {
	o.set = fs
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.NamingPairs(&o.scores, "file", func(arg string) []string { return app.OutputPaths([]string{arg}) }), "scores", "file of scores, or NAME=FILE (repeat, or name more files after it)")
		o.directions.Add(fs)
		flags.Var(fs, flags.RepeatedParts(&o.systems, "names"), "systems", "systems to compare (default all); * stands for any letters")
		flags.Var(fs, flags.RepeatedParts(&o.exclude, "names"), "exclude", "systems to leave out; * stands for any letters, as in Human*")
	})
	flags.Group(fs, "Significance", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&o.test, "ar", "test", "ar", "bs", "t"), "test", "test of clusters, stars and the first lines: ar, bs, t")
		flags.Var(fs, flags.Share(&o.alpha, .05), "alpha", "level of significance")
		flags.Var(fs, flags.Samples(&o.samples, 0, 1), "samples", "samples of bs and ar (default 1000 and 10000)").NoDefault()
		flags.Var(fs, flags.Seed(&o.seed, 12345), "seed", "seed of the samples, not 0")
		flags.Var(fs, flags.NonNegative(&o.tie, 0), "tie", "difference of two scores of a segment up to which they tie")
	})
	flags.Group(fs, "Texts and groups", o.texts.add)
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.Bool(fs, &o.pairs, "pairs", "show all pairs of systems, with all three tests")
		flags.Var(fs, flags.Parts(&o.decide, "names"), "decide", "two systems, A,B, to show the segments of that decide between them")
		flags.Var(fs, flags.Int(&o.segments, 10, 1, 1<<20), "segments", "segments to show of --decide").OptionOf("decide")
		flags.VarP(fs, flags.Enum(&o.output, show.Text, "format", show.Formats()...), "format", "f", "output format: text, tsv, latex, markdown, json")
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with plots to")
	})
}

// compareTests are the tests of package compare by their names, those of score --paired.
var compareTests = map[string]compare.Test{"ar": compare.Randomization, "bs": compare.Bootstrap, "t": compare.Student}

func run(ctx context.Context, a *app.App, o *compareOptions) error {
	start := time.Now()
	texts, err := readCompareTexts(ctx, a, &o.texts)
	if err != nil {
		return err
	}
	metrics, err := readCompared(ctx, a, o, texts)
	if err != nil {
		return err
	}
	out := &compareOutput{options: o, texts: texts}
	// What is wrong with names and lines is known before the tests.
	if out.groupings, err = texts.groupings(ctx, &o.texts, metrics); err != nil {
		return err
	}
	if err := out.decide(metrics); err != nil {
		return err
	}
	progress, done := a.WithProgress(ctx, start, "tests")
	out.results, err = compare.Compare(progress, metrics, compare.Options{Samples: o.samples, Seed: o.seed, Test: compareTests[o.test], Alpha: o.alpha, Tie: o.tie})
	done()
	if err != nil {
		return err
	}
	if err := out.group(ctx, metrics); err != nil {
		return err
	}
	out.warnings = slices.Concat(directionWarnings(metrics), out.missingWarnings(metrics), out.sampleWarnings(), texts.warnings)
	if o.output == show.TSV { // which has no place for it
		for _, line := range out.head() {
			a.Tell("%s", line)
		}
	}
	for _, w := range out.warnings {
		a.Note("warning: %s", w)
	}
	return a.Show(ctx, out.result(), o.output, o.html)
}

// group compares the systems on the groups of segments.
func (s *compareOutput) group(ctx context.Context, metrics []metaeval.Metric) error {
	for i, m := range metrics {
		var all [][]compare.Bucket
		for _, g := range s.groupings[i] {
			b, err := compare.Buckets(ctx, m, g, s.options.tie)
			if err != nil {
				return err
			}
			all = append(all, b)
		}
		s.buckets = append(s.buckets, all)
	}
	return nil
}

// readCompared reads the scores, and chooses the systems.
func readCompared(ctx context.Context, a *app.App, o *compareOptions, texts *compareTexts) ([]metaeval.Metric, error) {
	reading := a.Reading()
	reading.Beside = texts.segments()
	read, err := files.OpenMetricFiles(ctx, o.scores, reading)
	if err != nil {
		return nil, app.Advise(err)
	}
	var systems []string
	for _, m := range read {
		if m.SystemsOnly {
			return nil, fmt.Errorf("the scores of %s are of whole systems: tests need those of segments", m.Name)
		}
		systems = append(systems, m.Scores.Systems...)
	}
	systems = app.Unique(systems)
	metrics, err := a.Directed(&o.directions, read)
	if err != nil {
		return nil, err
	}
	names := app.MetaOptions{Exclude: o.exclude}
	if err := names.SplitExcluded(systems); err != nil {
		return nil, err
	}
	isSystem := func(p string) bool {
		return slices.ContainsFunc(systems, func(s string) bool { return app.Matches(p, s) })
	}
	kept, err := app.SplitNames("systems", o.systems, isSystem)
	if err != nil {
		return nil, err
	}
	for _, p := range kept {
		if !isSystem(p) {
			return nil, fmt.Errorf("--systems %s: no such system: have %s", p, strings.Join(systems, ", "))
		}
	}
	var out []metaeval.Metric
	for _, m := range metrics {
		var chosen []string
		for _, s := range m.Scores.Systems {
			is := func(p string) bool { return app.Matches(p, s) }
			if !slices.ContainsFunc(names.Exclude, is) && (len(kept) == 0 || slices.ContainsFunc(kept, is)) {
				chosen = append(chosen, s)
			}
		}
		if len(chosen) < 2 {
			return nil, fmt.Errorf("%s has scores of %d of the systems to compare (its systems are %s): two or more can be compared", m.Name, len(chosen), strings.Join(m.Scores.Systems, ", "))
		}
		scores, err := m.Scores.Select(chosen, m.Scores.Items)
		if err != nil {
			return nil, err
		}
		out = append(out, metaeval.Metric{Name: m.Name, Scores: scores, LowerIsBetter: m.LowerIsBetter})
	}
	return out, nil
}

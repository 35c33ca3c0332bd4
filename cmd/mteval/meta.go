package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// metaOptions are the flags of meta.
type metaOptions struct {
	human, humanSystem string
	humanFormat        string
	humanScore         string
	pair               string
	scores             []string
	level              string
	kendall            []string
	threshold          float64
	lower, exclude     []string
	group              string
	outliers           bool
	sweep              []float64
	output, html       string
	alpha              float64
	samples            int
	seed               uint64

	set *pflag.FlagSet
	// forms are those of kendall, grouping is that of group.
	forms    []metaeval.KendallForm
	grouping metaeval.Grouping
}

func (a *app) metaCommand() *cobra.Command {
	var o metaOptions
	c := &cobra.Command{
		Use:   "meta --human FILE --scores FILE…",
		Short: "Judge metrics by their agreement with people",
		Long: `Meta says how far metrics' scores agree with people's, and which metrics differ.

--scores names tables of system, segment and score, tab-separated, with or without
a header; the metric is called as its file. Several files can follow one --scores.
A table whose header has a column "metric" holds several metrics, and so does what
mteval score --sentence-level prints. At system level a table of system and score
will do, or one with a column for each metric, as mteval score --format tsv prints.
Metrics are better where they are higher, but for those that --lower-is-better names.

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
or by Williams' test if a metric has scores of systems only; intervals are of
bootstrap samples of systems and segments. Soft pairwise accuracy needs people's
scores of segments.

--level segment makes pairs of systems on each segment, which are people's ties
where the scores differ by less than --threshold, and gives WMT's Kendall in the
forms of "Towards a Better Evaluation of Metrics for Machine Translation": 4a (ties
are ignored), 4b (a metric's are in the denominator), 4c (they are errors, as in
WMT), 5 (people's count too; that of an error metric is negative where it agrees).
Differences are tested by the bootstrap over segments, as in WMT. With scores of
segments it adds acc_eq, with the tie threshold epsilon at which it is best, and
correlations by --group (PERM-BOTH for Pearson's). Intervals are of the bootstrap
over segments.

Of metrics in order of agreement, # is the cluster: a metric begins a new one if a
metric of the one before is significantly better at --alpha, p-values adjusted by
Holm's method for all pairs of metrics. All metrics are compared on the same outputs:
what one has no score for is left out for all.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.scores = append(o.scores, args...)
			if err := o.check(c.Context()); err != nil {
				return err
			}
			return a.meta(c.Context(), &o)
		},
	}
	fs := c.Flags()
	o.set = fs
	fs.StringVar(&o.human, "human", "", "file of people's scores, or of their pairs")
	fs.StringVar(&o.humanFormat, "human-format", "", "what --human is: "+strings.Join(humanFormats, ", ")+" (default: told by its header)")
	fs.StringVar(&o.humanScore, "human-score", "", "score of WMT's files: raw, z (default raw for segments, z for systems)")
	fs.StringVar(&o.humanSystem, "human-system", "", "file of people's scores of systems, for --level system")
	fs.StringVar(&o.pair, "lp", "", "language pair to read of a file of pairs with several, such as de-en")
	fs.StringArrayVar(&o.scores, "scores", nil, "file of a metric's scores (repeat, or name more files after it)")
	fs.StringVar(&o.level, "level", "system", "what is compared: system, segment")
	fs.StringSliceVar(&o.kendall, "kendall", nil, "forms of Kendall's tau at segment level: 4a, 4b, 4c, 5 (default all)")
	fs.Float64Var(&o.threshold, "threshold", metaeval.DARRThreshold, "difference of people's scores of a segment below which they tie")
	fs.StringArrayVar(&o.lower, "lower-is-better", nil, "error metrics: those of which less is better")
	fs.StringArrayVar(&o.exclude, "exclude", nil, "systems to leave out; * stands for any letters, as in Human*")
	fs.StringVar(&o.group, "group", "item", "what correlations and acc_eq at segment level are averaged over: none, item, system")
	fs.BoolVar(&o.outliers, "outliers", false, "leave out systems whose human score is an outlier (Mathur et al. 2020)")
	fs.Float64SliceVar(&o.sweep, "sweep", nil, "thresholds to show the pairs and Kendall's tau for")
	fs.StringVarP(&o.output, "format", "f", "text", "output format: text, tsv, latex, json")
	fs.StringVar(&o.html, "html", "", "file to write a page with plots to")
	fs.Float64Var(&o.alpha, "alpha", .05, "level of significance")
	fs.IntVar(&o.samples, "samples", 1000, "bootstrap samples and permutations; 0: no tests and no intervals")
	fs.Uint64Var(&o.seed, "seed", 12345, "seed of the samples, not 0")
	a.inputFlags(fs)
	return c
}

func (o *metaOptions) check(ctx context.Context) error {
	given := o.set.Changed
	for _, name := range []string{"kendall", "threshold", "group", "sweep"} {
		if given(name) && o.level == "system" {
			return fmt.Errorf("--%s is an option of --level segment", name)
		}
	}
	for _, name := range []string{"human-system", "outliers"} {
		if given(name) && o.level == "segment" {
			return fmt.Errorf("--%s is an option of --level system", name)
		}
	}
	stdin := 0
	for _, p := range append([]string{o.human, o.humanSystem}, o.scores...) {
		if p == "-" {
			stdin++
		}
	}
	switch {
	case o.level != "system" && o.level != "segment":
		return fmt.Errorf("no level %q: have system, segment", o.level)
	case o.human == "" && (o.humanSystem == "" || o.level == "segment"):
		return errors.New("no human scores: name a file with --human")
	case len(o.scores) == 0:
		return errors.New("no metric's scores: name files with --scores")
	case stdin > 1:
		return errors.New("standard input (-) can be only one of the files")
	case o.humanFormat != "" && !slices.Contains(humanFormats, o.humanFormat):
		return fmt.Errorf("no human format %q: have %s", o.humanFormat, strings.Join(humanFormats, ", "))
	case o.humanFormat != "" && o.human == "":
		return errors.New("--human-format is of --human, which is not given")
	case o.humanScore != "" && o.humanScore != "raw" && o.humanScore != "z":
		return fmt.Errorf("no human score %q: have raw, z", o.humanScore)
	case o.humanScore == "z" && o.level == "segment" && !given("threshold"):
		return fmt.Errorf("--threshold %v is one of raw scores: give one for z scores", o.threshold)
	case !(o.threshold >= 0) || o.threshold-o.threshold != 0:
		return fmt.Errorf("--threshold %v: no such difference", o.threshold)
	case !slices.Contains([]string{"text", "tsv", "latex", "json"}, o.output):
		return fmt.Errorf("no format %q: have text, tsv, latex, json", o.output)
	case given("html") && (o.html == "" || o.html == "-"):
		return errors.New("--html: name a file")
	case !(o.alpha > 0 && o.alpha < 1):
		return fmt.Errorf("--alpha %v: a level is above 0 and below 1", o.alpha)
	case o.samples < 0 || o.samples > maxSamples:
		return noSamples("samples", o.samples)
	case o.seed == 0:
		return errors.New("--seed 0: a seed is from 1 up")
	}
	for _, t := range o.sweep {
		if !(t >= 0) || t-t != 0 {
			return fmt.Errorf("--sweep %v: no such difference", t)
		}
	}
	for _, f := range metaeval.KendallForms() {
		if len(o.kendall) == 0 || slices.Contains(o.kendall, f.Name) {
			o.forms = append(o.forms, f)
		}
	}
	if n := len(unique(o.kendall)); n > 0 && n != len(o.forms) {
		return fmt.Errorf("no form of Kendall's tau is called one of %s: have 4a, 4b, 4c, 5", strings.Join(o.kendall, ", "))
	}
	for _, g := range []metaeval.Grouping{metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem} {
		if g.String() == o.group {
			o.grouping = g
			inputs := slices.Concat(uses("--human", o.human), uses("--human-system", o.humanSystem), uses("--scores", o.scores...))
			return checkFiles(ctx, inputs, uses("--html", o.html))
		}
	}
	return fmt.Errorf("no group %q: have none, item, system", o.group)
}

func (o *metaOptions) significance() significance.Options {
	return significance.Options{Samples: o.samples, Seed: o.seed}
}

// excluded says whether a system is one to leave out.
func (o *metaOptions) excluded(system string) bool {
	return slices.ContainsFunc(o.exclude, func(p string) bool { return matches(p, system) })
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

// checkNames splits the lists of names that were given, and returns an error for one that is
// none of a metric or system, which would have no effect.
func (o *metaOptions) checkNames(metrics, systems []string) (err error) {
	isMetric := func(name string) bool { return slices.Contains(metrics, name) }
	isSystem := func(p string) bool {
		return slices.ContainsFunc(systems, func(s string) bool { return matches(p, s) })
	}
	if o.lower, err = splitNames("lower-is-better", o.lower, isMetric); err != nil {
		return err
	}
	if o.exclude, err = splitNames("exclude", o.exclude, isSystem); err != nil {
		return err
	}
	for _, name := range o.lower {
		if !isMetric(name) {
			return fmt.Errorf("--lower-is-better %s: no such metric: have %s", name, strings.Join(metrics, ", "))
		}
	}
	for _, p := range o.exclude {
		if !isSystem(p) {
			return fmt.Errorf("--exclude %s: no such system: have %s", p, strings.Join(systems, ", "))
		}
	}
	return nil
}

// splitNames splits values at commas, unless there are such in names: then a value is one
// name, or in quotation marks as in CSV.
func splitNames(flag string, values []string, known func(string) bool) ([]string, error) {
	var out []string
	for _, v := range values {
		if v == "" {
			continue
		}
		parts, err := csv.NewReader(strings.NewReader(v)).Read()
		one, several := err != nil || known(v), err == nil && !slices.ContainsFunc(parts, func(p string) bool { return !known(p) })
		switch {
		case one && several && len(parts) > 1:
			return nil, fmt.Errorf("--%s %s: one name, or several with commas between? Type --%s '\"%s\"' or --%s %s", flag, v, flag, v, flag, strings.Join(parts, " --"+flag+" "))
		case one:
			out = append(out, v)
		default:
			out = append(out, parts...)
		}
	}
	return out, nil
}

func (a *app) meta(ctx context.Context, o *metaOptions) error {
	start := time.Now()
	p, err := a.readPeople(ctx, o)
	if err != nil {
		return err
	}
	ms, err := a.readMetrics(ctx, o.scores, o.level)
	if err != nil {
		return err
	}
	var metrics []string
	systems := slices.Clone(p.names())
	for _, m := range ms {
		metrics = append(metrics, m.name)
		systems = append(systems, m.scores.Systems...)
	}
	if err := o.checkNames(metrics, unique(systems)); err != nil {
		return err
	}
	if err := p.exclude(o.excluded); err != nil {
		return err
	}
	for i := range ms {
		ms[i].lower = slices.Contains(o.lower, ms[i].name)
	}
	s := &study{options: o, people: p}
	if o.level == "segment" {
		err = a.metaSegments(ctx, start, s, ms)
	} else {
		err = a.metaSystems(ctx, start, s, ms)
	}
	if err != nil {
		return err
	}
	if o.output == "tsv" { // which has no place for it
		for _, line := range s.head() {
			a.note("%s", line)
		}
	}
	for _, w := range s.warnings {
		a.note("warning: %s", w)
	}
	if o.html != "" {
		if err := writePage(ctx, s.page(), o.html); err != nil {
			return err
		}
	}
	return a.writeStudy(s)
}

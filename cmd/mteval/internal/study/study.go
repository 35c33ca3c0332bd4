// Package study is the command that says how far metrics agree with people on a set of one's own.
package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/scoring"
	"github.com/mteval/mteval/study"
)

type studyOptions struct {
	refs, metrics, difficulty []string
	source                    string
	leaveOneOut               bool
	human, output, html       string
	samples                   int
	seed                      uint64
	alpha                     float64
	flags                     registry.Flags
}

// Command is mteval study.
func Command(a *app.App) *cobra.Command {
	var o studyOptions
	c := &cobra.Command{
		Use:   "study -r REF [--source SRC] --human FILE SYS…",
		Short: "Say what difficulty-aware scoring is worth, and how sure that is",
		Long: `Study correlates metrics and their difficulty-aware forms with people's scores of
systems, for the K best systems by these scores and every K from 3 up, the
difficulty being estimated among the K. It says how sure each figure is, and
whether a form differs from the metric that it is made of.

--human FILE has lines of system, tab, score (more is better; a header is allowed),
or is a table of WMT's system scores, of which the z scores are taken.

-m comet reads --source FILE, the sources; of metrics that read no references -r may be
missing.

A system is called as its file, or as NAME in NAME=FILE.

--difficulty names the forms of every metric that matches tokens (bertscore, wordf,
meteor): paper is the paper's equations as printed, normalized weighs a novel token
as the reference token that it matches best and divides by the sum of weights, combined
is the mean of that and of the metric without difficulty, and released is the authors'
program. --difficulty-leave-one-out adds each once more, such that a system has no vote
in the difficulty of its own tokens. BERTScore's baseline rescales it, and the similarities
of released by the F in it.

Intervals are of bootstrap samples, 95%. Over segments: the same systems and scores of
people on other texts. Over systems: other systems on these texts, the scores of each
staying what they are, with the difficulty among the K. Samples whose correlation
is undefined, as that of one system drawn K times, are left out; their number stands
behind the interval in brackets.

p is that of the difference by the paired bootstrap over segments, two-sided, and
Holm is p adjusted for all K of a form and a coefficient. PERM is the p-value of
PERM-INPUTS (Deutsch et al. 2021), which swaps segments' scores between the form and
its metric. It is not adjusted, and is of means of segments' scores, also for paper,
normalized and released, whose score is the F of mean precision and mean recall.

Few systems can say little: the first table tells how many orders of K systems there
are, and which Kendall correlation is above what chance gives one of them.

It keeps the matchings of one metric at a time, about 100 bytes for each token of an
output (0.5 GB in all for BERTScore of 22 systems with 2,000 segments), and 8 bytes for
each sample and system of a metric and of each of its forms.`,
		Example: "  mteval study -r ref.de --human human.tsv -m bertscore sys/*.txt\n" +
			"  mteval study -r ref.de --source src.en --human human.tsv -m bertscore,comet sys/*.txt",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.flags.SetTexts(o.refs, args)
			if err := flags.CheckFiles(c.Context(), o.flags.Set, flags.Arguments("SYS", app.OutputPaths(args))...); err != nil {
				return err
			}
			return run(c.Context(), a, args, &o)
		},
	}
	o.add(c.Flags(), a.Note)
	app.AdviseCOMETScore(c)
	a.InputFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func (o *studyOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.InputList(&o.refs), "reference", "r", "reference file (repeat for several references)")
		app.SourceFlag(fs, &o.source)
		flags.Var(fs, flags.Input(&o.human), "human", "file of human scores of systems")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"bleu", "bertscore"}, "metric", registry.Names()...), "metrics", "m", "metrics: "+registry.Usage())
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Enum(&o.output, "text", "format", "text", "tsv", "json"), "format", "f", "output format: text, tsv, json")
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with plots to")
	})
	flags.Group(fs, "Difficulty", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.List(&o.difficulty, app.DifficultyModes, "difficulty", app.DifficultyModes...), "difficulty", "difficulty-aware forms: "+strings.Join(app.DifficultyModes, ", "))
		flags.Bool(fs, &o.leaveOneOut, "difficulty-leave-one-out", "add each form without a system's vote on its own tokens")
	})
	flags.Group(fs, "Significance", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Samples(&o.samples, 1000, 1), "samples", "bootstrap samples and permutations")
		flags.Var(fs, flags.Seed(&o.seed, 12345), "seed", "seed of the samples, not 0")
		flags.Var(fs, flags.Share(&o.alpha, .05), "alpha", "level of significance of the summary")
	})
	o.flags.Add(fs, note)
}

func (o *studyOptions) check(ctx context.Context) error {
	if o.human == "" {
		return errors.New("no human scores: name a file with --human")
	}
	return o.flags.Check(ctx, o.metrics)
}

// withSources gives the metrics the sources that they read.
func withSources(a *app.App, c *files.Corpus, source string, metrics []study.Subject) error {
	var scorers []mteval.Scorer
	for _, m := range metrics {
		scorers = append(scorers, m.Scorer)
	}
	if err := a.CheckReads(c, source, "", scorers); err != nil {
		return err
	}
	for i := range metrics {
		var err error
		if metrics[i].Scorer, err = scoring.WithSources(metrics[i].Scorer, c); err != nil {
			return err
		}
	}
	return nil
}

// forms are those that the options ask for, without a baseline.
func (o *studyOptions) forms() []study.Form {
	var out []study.Form
	for _, mode := range app.Unique(o.difficulty) {
		options := app.DifficultyMode(mode)
		out = append(out, study.Form{Name: mode, Options: options})
		if o.leaveOneOut {
			options.LeaveOneOut = true
			out = append(out, study.Form{Name: mode, Options: options})
		}
	}
	return out
}

// studyMetrics makes the metrics, those that match tokens with their forms.
func (o *studyOptions) studyMetrics(ctx context.Context, open *registry.Backend) ([]study.Subject, error) {
	forms := o.forms()
	var out []study.Subject
	matching := false
	for _, name := range o.flags.Unique(o.metrics) {
		scorers, err := o.flags.Scorers(ctx, []string{name}, open)
		if err != nil {
			return nil, err
		}
		for _, s := range scorers {
			m := study.Subject{Scorer: s}
			if _, ok := s.(mteval.MatchScorer); ok {
				matching = true
				m.Forms = slices.Clone(forms)
				b, err := o.flags.Baseline(name, s.Info().Signature)
				if err != nil {
					return nil, err
				}
				if b != nil {
					rescaleForms(m.Forms, b)
				}
			}
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no metric: have " + strings.Join(registry.Names(), ", "))
	}
	if given := o.flags.Set.Changed; !matching && (given("difficulty") || given("difficulty-leave-one-out")) {
		return nil, errors.New("none of the metrics has a difficulty-aware form: add -m bertscore, wordf or meteor")
	}
	return out, nil
}

func run(ctx context.Context, a *app.App, paths []string, o *studyOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	if err := o.check(ctx); err != nil {
		return err
	}
	texts, err := a.ReadTexts(ctx, &app.Texts{Refs: o.refs, Source: o.source, Outputs: paths})
	if err != nil {
		return err
	}
	o.flags.Lines = texts.Lines()
	var open registry.Backend
	defer open.Close()
	metrics, err := o.studyMetrics(ctx, &open)
	if err != nil {
		return err
	}
	if err := withSources(a, texts, o.source, metrics); err != nil {
		return err
	}
	human, err := a.ReadHuman(ctx, o.human, texts.Systems)
	if err != nil {
		return err
	}
	r, err := study.Run(ctx, texts.Refs, texts.Systems, human, metrics, study.Options{
		Samples: o.samples, Seed: o.seed, Alpha: o.alpha,
		Stage: a.Stages(start, ""),
	})
	if err != nil {
		return o.explain(err, texts, human)
	}
	for _, c := range r.Curves {
		c.Signature = open.Sign(c.Metric, c.Signature)
	}
	warnings := o.warnings(r)
	noteStudy(a, o, r, metrics)
	a.NoteCut(&open)
	for _, w := range warnings {
		a.Note("warning: %s", w)
	}
	return writeStudyPage(ctx, a, &studyPage{o, r, warnings})
}

// explain says in which file the reason for an error of a study is.
func (o *studyOptions) explain(err error, texts *files.Corpus, human []ranking.Human) error {
	var metric *study.MetricError
	switch {
	case errors.As(err, &metric):
		return scoring.Locate(texts, nil, metric.Metric, metric.Err)
	case errors.Is(err, study.ErrFewSystems):
		given := app.SystemNames(texts.Systems)
		var judged []string
		for _, h := range human {
			judged = append(judged, h.System)
		}
		return fmt.Errorf("%s: %w: its systems are %s, the outputs' %s", o.human, err, names.Few(judged), names.Few(given))
	}
	return fmt.Errorf("%s: %w", o.human, err)
}

func (o *studyOptions) warnings(r *study.Result) []string {
	var out []string
	if len(r.Unscored) > 0 {
		out = append(out, fmt.Sprintf("%s: without a human score in %s, left out", names.Few(r.Unscored), o.human))
	}
	if r.SamplesNeeded > 0 {
		out = append(out, fmt.Sprintf("%d samples are too few: after Holm's correction for %d K no difference can be significant at %v; --samples %v would do",
			o.samples, len(r.Chance), o.alpha, r.SamplesNeeded))
	}
	return out
}

// noteStudy says what of the input has no part in the result.
func noteStudy(a *app.App, o *studyOptions, r *study.Result, metrics []study.Subject) {
	if len(r.Missing) > 0 {
		a.Note("%s has scores of systems whose outputs were not given: %s", o.human, names.Few(r.Missing))
	}
	at := 0
	for _, m := range metrics {
		a.NoteLimits(scoring.Limits(m.Scorer, r.Curves[at].Table))
		at += 1 + len(m.Forms)
	}
}

// rescaleForms gives the released program's forms the baseline's F, which the paper's
// equations do not have.
func rescaleForms(forms []study.Form, b *mteval.PRF) {
	for i := range forms {
		if forms[i].Options.Released {
			forms[i].Options.Baseline = b.F
		}
	}
}

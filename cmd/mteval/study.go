package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// fewest is the K from which curves begin, as those of package ranking do.
const fewest = 3

type studyOptions struct {
	refs, metrics, difficulty []string
	leaveOneOut               bool
	human, output             string
	samples                   int
	seed                      uint64
	alpha                     float64
	flags                     metricFlags
}

func (a *app) studyCommand() *cobra.Command {
	var o studyOptions
	c := &cobra.Command{
		Use:   "study -r REF --human FILE SYS…",
		Short: "Say what difficulty-aware scoring is worth, and how sure that is",
		Long: `Study correlates metrics and their difficulty-aware forms with people's scores of
systems, for the K best systems by these scores and every K from 3 up, the
difficulty being estimated among the K. It says how sure each figure is, and
whether a form differs from the metric that it is made of.

--human FILE has lines of system, tab, score (more is better; a header is allowed),
or is a table of WMT's system scores, of which the z scores are taken.

--difficulty names the forms of every metric that matches tokens (bertscore, wordf,
meteor): paper is the paper's equations as printed, normalized weighs a novel token
as the reference token that it matches best and divides by the sum of weights,
released is the authors' program. --difficulty-leave-one-out adds each once more,
such that a system has no vote in the difficulty of its own tokens. --baseline rescales
BERTScore, and the similarities of released by the F in it.

Intervals are of bootstrap samples, 95%. Over segments: the same systems and scores of
people on other texts. Over systems: other systems on these texts, the scores of each
staying what they are, with the difficulty among the K. Samples whose correlation
is undefined, as that of one system drawn K times, are left out; their number stands
behind the interval in brackets.

p is that of the difference by the paired bootstrap over segments, two-sided, and
Holm is p adjusted for all K of a form and a coefficient. PERM is the p-value of
PERM-INPUTS (Deutsch et al. 2021), which swaps segments' scores between the form and
its metric. It is defined for means of segments' scores, and so is that of these and
not of the F of mean precision and mean recall that the form has as its score; it is
not adjusted.

Few systems can say little: the first table tells how many orders of K systems there
are, and which Kendall correlation is above what chance gives one of them.

It keeps the matchings of one metric at a time, about 100 bytes for each token of an
output (0.5 GB in all for BERTScore of 22 systems with 2,000 segments), and 8 bytes for
each sample and system of a metric and of each of its forms.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.flags.texts = slices.Concat(o.refs, args)
			return a.study(c.Context(), args, &o)
		},
	}
	fs := c.Flags()
	fs.StringArrayVarP(&o.refs, "reference", "r", nil, "reference file (repeat for several references)")
	fs.StringSliceVarP(&o.metrics, "metrics", "m", []string{"bleu", "bertscore"}, "metrics: "+metricNames())
	fs.StringSliceVar(&o.difficulty, "difficulty", []string{"paper", "normalized", "released"}, "difficulty-aware forms: paper, normalized, released")
	fs.BoolVar(&o.leaveOneOut, "difficulty-leave-one-out", false, "add each form without a system's vote on its own tokens")
	fs.StringVar(&o.human, "human", "", "file of human scores of systems")
	fs.StringVarP(&o.output, "format", "f", "text", "output format: text, tsv, json")
	fs.IntVar(&o.samples, "samples", 1000, "bootstrap samples and permutations")
	fs.Uint64Var(&o.seed, "seed", 12345, "seed of the samples, not 0")
	fs.Float64Var(&o.alpha, "alpha", .05, "level of significance of the summary")
	o.flags.add(fs, a.note)
	a.inputFlags(fs)
	return c
}

func (o *studyOptions) check(ctx context.Context, paths []string) error {
	switch {
	case o.human == "":
		return errors.New("no human scores: name a file with --human")
	case o.human == "-" && (slices.Contains(paths, "-") || slices.Contains(o.refs, "-")):
		return errors.New("standard input (-) can be only one of the files")
	case !slices.Contains([]string{"text", "tsv", "json"}, o.output):
		return fmt.Errorf("no format %q: have text, tsv, json", o.output)
	case o.samples < 1 || o.samples > maxSamples:
		return noSamples("samples", o.samples)
	case o.seed == 0:
		return errors.New("--seed 0: a seed is from 1 up")
	case !(o.alpha > 0 && o.alpha < 1):
		return fmt.Errorf("--alpha %v: a level is above 0 and below 1", o.alpha)
	}
	return o.flags.check(ctx, o.metrics)
}

func (o *studyOptions) significance() significance.Options {
	return significance.Options{Samples: o.samples, Seed: o.seed}
}

// A studyForm is a difficulty-aware form to study.
type studyForm struct {
	mode        string
	leaveOneOut bool
	options     difficulty.Options
}

// forms are those that the options ask for, without a baseline.
func (o *studyOptions) forms() ([]studyForm, error) {
	var out []studyForm
	for _, mode := range unique(o.difficulty) {
		options, err := difficultyMode(mode)
		if err != nil {
			return nil, err
		}
		f := studyForm{mode: mode, options: options}
		out = append(out, f)
		if o.leaveOneOut {
			f.leaveOneOut, f.options.LeaveOneOut = true, true
			out = append(out, f)
		}
	}
	return out, nil
}

func (a *app) study(ctx context.Context, paths []string, o *studyOptions) error {
	start := time.Now()
	if err := o.check(ctx, paths); err != nil {
		return err
	}
	forms, err := o.forms()
	if err != nil {
		return err
	}
	texts, err := a.readCorpus(ctx, o.refs, paths)
	if err != nil {
		return err
	}
	o.flags.lines = texts.lines()
	var open openBackend
	defer open.close()
	var scorers []mteval.Scorer
	matching := false
	for _, name := range unique(o.metrics) {
		s, err := o.flags.scorer(ctx, name, &open)
		if err != nil {
			return err
		}
		_, ok := s.(mteval.MatchScorer)
		matching = matching || ok
		scorers = append(scorers, s)
	}
	if len(scorers) == 0 {
		return errors.New("no metric: have " + metricNames())
	}
	if given := o.flags.set.Changed; !matching && (given("difficulty") || given("difficulty-leave-one-out")) {
		return errors.New("none of the metrics has a difficulty-aware form: add -m bertscore, wordf or meteor")
	}
	c := &curve{options: o, segments: len(texts.refs)}
	systems, err := a.studySystems(ctx, c, texts.systems)
	if err != nil {
		return err
	}
	for _, s := range scorers {
		fs := slices.Clone(forms)
		if s.Info().Name == "bertscore" && o.flags.baseline != "" {
			if err := rescaleForms(fs, &o.flags, &open); err != nil {
				return err
			}
		}
		if err := a.studyMetric(ctx, start, c, s, fs, texts.refs, systems); err != nil {
			return texts.locate(s.Info().Name, err, systems)
		}
	}
	if err := c.adjust(); err != nil {
		return err
	}
	a.noteCut(&open)
	for _, w := range c.warnings {
		a.note("warning: %s", w)
	}
	return a.writeCurve(c)
}

// rescaleForms gives the released program's forms the baseline's F, which the paper's
// equations do not have.
func rescaleForms(forms []studyForm, flags *metricFlags, open *openBackend) error {
	b, err := flags.readBaseline(open.b.Info().Signature)
	if err != nil {
		return err
	}
	for i := range forms {
		if forms[i].options.Released {
			forms[i].options.Baseline = b.F
		}
	}
	return nil
}

// studySystems reads people's scores and returns the systems that have one, best first.
func (a *app) studySystems(ctx context.Context, c *curve, systems []mteval.System) ([]mteval.System, error) {
	path := c.options.human
	people, err := a.readHuman(ctx, path, systems)
	if err != nil {
		return nil, err
	}
	score := make(map[string]float64)
	names, index := systemNames(systems)
	var judged, missing []string
	for _, h := range people {
		score[h.System] = h.Score
		judged = append(judged, h.System)
		if _, ok := index[h.System]; !ok {
			missing = append(missing, h.System)
		}
	}
	var unscored []string
	for _, name := range names {
		if _, ok := score[name]; !ok {
			unscored = append(unscored, name)
		}
	}
	n := len(names) - len(unscored)
	if n < fewest {
		return nil, fmt.Errorf("%d of the systems have a score in %s, %d at least are needed: its systems are %s, the outputs' %s",
			n, path, fewest, few(judged), few(names))
	}
	if len(unscored) > 0 {
		c.warn("%s: without a human score in %s, left out", few(unscored), path)
	}
	if len(missing) > 0 {
		a.note("%s has scores of systems whose outputs were not given: %s", path, few(missing))
	}
	if c.systems, err = ranking.Best(people, names, n); err != nil {
		return nil, err
	}
	var out []mteval.System
	for _, name := range c.systems {
		out = append(out, systems[index[name]])
		c.human = append(c.human, score[name])
	}
	if c.human[0] == c.human[n-1] {
		return nil, fmt.Errorf("%s: all systems have the same score, with which nothing correlates", path)
	}
	return out, nil
}

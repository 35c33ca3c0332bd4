package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune"
	"github.com/mteval/mteval/tune/tuned"
)

// Bounds of what is kept for each fold and search.
const (
	maxFolds    = 10_000
	maxRestarts = 10_000
)

// tuneOptions are the flags of tune.
type tuneOptions struct {
	metric      string
	data, test  []string
	refs        []string
	human       string
	hyps        []string
	objective   string
	threshold   float64
	only, fixed []string
	folds       int
	heldOut     float64
	restarts    int
	evaluations int
	seed        uint64
	output      string
	flags       metricFlags

	set *pflag.FlagSet
	fit tune.Options
}

func (a *app) tuneCommand() *cobra.Command {
	var o tuneOptions
	c := &cobra.Command{
		Use:   "tune -m METRIC --data DIR [--data DIR …] [--test DIR …] [-o FILE]",
		Short: "Fit a metric's parameters to what people said",
		Long: `Tune finds the parameters of a metric under which it agrees best with people, and
writes them to a file that mteval score --parameters takes.

--data names judged data, and --test data that is used only for the held-out figure:
  a folder with references ref.*, outputs in sys/, one segment a line, and what
  people said, human-segment-darr.tsv or human-segment.tsv, or human-system.tsv for
  an objective of systems, in any form that mteval meta knows; segments are called by
  their line, from 1;
  or a file, a table with a header: reference, hypothesis, score (or human_z), and
  source if there is one, with tabs between, for --objective pearson.
For one language pair -r, --human and SYS… name the files themselves.

--objective is kendall, WMT's tau of pairs in which ties count against the metric
(scores of segments make the pairs that differ by --threshold); pearson, of scores
of segments; system-pearson; or accuracy, of pairs of systems. Of several data it is
the mean.

The parameters are fitted on the data; without --test a share of the sources, --held-out,
is left out. The table has the objective before and after: on the training data, which
flatters; in cross-validation, as mean and standard deviation over folds of the training
data, by source; with several data, on each with parameters fitted on the others; and
on what was held out.`,
		RunE: func(c *cobra.Command, args []string) error {
			o.hyps = args
			if err := o.check(c.Context()); err != nil {
				return err
			}
			return a.tune(c.Context(), &o)
		},
	}
	fs := c.Flags()
	o.set = fs
	fs.StringVarP(&o.metric, "metric", "m", "meteor", "metric to tune, one that has parameters")
	fs.StringArrayVar(&o.data, "data", nil, "folder or file of judged data (repeat for several language pairs)")
	fs.StringArrayVar(&o.test, "test", nil, "folder or file of judged data to test on (repeat)")
	fs.StringArrayVarP(&o.refs, "reference", "r", nil, "reference file, in place of --data (repeat for several references)")
	fs.StringVar(&o.human, "human", "", "file of what people said, in place of --data")
	fs.StringVar(&o.objective, "objective", "kendall", "what to make as large as possible: "+strings.Join(tune.Objectives(), ", "))
	fs.Float64Var(&o.threshold, "threshold", metaeval.DARRThreshold, "difference of people's scores of a segment from which on they make a pair")
	fs.StringSliceVar(&o.only, "fit", nil, "parameters to fit (default all)")
	fs.StringSliceVar(&o.fixed, "fix", nil, "parameters to leave as they are")
	fs.IntVar(&o.folds, "folds", 5, "folds of cross-validation; 1: none")
	fs.Float64Var(&o.heldOut, "held-out", .2, "share of the sources to hold out without --test")
	fs.IntVar(&o.restarts, "restarts", 3, "searches for a fit, the first from the metric's own parameters, others from random ones")
	fs.IntVar(&o.evaluations, "evaluations", 0, "most evaluations in a search (default 200 for each parameter)")
	fs.Uint64Var(&o.seed, "seed", 12345, "seed of folds and searches, not 0")
	fs.StringVarP(&o.output, "output", "o", "", "file to write the parameters to, as JSON; - is standard output, in place of the table")
	o.flags.add(fs, a.note)
	a.inputFlags(fs)
	return c
}

func (o *tuneOptions) check(ctx context.Context) error {
	given := o.set.Changed
	single := len(o.refs) > 0 || o.human != "" || len(o.hyps) > 0
	switch {
	case len(o.data) == 0 && !single:
		return errors.New("no data: name a folder with --data")
	case len(o.data) > 0 && single:
		return errors.New("--data has references, outputs and what people said: leave -r, --human and outputs out")
	case single && (len(o.refs) == 0 || o.human == "" || len(o.hyps) == 0):
		return errors.New("-r REF, --human FILE and outputs go together")
	case !(o.threshold >= 0) || o.threshold-o.threshold != 0:
		return fmt.Errorf("--threshold %v: no such difference", o.threshold)
	case o.folds < 1 || o.folds > maxFolds:
		return fmt.Errorf("--folds %d: want 2 to %d, or 1 for none", o.folds, maxFolds)
	case !(o.heldOut > 0 && o.heldOut < 1):
		return fmt.Errorf("--held-out %v: a share is above 0 and below 1", o.heldOut)
	case given("held-out") && len(o.test) > 0:
		return errors.New("--test is held out: leave --held-out out")
	case o.restarts < 1 || o.restarts > maxRestarts:
		return fmt.Errorf("--restarts %d: want 1 to %d", o.restarts, maxRestarts)
	case given("evaluations") && (o.evaluations < 1 || o.evaluations > maxSamples):
		return fmt.Errorf("--evaluations %d: want 1 to %d", o.evaluations, maxSamples)
	case given("output") && o.output == "":
		return errors.New("-o: name a file, or - for standard output")
	case o.seed == 0:
		return errors.New("--seed 0: a seed is from 1 up")
	}
	objective, err := tune.ParseObjective(o.objective)
	if err != nil {
		return fmt.Errorf("--objective: no objective %q: have %s", o.objective, strings.Join(tune.Objectives(), ", "))
	}
	if given("threshold") && objective != tune.Kendall {
		return errors.New("--threshold is an option of --objective kendall")
	}
	o.fit = tune.Options{
		Objective: objective, Only: o.only, Fixed: o.fixed, Folds: o.folds, HeldOut: o.heldOut,
		Restarts: o.restarts, Evaluations: o.evaluations, Seed: o.seed,
	}
	// Sentences are what people judged.
	o.flags.sentences = objective == tune.Kendall || objective == tune.Pearson
	if err := o.flags.check(ctx, []string{o.metric}); err != nil {
		return err
	}
	return o.checkFiles(ctx)
}

// checkFiles refuses an output that can't be written, or that is read.
func (o *tuneOptions) checkFiles(ctx context.Context) error {
	o.flags.texts = slices.Concat(o.refs, o.hyps)
	inputs := slices.Concat(uses("-r", o.refs...), uses("--human", o.human), uses("SYS", o.hyps...))
	for flag, paths := range map[string][]string{"--data": o.data, "--test": o.test} {
		for _, path := range paths {
			// What is wrong with it is told by who reads it.
			if f, err := o.judgedFiles(path); err == nil {
				o.flags.texts = slices.Concat(o.flags.texts, f.Refs, f.Outputs)
				inputs = slices.Concat(inputs, uses(flag, f.Refs...), uses(flag, f.Outputs...), uses(flag, f.Human))
				// Also what is read for other objectives.
				inputs = slices.Concat(inputs, uses(flag, filesIn(path, func(name string) bool {
					return strings.HasPrefix(name, "human-") || strings.HasPrefix(name, "src.")
				})...))
			}
		}
	}
	more, err := o.flags.inputs()
	if err != nil {
		return err
	}
	return checkFiles(ctx, append(inputs, more...), uses("-o", o.output))
}

func (a *app) tune(ctx context.Context, o *tuneOptions) error {
	start := time.Now()
	var sets [2][]tune.Set
	var texts []*corpus
	for i, paths := range [][]string{o.data, o.test} {
		for _, path := range paths {
			set, c, err := a.readJudged(ctx, o, path)
			if err != nil {
				return err
			}
			sets[i], texts = append(sets[i], *set), append(texts, c)
		}
	}
	if len(o.data) == 0 {
		set, c, err := a.readSet(ctx, o, files.SystemName(o.human), &files.Folder{Refs: o.refs, Outputs: o.hyps, Human: o.human})
		if err != nil {
			return err
		}
		sets[0], texts = append(sets[0], *set), append(texts, c)
	}
	for _, c := range texts {
		o.flags.lines = append(o.flags.lines, c.lines()...)
	}
	var open openBackend
	defer open.close()
	s, err := o.flags.scorer(ctx, o.metric, &open)
	if err != nil {
		return err
	}
	p, ok := s.(tunable.Scorer)
	if !ok {
		return fmt.Errorf("%s has no parameters to tune", o.metric)
	}
	if err := o.checkNames(p.Parameters()); err != nil {
		return err
	}
	work, done := a.withProgress(ctx, start, "tune")
	r, err := tune.Fit(work, p, sets[0], sets[1], o.fit)
	done()
	if at := (*mteval.SegmentError)(nil); errors.As(err, &at) {
		// Which of the texts it was is told by scoring all of them.
		for _, c := range texts {
			if _, err := mteval.Systems(ctx, p, c.refs, c.systems); err != nil {
				return c.locate(o.metric, err, c.systems)
			}
		}
	}
	if err != nil {
		return err
	}
	a.noteCut(&open)
	if o.output != "" {
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			return err
		}
		if o.output == "-" {
			_, err := a.stdout.Write(b.Bytes())
			return err
		}
		if err := outfile.Write(ctx, o.output, b.Bytes()); err != nil {
			return err
		}
	}
	_, err = a.stdout.Write([]byte(tunedText(r)))
	return err
}

// checkNames checks the names in --fit and --fix.
func (o *tuneOptions) checkNames(params []tunable.Parameter) error {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for flag, list := range map[string][]string{"fit": o.only, "fix": o.fixed} {
		for _, name := range list {
			if !slices.Contains(names, name) {
				return fmt.Errorf("--%s %s: no such parameter of %s: have %s", flag, name, o.metric, strings.Join(names, ", "))
			}
		}
	}
	return nil
}

// tunedText is the table of the figures, and that of the parameters.
func tunedText(r *tuned.Result) string {
	var b strings.Builder
	number := func(v float64) string { return fmt.Sprintf("%.4f", v) }
	rows := [][]string{{r.Objective, "untuned", "tuned"}}
	add := func(name string, f tuned.Figure) {
		rows = append(rows, []string{name, number(f.Untuned), number(f.Tuned)})
	}
	f := r.Figures
	add("training data", f.Train)
	if n := len(f.Folds); n > 0 {
		rows = append(rows, []string{
			fmt.Sprintf("cross-validated (%d folds)", n),
			number(f.CrossValidated.Untuned) + " ± " + number(f.SD.Untuned),
			number(f.CrossValidated.Tuned) + " ± " + number(f.SD.Tuned),
		})
	}
	for _, l := range f.LeftOut {
		add(l.Name+", fitted on the others", l)
	}
	held := fmt.Sprintf("held out (%g%% of the sources)", 100*r.HeldOutShare)
	if len(r.Test) > 0 {
		held = "held out (test data)"
	}
	add(held, f.HeldOut)
	for _, s := range f.HeldOutSets {
		add("  "+s.Name, s)
	}
	grid(&b, rows)
	b.WriteByte('\n')
	rows = [][]string{{"parameter", "untuned", "tuned"}}
	for _, p := range r.Parameters {
		after := mteval.FormatFloat(p.Value)
		if p.Fitted {
			after = fmt.Sprintf("%.4g", p.Value)
		} else {
			after += " (fixed)"
		}
		rows = append(rows, []string{p.Name, mteval.FormatFloat(p.Start), after})
	}
	grid(&b, rows)
	fmt.Fprintf(&b, "\n%s: %s\n", r.Metric, visible(r.Signature))
	return b.String()
}

// Package tune is the command that tunes the parameters of a metric.
package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/scoring"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune"
	"github.com/mteval/mteval/tune/tuned"
)

// Bounds of what is kept for each fold and search.
const (
	maxFolds    = 10_000
	maxRestarts = 10_000
)

// tunables are the metrics that have parameters.
var tunables = []string{"meteor", "dreem", "multilevel-meteor", "multilevel-dreem"}

// tuneOptions are the flags of tune.
type tuneOptions struct {
	metric     string
	data, test []string
	refs       []string
	human      string
	hyps       []string
	threshold  float64
	fit        tune.Options
	output     string
	format     string
	html       string
	flags      registry.Flags

	set *pflag.FlagSet
}

// Command is mteval tune.
func Command(a *app.App) *cobra.Command {
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
		Example: "  mteval tune -m meteor --data wmt18-de-en --test wmt19-de-en -o meteor.json",
		RunE: func(c *cobra.Command, args []string) error {
			o.hyps = args
			if err := o.check(c.Context()); err != nil {
				return err
			}
			return run(c.Context(), a, &o)
		},
	}
	o.add(c.Flags(), a.Note)
	for _, name := range []string{"fit", "fix"} {
		// The only error is that of a flag that is not there, or has one.
		_ = c.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	a.InputFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func (o *tuneOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	o.set = fs
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Naming(&o.data, "path", o.dataFiles), "data", "folder or file of judged data (repeat for several language pairs)").
			Excludes("has references, outputs and what people said", "reference", "human")
		flags.Var(fs, flags.Naming(&o.test, "path", o.dataFiles), "test", "folder or file of judged data to test on (repeat)").Excludes("is held out", "held-out")
		flags.VarP(fs, flags.InputList(&o.refs), "reference", "r", "reference file, in place of --data (repeat for several references)")
		flags.Var(fs, flags.Input(&o.human), "human", "file of what people said, in place of --data")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metric(&o.metric, "meteor", "metric with parameters", tunables...), "metric", "m", "metric to tune: "+strings.Join(tunables, ", "))
	})
	flags.Group(fs, "Fit", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&o.fit.Objective, tune.Kendall, "objective", tune.Kendall, tune.Pearson, tune.SystemPearson, tune.Accuracy), "objective", "what to make as large as possible: "+strings.Join(tune.Objectives(), ", "))
		flags.Var(fs, flags.NonNegative(&o.threshold, metaeval.DARRThreshold), "threshold", "difference of people's scores of a segment from which on they make a pair").OptionOf("objective=kendall")
		flags.Var(fs, flags.List(&o.fit.Only, nil, "parameter"), "fit", "parameters to fit (default all)")
		flags.Var(fs, flags.List(&o.fit.Fixed, nil, "parameter"), "fix", "parameters to leave as they are")
		flags.Var(fs, flags.Int(&o.fit.Folds, 5, 1, maxFolds), "folds", "folds of cross-validation; 1: none")
		flags.Var(fs, flags.Share(&o.fit.HeldOut, .2), "held-out", "share of the sources to hold out without --test")
		flags.Var(fs, flags.Int(&o.fit.Restarts, 3, 1, maxRestarts), "restarts", "searches for a fit, the first from the metric's own parameters, others from random ones")
		flags.Var(fs, flags.Samples(&o.fit.Evaluations, 0, 1), "evaluations", "most evaluations in a search (default 200 for each parameter)")
		flags.Var(fs, flags.Seed(&o.fit.Seed, 12345), "seed", "seed of folds and searches, not 0")
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.OutputOrStdout(&o.output), "output", "o", "file to write the parameters to, as JSON; - is standard output, in place of the table")
		flags.VarP(fs, flags.Enum(&o.format, "text", "format", "text", "json"), "format", "f", "output format of the table: text, json")
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page to")
	})
	o.flags.Add(fs, note)
}

// check refuses what does not go together, beyond what flags say of themselves.
func (o *tuneOptions) check(ctx context.Context) error {
	single := len(o.refs) > 0 || o.human != "" || len(o.hyps) > 0
	switch {
	case len(o.data) == 0 && !single:
		return errors.New("no data: name a folder with --data")
	case len(o.data) > 0 && single:
		return errors.New("--data has references, outputs and what people said: leave -r, --human and outputs out")
	case single && (len(o.refs) == 0 || o.human == "" || len(o.hyps) == 0):
		return errors.New("-r REF, --human FILE and outputs go together")
	}
	if o.output == "-" && o.set.Changed("format") {
		return errors.New("--output - prints the parameters in place of the table: leave --format out")
	}
	// Sentences are what people judged.
	o.flags.Sentences = o.fit.Objective == tune.Kendall || o.fit.Objective == tune.Pearson
	if err := o.flags.Check(ctx, []string{o.metric}); err != nil {
		return err
	}
	o.flags.SetTexts(o.refs, o.hyps)
	for _, path := range slices.Concat(o.data, o.test) {
		// What is wrong with it is told by who reads it.
		if f, err := tune.FindFiles(path, o.fit.Objective); err == nil {
			o.flags.Texts = slices.Concat(o.flags.Texts, f.Refs, f.Outputs)
		}
	}
	return flags.CheckFiles(ctx, o.set, flags.Arguments("SYS", app.OutputPaths(o.hyps))...)
}

// dataFiles are the files of --data and --test, also those for other objectives.
func (o *tuneOptions) dataFiles(path string) []string {
	more := flags.FilesIn(path, func(name string) bool {
		return strings.HasPrefix(name, "human-") || strings.HasPrefix(name, "src.")
	})
	f, err := tune.FindFiles(path, o.fit.Objective)
	if err != nil {
		return more
	}
	return slices.Concat(f.Refs, f.Outputs, []string{f.Human}, more)
}

func run(ctx context.Context, a *app.App, o *tuneOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	data, err := readTuneData(ctx, a, o)
	if err != nil {
		return err
	}
	for _, c := range data.texts {
		o.flags.Lines = append(o.flags.Lines, c.Lines()...)
	}
	var open registry.Backend
	defer open.Close()
	s, err := o.flags.Scorer(ctx, o.metric, &open)
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
	work, done := a.WithProgress(ctx, start, "tune")
	r, err := tune.Fit(work, p, data.train, data.test, o.fit)
	done()
	if err != nil {
		return withOptions(data.locate(ctx, o.metric, p, err))
	}
	a.NoteCut(&open)
	return writeTuned(ctx, a, o, r)
}

// withOptions names the options that an error of a fit is about.
func withOptions(err error) error {
	for part, options := range map[string]string{"too little data for": "--folds, --held-out", "no parameter is left": "--fit, --fix"} {
		if strings.Contains(err.Error(), part) {
			return fmt.Errorf("%w (%s)", err, options)
		}
	}
	return err
}

// tuneData are the sets to fit on and to test on, and the texts of both.
type tuneData struct {
	train, test []tune.Set
	texts       []*files.Corpus
}

// readTuneData reads the sets.
func readTuneData(ctx context.Context, a *app.App, o *tuneOptions) (*tuneData, error) {
	options := tune.SetOptions{CorpusOptions: a.ReadingTexts(), Objective: o.fit.Objective}
	if o.set.Changed("threshold") {
		options.Threshold = &o.threshold
	}
	var out tuneData
	add := func(sets *[]tune.Set, s *tune.FileSet, err error) error {
		if err != nil {
			return app.AdviseTexts(err)
		}
		if len(s.Files.Refs) > 0 {
			a.WarnTexts(s.Corpus)
		}
		*sets, out.texts = append(*sets, s.Set), append(out.texts, s.Corpus)
		return nil
	}
	for _, part := range []struct {
		paths []string
		sets  *[]tune.Set
	}{{o.data, &out.train}, {o.test, &out.test}} {
		for _, path := range part.paths {
			s, err := tune.OpenSet(ctx, path, options)
			if err := add(part.sets, s, err); err != nil {
				return nil, err
			}
		}
	}
	if len(o.data) == 0 {
		s, err := tune.OpenFiles(ctx, &files.Folder{Refs: o.refs, Outputs: o.hyps, Human: o.human}, options)
		if err := add(&out.train, s, err); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// locate says at which of the texts a fit failed, which it finds by scoring all of them.
func (d *tuneData) locate(ctx context.Context, metric string, s mteval.Scorer, err error) error {
	if at := (*mteval.SegmentError)(nil); errors.As(err, &at) {
		for _, c := range d.texts {
			if _, err := mteval.Systems(ctx, s, c.Refs, c.Systems); err != nil {
				return scoring.Locate(c, nil, metric, err)
			}
		}
	}
	return err
}

func writeTuned(ctx context.Context, a *app.App, o *tuneOptions, r *tuned.Result) error {
	if o.html != "" {
		if err := a.WritePage(ctx, tunedPage(r), o.html); err != nil {
			return err
		}
	}
	if o.output != "" {
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			return err
		}
		if o.output == "-" {
			_, err := a.Stdout.Write(b.Bytes())
			return err
		}
		if err := outfile.Write(ctx, o.output, b.Bytes()); err != nil {
			return err
		}
	}
	if o.format == "json" {
		return safe.JSON(a.Stdout, tunedJSON{tunedAnswer(r), r})
	}
	_, err := io.WriteString(a.Stdout, tunedText(r))
	return err
}

// checkNames checks the names in --fit and --fix.
func (o *tuneOptions) checkNames(params []tunable.Parameter) error {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for flag, list := range map[string][]string{"fit": o.fit.Only, "fix": o.fit.Fixed} {
		for _, name := range list {
			if !slices.Contains(names, name) {
				return fmt.Errorf("--%s %s: no such parameter of %s%s: have %s", flag, name, o.metric, nearest.DidYouMean(name, "", names), strings.Join(names, ", "))
			}
		}
	}
	return nil
}

// tunedJSON is the output of tune --format json.
type tunedJSON struct {
	Answer string `json:"answer"`
	*tuned.Result
}

// tunedText is the table of the figures, and that of the parameters.
func tunedText(r *tuned.Result) string {
	var b strings.Builder
	safe.Grid(&b, tunedFigures(r))
	b.WriteByte('\n')
	safe.Grid(&b, tunedParameters(r))
	fmt.Fprintf(&b, "\n%s: %s\n", r.Metric, safe.Visible(r.Signature))
	return b.String()
}

// tunedFigures have a row for each of the data.
func tunedFigures(r *tuned.Result) [][]string {
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
	return rows
}

// tunedParameters have a row for each parameter.
func tunedParameters(r *tuned.Result) [][]string {
	rows := [][]string{{"parameter", "untuned", "tuned"}}
	for _, p := range r.Parameters {
		after := decimal.Format(p.Value)
		if p.Fitted {
			after = fmt.Sprintf("%.4g", p.Value)
		} else {
			after += " (fixed)"
		}
		rows = append(rows, []string{p.Name, decimal.Format(p.Start), after})
	}
	return rows
}

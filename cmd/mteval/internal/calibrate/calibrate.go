// Package calibrate is the command that measures how often metrics are right.
package calibrate

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

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/scoring"
)

// calibrateOptions are the flags of calibrate.
type calibrateOptions struct {
	base              string
	combined, metrics []string
	note              string
	output            string
	format, html, svg string
	flags             registry.Flags
}

// Command is mteval calibrate.
func Command(a *app.App) *cobra.Command {
	var o calibrateOptions
	c := &cobra.Command{
		Use:   "calibrate FOLDER… [-o FILE]",
		Short: "Learn from judged systems how likely people agree with metrics",
		Long: `Calibrate scores systems that people judged, and fits the probability that people
prefer one system to another to what the metrics say of the pair. The file that it
writes is for --calibration FILE of other commands, in place of the calibration that
mteval has.

A FOLDER is a set of systems on one text: references ref.txt or ref.LANGUAGE, such as
ref.de (several are several references of each line), outputs in sys/, one segment a
line, and people's scores of the systems in human.tsv or human-system.tsv, in two
columns with a tab between, system and score, more being better, with or without a
header, or in WMT's table, of which the z scores are taken. All may be gzipped. A
reference's language chooses what --target-language does, which is for those without.
A campaign is what the folder's name has before its first "-", such as wmt19 of
wmt19-en-de: its judges and texts are not independent.

The log odds are proportional to the sum of what metrics say, each in standard errors:
that of --base as it is, and logarithmically that of --combine and that of the
difficulty-aware form of the base without a system's own vote. Other forms, and the
metrics of -m, are recorded alone, so that mteval score --paired can say how often
people agreed with a difference like it. Comet is none of them: it reads sources, which
a FOLDER is not asked for.

What the probabilities are worth is told by campaigns that they were not fitted on,
each in turn, and of one campaign by its sets. Intervals are 95% by resampling sets.
--svg FILE draws how often the confident probabilities were right.`,
		Example: "  mteval calibrate judged/* -o calibration.json --html calibration.html",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return run(c.Context(), a, args, &o) },
	}
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	o.add(c.Flags(), a.Note)
	a.InputFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func (o *calibrateOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	metrics := unsourced()
	names := strings.Join(metrics, ", ")
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.Var(fs, o.flags.Metric(&o.base, "bertscore", "metric that matches tokens", app.Matchers...), "base", "metric that decides where it is sure, and that is made difficulty-aware: "+strings.Join(app.Matchers, ", "))
		flags.Var(fs, o.flags.Metrics(&o.combined, []string{"chrf"}, "metric to combine", metrics...), "combine", "metrics that have a say where --base is not sure: "+names)
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"bleu", "ter", "meteor"}, "metric", metrics...), "metrics", "m", "metrics to record alone: "+names)
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.OutputOrStdout(&o.output), "output", "o", "file to write the calibration to, as JSON; - is standard output, in place of the figures")
		flags.Var(fs, flags.Text(&o.note, "", "text"), "note", "what people's scores are, and where they come from, for the file").OptionOf("output")
		flags.VarP(fs, flags.Enum(&o.format, "text", "format", "text", "json"), "format", "f", "format of the figures: text, json")
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with the figures and a plot to")
		flags.Var(fs, flags.Output(&o.svg), "svg", "file to write the plot alone to: confidence against how often it was right")
	})
	o.flags.Add(fs, note)
}

// unsourced are the metrics that read no sources, which the folders are not asked for.
func unsourced() []string {
	return slices.DeleteFunc(registry.Names(), func(name string) bool { return name == "comet" })
}

// names are the metrics beside the base: those that are combined, then those that are recorded
// alone.
func (o *calibrateOptions) names() (combined, alone []string) {
	combined = o.flags.Unique(o.combined)
	all := o.flags.Unique(slices.Concat([]string{o.base}, combined, o.metrics))
	return combined, all[1+len(combined):]
}

// check refuses what does not go together, before anything is read.
func (o *calibrateOptions) check(ctx context.Context, sets []*scoring.JudgedSet) error {
	switch {
	case slices.ContainsFunc(o.combined, func(name string) bool { return len(o.flags.Unique([]string{o.base, name})) == 1 }):
		return fmt.Errorf("--combine %s: it is the --base already: leave it out", o.base)
	case o.output == "-" && o.flags.Set.Changed("format"):
		return errors.New("--output - prints the calibration in place of the figures: leave --format out")
	}
	var uses []outfile.Use
	for _, s := range sets {
		o.flags.Texts = append(o.flags.Texts, slices.Concat(s.Refs, s.Outputs)...)
		uses = append(uses, flags.Arguments("FOLDER", filesOf(s))...)
	}
	if err := flags.CheckFiles(ctx, o.flags.Set, uses...); err != nil {
		return err
	}
	combined, alone := o.names()
	names := slices.Concat([]string{o.base}, combined, alone)
	if err := o.flags.Check(ctx, names); err != nil {
		return err
	}
	return o.checkLanguages(ctx, names, sets)
}

// checkLanguages finds languages without a tokenizer before the work on other sets.
func (o *calibrateOptions) checkLanguages(ctx context.Context, names []string, sets []*scoring.JudgedSet) error {
	seen := make(map[string]bool)
	for _, s := range sets {
		if seen[s.Language] {
			continue
		}
		seen[s.Language] = true
		for _, name := range names {
			if registry.Name(name) != "bleu" && registry.Name(o.flags.Called(name)) != "bertscore-lexical" {
				continue
			}
			var open registry.Backend
			_, err := o.flags.For(s.Language, nil).Scorer(ctx, name, &open)
			open.Close()
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return nil
}

func run(ctx context.Context, a *app.App, paths []string, o *calibrateOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	sets, err := scoring.FindJudged(paths)
	if err != nil {
		return err
	}
	if err := o.check(ctx, sets); err != nil {
		return err
	}
	if err := readSets(ctx, a, sets); err != nil {
		return err
	}
	var model registry.Backend
	defer model.Close()
	judged := make([]preference.Set, len(sets))
	var terms []preference.Choice
	for i, s := range sets {
		number := fmt.Sprintf("%d/%d", i+1, len(sets))
		if judged[i], terms, err = scoreSet(ctx, a, start, s, number, o, &model); err != nil {
			return err
		}
	}
	a.NoteCut(&model)
	work, done := a.WithProgress(ctx, start, "fit")
	r, err := scoring.Calibrate(work, judged, preference.FitOptions{Terms: terms, Note: o.note})
	done()
	if err != nil {
		return err
	}
	return writeCalibration(ctx, a, o, (*calibrationResult)(r))
}

// A calibrationResult is what is shown.
type calibrationResult scoring.Calibrated

func writeCalibration(ctx context.Context, a *app.App, o *calibrateOptions, r *calibrationResult) error {
	var file bytes.Buffer
	if err := r.Calibration.Write(&file); err != nil {
		return err
	}
	if o.output != "" && o.output != "-" {
		if err := outfile.Write(ctx, o.output, file.Bytes()); err != nil {
			return err
		}
	}
	if o.html != "" {
		if err := a.WritePage(ctx, r.page(), o.html); err != nil {
			return err
		}
	}
	if o.svg != "" {
		var b bytes.Buffer
		if err := r.picture().WriteSVG(&b); err != nil {
			return err
		}
		if err := outfile.Write(ctx, o.svg, b.Bytes()); err != nil {
			return err
		}
	}
	switch {
	case o.output == "-":
		_, err := a.Stdout.Write(file.Bytes())
		return err
	case o.format == "json":
		return safe.JSON(a.Stdout, r.json())
	}
	_, err := io.WriteString(a.Stdout, r.text())
	return err
}

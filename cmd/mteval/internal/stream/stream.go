// Package stream is the command that scores the lines of a stream as they come.
package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/stream"
)

// streamOptions are the flags of stream.
type streamOptions struct {
	metrics []string
	layout  stream.Layout
	refs    []string
	onError stream.OnError
	filter  string
	shard   string
	output  string
	resume  bool
	totals  string
	add     []string
	width   int
	flags   registry.Flags

	set *pflag.FlagSet
}

const streamHelp = `Stream scores the lines of FILE, or of standard input, as they come, and writes the same
lines in the same order with a column or field for each metric. Memory does not grow with
their number, and all processors work. Input may be compressed with gzip or zstd; -o FILE
is where its name ends in .gz or .zst.

Lines are TSV, with a header, or JSON lines, which begin with {. --hypothesis, --reference
(repeat it for several), --source and --id name columns or fields; with --no-header, which
is for tables, columns are numbers from 1. A field of references may be an array of texts.
Everything in a line stays as it is, byte for byte.

A line that can't be read or scored ends the run, or with --on-error skip is left out, or
with null gets empty cells (null in JSON). Standard error has each such line's number (of
the first 100) and counts them. If all lines, two or more, have errors, the run fails with
skip and null, too, but not that of a shard.

--filter leaves lines out for which an expression is false, such as

  bleu > 20 && len_ratio < 2

Its variables are the metrics (chrf++ is chrfpp, and _ stands for what is no letter or
digit, as in bertscore_lexical), and the numbers of tokens under BLEU's 13a: hyp_len,
ref_len (of several references the one nearest to hyp_len), src_len, len_ratio (hyp_len over
ref_len), hyp_src_ratio and ref_src_ratio. A ratio over 0 is infinite, and 1 where both are
0. It has + - * / ** and or not && || ! == != < <= > >= ?: and abs, ceil, floor, max, min,
round. A line with an error is left out.

Without -o the lines go to standard output. -o FILE is there whole or not at all: until the
end lines are in FILE.part, and FILE.progress has how many they are. After a kill, a full
disk or an error, --resume and the same options go on where that ended, and FILE is the
same, byte for byte.

The totals at the end, on standard error and in --totals FILE as JSON, are the scores that
all lines together have, with a filter those that it keeps. --shard 2/8 takes every eighth
line from the second; totals of all shards, each once, are added up by --add-totals, with
the metrics and the filter of the shards.`

// Command is mteval stream.
func Command(a *app.App) *cobra.Command {
	var o streamOptions
	c := &cobra.Command{
		Use:   "stream [-m METRIC,…] [FILE] [-o FILE]",
		Short: "Score any number of lines of TSV or JSON as they come",
		Long:  streamHelp,
		Example: "  mteval stream -m bleu,chrf pairs.tsv -o scored.tsv.gz\n" +
			"  zcat pairs.jsonl.gz | mteval stream --hypothesis mt --reference ref --filter 'bleu > 20' > good.jsonl\n" +
			"  mteval stream -m 'comet(model=Unbabel/wmt22-cometkiwi-da)' pairs.tsv -o scored.tsv --resume",
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), a, args, &o) },
	}
	o.define(a, c.Flags())
	app.AdviseCOMETScore(c)
	return c
}

func (o *streamOptions) define(a *app.App, fs *pflag.FlagSet) {
	o.set = fs
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Text(&o.layout.Hypothesis, "hypothesis", "column"), "hypothesis", "column or field of what is scored")
		flags.VarP(fs, flags.Repeated(&o.refs, "column"), "reference", "r", "column or field of references (repeat for several; default reference)").NoDefault()
		flags.Var(fs, flags.Text(&o.layout.Source, "", "column"), "source", "column or field of sources, for metrics that read them and for --filter (default source, where a metric needs one)").NoDefault()
		flags.Var(fs, flags.Text(&o.layout.ID, "", "column"), "id", "column or field of what a line is called where it has an error")
		flags.Var(fs, flags.Enum(&o.layout.Format, "", "format", stream.TSV, stream.JSONLines), "format", "format of the lines: tsv, jsonl (default: told by the first line)")
		flags.Bool(fs, &o.layout.NoHeader, "no-header", "a table has no header, and columns are numbers from 1")
		flags.Bool(fs, &o.layout.SkipEmptyRefs, "skip-empty-refs", "an empty one of several references is a missing one, not an empty one")
		flags.Var(fs, flags.Text(&o.shard, "", "i/n"), "shard", "part of the lines to score: every n-th, from the i-th")
		flags.Var(fs, flags.InputList(&o.add), "add-totals", "totals of a shard to add up (repeat for each), in place of lines").Excludes("reads no lines", "shard", "output", "resume")
		flags.Var(fs, flags.Int(&a.MaxLine, files.MaxLine, 1, math.MaxInt), "max-line", "longest line, in bytes")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"bleu"}, "metric", registry.Names()...), "metrics", "m", "metrics: "+registry.Usage())
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Output(&o.output), "output", "o", "file to write the lines to, compressed where its name ends in .gz or .zst")
		flags.Bool(fs, &o.resume, "resume", "go on where a run with the same -o and options ended").OptionOf("output")
		flags.Var(fs, flags.Enum(&o.onError, stream.Fail, "way", stream.Fail, stream.Skip, stream.Null), "on-error", "what becomes of lines that can't be scored: fail, skip (they are left out), null (they have no scores)")
		flags.Var(fs, flags.Text(&o.filter, "", "expression"), "filter", "write only lines for which this is true")
		flags.Var(fs, flags.Output(&o.totals), "totals", "file to write the totals to, as JSON")
		flags.VarP(fs, flags.Int(&o.width, -1, -1, 15), "width", "w", "decimals of scores (default 6, and in JSON as many as there are)").NoDefault()
		flags.BoolP(fs, &a.Quiet, "quiet", "q", "say nothing but warnings and errors on standard error")
	})
	o.flags.Add(fs, a.Note)
}

// ErrReaderGone is of a run whose output nobody reads any more, of which nothing is said.
var ErrReaderGone = errors.New("nobody reads the output")

func run(ctx context.Context, a *app.App, args []string, o *streamOptions) error {
	in := "-"
	if len(args) > 0 {
		in = args[0]
	}
	if err := o.check(ctx, args); err != nil {
		return err
	}
	var open registry.Backend
	defer open.Close()
	options, err := optionsOf(ctx, a, o, &open)
	if err != nil {
		return err
	}
	options.Name = in
	if o.add != nil {
		return addTotals(ctx, a, o, options)
	}
	told := int64(0)
	options.Report = func(at *files.LineError) {
		if told++; told <= mostTold {
			a.Say("%v", adviseLine(at))
		}
		if told == mostTold+1 {
			a.Say("more lines with errors are only counted")
		}
	}
	options.End = func(t *stream.Totals) error { return o.writeTotals(ctx, t) }
	totals, err := runStream(ctx, a, in, o, options)
	if err != nil {
		return adviseStream(err, o)
	}
	a.NoteCut(&open)
	tellTotals(a, options.Metrics, totals)
	return nil
}

// mostTold are the lines with errors that are told.
const mostTold = 100

// check refuses what does not go together.
func (o *streamOptions) check(ctx context.Context, args []string) error {
	o.flags.Sentences = true
	ins := flags.Arguments("FILE", args)
	if len(args) == 0 && o.add == nil {
		ins = flags.Arguments("FILE", []string{"-"})
	}
	switch {
	case len(o.metrics) == 0:
		return errors.New("no metric: name one with -m")
	case o.add != nil && len(args) > 0:
		return fmt.Errorf("--add-totals reads no lines: leave %s out", args[0])
	}
	if err := o.flags.Check(ctx, o.metrics); err != nil {
		return err
	}
	if slices.Contains(o.flags.Given("idf"), "true") {
		return errors.New("idf is of all references together, and stream sees a part of them at a time")
	}
	if err := flags.CheckFiles(ctx, o.set, ins...); err != nil {
		return err
	}
	if o.output == "" {
		return nil
	}
	beside, err := stream.Beside(o.output)
	if err != nil {
		return err
	}
	outs := flags.Outputs(o.set)
	for _, path := range beside {
		outs = append(outs, outfile.Use{By: "-o", Path: path})
	}
	return outfile.Check(append(ins, flags.Inputs(o.set)...), outs)
}

// optionsOf makes the options of the engine.
func optionsOf(ctx context.Context, a *app.App, o *streamOptions, open *registry.Backend) (stream.Options, error) {
	out := stream.Options{Layout: o.layout, OnError: o.onError, MaxLine: int64(a.MaxLine), Decimals: o.width}
	var err error
	if out.Shard, err = parseShard(o.shard); err != nil {
		return out, err
	}
	if out.Pack, err = packer(o.output); err != nil {
		return out, err
	}
	scorers, err := o.flags.Scorers(ctx, o.metrics, open)
	if err != nil {
		return out, err
	}
	var names []string
	for _, s := range scorers {
		m := stream.Metric{Scorer: s}
		if m.Corpus, err = o.flags.Corpus(ctx, s); err != nil {
			return out, err
		}
		out.Metrics = append(out.Metrics, m)
		names = append(names, s.Info().Name)
	}
	for _, x := range o.flags.Unsigned() {
		out.Also = append(out.Also, stream.Option{Name: x[0], Value: x[1]})
	}
	if o.flags.RunsModel(o.metrics) {
		out.Workers = 2 // each uses all processors: one more, so that none waits
	}
	if err := o.setColumns(&out.Layout, scorers); err != nil {
		return out, err
	}
	if o.filter != "" {
		out.Filter, err = compileFilter(o.filter, stream.Variables(names, len(out.Layout.References) > 0, out.Layout.Source != ""))
	}
	return out, err
}

// setColumns sets the columns of references and sources: those that were named, or where a metric
// can't do without the standard ones.
func (o *streamOptions) setColumns(l *stream.Layout, scorers []mteval.Scorer) error {
	l.References = o.refs
	for _, s := range scorers {
		in := mteval.InputsOf(s)
		if in.References == mteval.Required && len(l.References) == 0 {
			l.References = []string{"reference"}
		}
		if in.Sources == mteval.Required {
			l.Source = cmp.Or(l.Source, "source")
		}
	}
	for _, s := range scorers {
		if in := mteval.InputsOf(s); in.Sources != mteval.Unused && len(l.References) == 0 {
			l.Source = cmp.Or(l.Source, "source")
		}
	}
	if l.NoHeader && l.Format != stream.JSONLines {
		for _, c := range []struct {
			flag  string
			names []string
		}{{"hypothesis", []string{l.Hypothesis}}, {"reference", l.References}, {"source", []string{l.Source}}, {"id", []string{l.ID}}} {
			for _, name := range c.names {
				if n, err := strconv.Atoi(name); name != "" && (err != nil || n < 1) {
					return fmt.Errorf("--%s %s: with --no-header columns are numbers from 1", c.flag, name)
				}
			}
		}
	}
	return nil
}

// parseShard reads I/N.
func parseShard(text string) (stream.Shard, error) {
	var s stream.Shard
	if text == "" {
		return s, nil
	}
	i, n, ok := strings.Cut(text, "/")
	var errI, errN error
	s.Number, errI = strconv.Atoi(i)
	s.Of, errN = strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || s.Number < 1 || s.Number > s.Of {
		return s, fmt.Errorf("--shard %s: want i/n, such as 2/8, with i from 1 to n", text)
	}
	return s, nil
}

// runStream opens input and output.
func runStream(ctx context.Context, a *app.App, in string, o *streamOptions, options stream.Options) (*stream.Totals, error) {
	file := os.Stdin
	if in != "-" {
		var err error
		// A pipe waits for its writer, which may never come.
		if file, err = parallel.Await(ctx, func() (*os.File, error) { return sidefile.Open(in) }); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	counted, clear := counted(a, file, in)
	defer clear()
	r, closeInput, err := unpacked(ctx, counted, in)
	if err != nil {
		return nil, err
	}
	defer closeInput()
	if o.output == "" {
		return stream.Run(ctx, r, a.Stdout, options)
	}
	if outfile.Replaces(o.output) {
		return stream.RunFile(ctx, r, o.output, o.resume, options)
	}
	if o.resume {
		return nil, fmt.Errorf("--resume: %s is no file that could be gone on with", o.output)
	}
	w, err := outfile.Create(ctx, o.output)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	totals, err := stream.Run(ctx, r, w, options)
	if err != nil {
		return totals, err
	}
	return totals, w.Commit()
}

// adviseLine adds to the error of a line the flag that helps.
func adviseLine(err error) error {
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return fmt.Errorf("%w (--max-line)", err)
	case errors.Is(err, mteval.ErrTooLong):
		return fmt.Errorf("%w (--max-tokens)", err)
	case errors.Is(err, backend.ErrTruncated):
		return fmt.Errorf("%w (the option long=cut scores its beginning)", err)
	}
	return err
}

// adviseStream says of an error what to do.
func adviseStream(err error, o *streamOptions) error {
	var at *files.LineError
	var kept *stream.KeptError
	resumes := errors.As(err, &kept)
	if resumes {
		err = kept.Err
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		return ErrReaderGone
	case errors.Is(err, stream.ErrUnderWay):
		return err
	case errors.Is(err, stream.ErrBegun):
		return fmt.Errorf("%w (--resume goes on)", err)
	case errors.Is(err, stream.ErrOtherInput):
		return fmt.Errorf("%w: --resume goes on with the same lines; remove %s.part and %[2]s.progress to begin anew", err, o.output)
	case errors.As(err, &at):
		err = adviseLine(err)
	}
	if resumes {
		return fmt.Errorf("%w; what was scored till then is kept, and --resume goes on", err)
	}
	return err
}

// Package score is the command that scores translations against references.
package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/scoring"
)

// scoreOptions are the flags of score.
type scoreOptions struct {
	Refs, Inputs []string
	source       string
	metrics      []string
	Sets         setOptions
	sentences    bool
	output       string
	scoreOnly    bool
	short        bool
	width        int
	confidence   bool
	confidenceN  int
	paired       string
	pairedN      int
	bsN, arN     int // sacreBLEU's names of it
	seed         uint64
	force        bool
	flags        registry.Flags
	sacreSystems []string // the systems' names in sacrebleu-json
	html         string
	htmlSegments int

	calibrationPath string
	calibration     *preference.Calibration // nil if nothing is told of people
}

// Command is mteval score.
func Command(a *app.App) *cobra.Command {
	var o scoreOptions
	c := &cobra.Command{
		Use:   "score {-r REF… | -t SET -l PAIR | --source SRC -m comet} HYP…",
		Short: "Score systems' outputs against references",
		Long: `Score prints the score of each HYP by each metric. Files have one segment a line
and as many lines as REF; they may be compressed with gzip, and - is standard
input. Several -r are several references of each segment.

The command lines of sacreBLEU do as well, with its options in both spellings (-tok zh -lc),
metrics after one another (-m bleu chrf ter), references as arguments and outputs behind -i
or in standard input, where each column is a system, and its test sets (-t wmt24 -l en-de).

-m comet scores with a COMET model, as in -m 'comet(model=DIR)', as unbabel-comet does. It reads --source
FILE, the sources; of a model without references -r may be missing, and arguments are
outputs then, too. A test set has its sources. mteval model get fetches models.

With --sentence-level it prints a line for each segment, tab-separated: system,
metric, segment, score, and P, R and F where the metric has them; with --format tsv there
is a header, and a column lower_is_better behind the score. BLEU then has effective order,
as in sacreBLEU.

Below the table each system has the parts of its BLEU, as sacreBLEU writes them, which
json has as numbers. chrF with words of one and two, chrf(word-order=2), is called
chrf++, and that is a name for -m, too.

--format tsv has a row for each system and metric, a number a cell: system, metric, score,
with intervals their mean, low and high, with --paired p, which the first system has not,
lower_is_better (true of error metrics) and signature. Scores have 6 decimals, or those of
--width. mteval meta --scores reads tsv and json.
--format sacrebleu-json is for scripts that read sacreBLEU's --format json: its shape and
names, and one decimal, or those of --width. Of metrics that sacreBLEU does not have,
scores on 0 to 1 have four.

--html FILE writes a page for people: which system is best and how sure that is, the tables, plots,
and the segments, those on which systems differ most first, with scores as --sentence-level has
them. It shows the sources of --source, or of the test set.

A name with a tab, line end or other control character has \t, \n, \r or such as \u001b
in its place, and \\ for a backslash.

--confidence adds the mean and the 95% interval of bootstrap samples to each score.
--paired bs (bootstrap) and --paired ar (approximate randomization) test each system
against the first and add the p-value; * marks one below 0.05. Samples and seed are
sacreBLEU's, and so are the figures. The first is passed over where it comes again, as in
sys/base.txt sys/*.txt.

A p-value says whether other texts would show a difference too, and not whether people
would. So --paired also tells, in text and json, what such a difference has meant: of pairs
of judged systems of WMT17 to 21 whose scores by the same metric and signature differed by
as many standard errors |z|, how often people put the system with the better score above.
--calibration FILE takes other judgements, as mteval calibrate writes it.`,
		Example: "  mteval score -r ref.de -m bleu,chrf,ter --paired bs sys/*.txt\n" +
			"  mteval score -t wmt24 -l en-de -m bleu chrf -i out.de\n" +
			"  mteval score -r ref.de --source src.en -m comet sys/*.txt",
		Version: mteval.Version,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return runScore(c.Context(), a, args, &o) },
	}
	// For sacrebleu -V.
	c.SetVersionTemplate("mteval version {{.Version}}\n")
	c.InitDefaultVersionFlag()
	c.Flags().Lookup("version").Hidden = true
	o.add(a, c.Flags())
	app.AdviseCOMETScore(c)
	a.InputFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func runScore(ctx context.Context, a *app.App, args []string, o *scoreOptions) error {
	if o.Sets.asked() != "" {
		return tellSets(ctx, a, &o.Sets, slices.Concat(args, o.Refs, o.Inputs))
	}
	t, err := o.Form(args, app.IsTerminal(os.Stdin))
	if err != nil {
		return err
	}
	if o.paired != "" {
		t.Outputs = onceBaseline(a, t.Outputs)
	}
	o.flags.SetTexts(t.Refs, t.Outputs)
	if err := o.check(ctx); err != nil {
		return err
	}
	if err := flags.CheckFiles(ctx, o.flags.Set, o.arguments(args, t)...); err != nil {
		return err
	}
	return score(ctx, a, t, o)
}

// arguments are the files that arguments name.
func (o *scoreOptions) arguments(args []string, t *app.Texts) []outfile.Use {
	if slices.Equal(args, t.Refs) {
		return flags.Arguments("REF", args)
	}
	return flags.Arguments("HYP", app.OutputPaths(args))
}

func (o *scoreOptions) add(a *app.App, fs *pflag.FlagSet) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.InputList(&o.Refs), "reference", "r", "reference file (repeat for several references)")
		app.ShownSourceFlag(fs, &o.source)
		flags.VarP(fs, flags.InputList(&o.Inputs), "input", "i", "outputs, in place of arguments (-i A B … or repeated)")
		flags.Bool(fs, &o.force, "force", "do not warn of outputs that look tokenized")
	})
	o.Sets.add(fs)
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"bleu"}, "metric", registry.Names()...), "metrics", "m", "metrics: "+registry.Usage())
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.Bool(fs, &o.sentences, "sentence-level", "print the score of every segment").Excludes("is not of systems", "confidence", "paired")
		flags.VarP(fs, flags.Enum(&o.output, "text", "format", scoreFormats...), "format", "f", "output format: "+strings.Join(scoreFormats, ", "))
		flags.BoolP(fs, &o.scoreOnly, "score-only", "b", "print the scores only").Excludes("prints scores only", "short", "paired", "confidence")
		flags.Bool(fs, &o.short, "short", "print short signatures")
		flags.VarP(fs, flags.Int(&o.width, -1, -1, 15), "width", "w", "decimals of scores; -1: 2 for scores on 0 to 100, 4 for others").NoDefault()
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with plots and segments to")
		flags.Var(fs, flags.Int(&o.htmlSegments, math.MaxInt, 0, math.MaxInt), "html-segments", "segments on the page, those on which systems differ most (default all)").OptionOf("html").NoDefault()
		flags.BoolP(fs, &a.Quiet, "quiet", "q", "say nothing but warnings and errors on standard error")
		fs.Bool("no-color", false, "there are no colors")
	})
	flags.Group(fs, "Significance", func(fs *pflag.FlagSet) {
		flags.Bool(fs, &o.confidence, "confidence", "add 95% confidence intervals by bootstrap")
		flags.Var(fs, flags.Samples(&o.confidenceN, 1000, 1), "confidence-n", "bootstrap samples of --confidence").OptionOf("confidence")
		flags.Var(fs, flags.Enum(&o.paired, "", "paired test", "bs", "ar"), "paired", "test against the first system: bs (bootstrap), ar (approximate randomization)")
		flags.Var(fs, flags.Samples(&o.pairedN, 0, 0), "paired-n", "samples of --paired (default 1000 for bs, 10000 for ar)").OptionOf("paired")
		flags.Shortcut(fs, "paired-bs", "paired", "bs")
		flags.Shortcut(fs, "paired-ar", "paired", "ar")
		flags.Var(fs, flags.Samples(&o.bsN, 0, 0), "paired-bs-n", "samples of --paired bs").OptionOf("paired").Excludes("is --paired-n", "paired-n")
		flags.Var(fs, flags.Samples(&o.arN, 0, 0), "paired-ar-n", "samples of --paired ar").OptionOf("paired").Excludes("is --paired-n", "paired-n")
		flags.VarP(fs, flags.Int(new(int), 1, 0, math.MaxInt), "paired-jobs", "j", "nothing: all processors are used")
		flags.Var(fs, flags.Seed(&o.seed, 12345), "seed", "seed of the samples, not 0").OptionOf("confidence", "paired")
		flags.Var(fs, flags.Input(&o.calibrationPath), "calibration", "calibration to use (default: the embedded one)").OptionOf("paired")
	})
	o.flags.Add(fs, a.Note)
	o.flags.AddSacreBLEU(fs)
	for _, name := range []string{"no-color", "paired-bs-n", "paired-ar-n", "paired-jobs"} {
		fs.Lookup(name).Hidden = true
	}
}

// check refuses what does not go together, beyond what flags say of themselves.
func (o *scoreOptions) check(ctx context.Context) error {
	o.flags.Sentences = o.sentences
	if err := cmp.Or(o.environment(os.Getenv), o.setTarget()); err != nil {
		return err
	}
	given := o.flags.Set.Changed
	switch {
	case len(o.metrics) == 0:
		return errors.New("no metric: name one with -m")
	case o.sentences && (o.output == "latex" || o.output == sacrebleuJSON):
		return fmt.Errorf("no format %s for sentences: have text, tsv, json", o.output)
	case o.scoreOnly && o.output != "text":
		return fmt.Errorf("--score-only prints scores only, as text: leave --format %s out", o.output)
	case given("confidence-n") && o.paired == "bs":
		return errors.New("--confidence-n is the samples of --confidence, and those of --paired bs are --paired-n")
	case o.short && o.sentences && o.output != "json":
		return errors.New("--short is of signatures, which are not printed here")
	case given("width") && o.output == "json":
		return errors.New("--width: numbers are whole in json; those of --format sacrebleu-json, sacreBLEU's, are not")
	case o.Sets.detail && o.output != "text" && o.output != "json":
		return fmt.Errorf("--detail: no format %s: have text, json", o.output)
	case o.calibrationPath != "" && o.output != "text" && o.output != "json":
		return fmt.Errorf("--calibration: format %s does not tell of people", o.output)
	}
	return o.flags.Check(ctx, o.metrics)
}

func score(ctx context.Context, a *app.App, t *app.Texts, o *scoreOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	var open registry.Backend
	defer open.Close()
	if o.paired != "" && (o.output == "text" || o.output == "json") {
		var err error
		if o.calibration, err = app.OpenCalibration(ctx, o.calibrationPath); err != nil {
			return err
		}
	}
	all, c, err := readScored(ctx, a, t, o)
	if err != nil {
		return err
	}
	o.flags.Lines = all.Lines()
	scorers, err := o.flags.Scorers(ctx, o.metrics, &open)
	if err != nil {
		return err
	}
	if err := a.CheckReads(c, o.source, o.html, scorers); err != nil {
		return err
	}
	if o.paired != "" && len(c.Systems) < 2 {
		return errors.New("--paired needs two systems or more: each is tested against the first")
	}
	warnTokenizer(a, o)
	if registry.Has(o.metrics, "bleu") && !o.force {
		a.WarnTokenized(c.Systems)
	}
	columns, err := scoreColumns(ctx, a, o, scorers, a.Run(start, "", c, nil), &open)
	if err != nil {
		return err
	}
	if o.Sets.detail {
		if err := scoreSetParts(ctx, a, start, o, t.Set, scorers, all, columns); err != nil {
			return err
		}
	}
	a.NoteCut(&open)
	if o.html != "" {
		if err := writeScorePage(ctx, a, o, columns, c, &open); err != nil {
			return err
		}
	}
	if o.output == sacrebleuJSON {
		o.sacreSystems = o.sacreNames(t, c.Systems)
	}
	return o.print(a.Stdout, columns, len(c.Systems))
}

func scoreColumns(ctx context.Context, a *app.App, o *scoreOptions, scorers []mteval.Scorer, run *scoring.Run, open *registry.Backend) ([]*scoreColumn, error) {
	var out []*scoreColumn
	for _, s := range scorers {
		column, err := readColumn(ctx, a, o, s, run, open)
		if err != nil {
			return nil, err
		}
		out = append(out, column)
	}
	return out, nil
}

// readColumn scores and tests the systems by one metric.
func readColumn(ctx context.Context, a *app.App, o *scoreOptions, s mteval.Scorer, run *scoring.Run, open *registry.Backend) (*scoreColumn, error) {
	t, err := run.Table(ctx, s)
	if err != nil {
		return nil, err
	}
	name := t.Info.Name
	a.NoteLimits(scoring.Limits(s, t))
	levels := a.NoteLevels(s, t)
	tested, err := scoring.Test(ctx, t, o.tests())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sig := open.Sign(name, tested.Signature)
	people, err := people(ctx, a, o, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &scoreColumn{table: t, info: t.Info, fields: sig, signature: sig.String()}
	if o.short {
		out.signature = sig.Short()
	}
	for k, x := range tested.Systems {
		r := resultJSON{System: x.System, Metric: name, Score: x.Score, LowerIsBetter: out.info.LowerIsBetter, Signature: out.signature, Confidence: (*intervalJSON)(x.Interval), P: x.P, People: people[k]}
		r.BLEU = bleuParts(s, t, k)
		if levels != nil {
			r.Levels = levels[k]
		}
		if o.sentences {
			r.Segments = segments(s, t, k)
		}
		out.results = append(out.results, r)
	}
	return out, nil
}

// intervals says whether scores have intervals, which those of the paired bootstrap come with.
func (o *scoreOptions) intervals() bool { return o.confidence || o.paired == "bs" }

// tests are what was asked for beside the scores.
func (o *scoreOptions) tests() scoring.TestOptions {
	out := scoring.TestOptions{Intervals: o.confidence, IntervalSamples: o.confidenceN, Seed: o.seed}
	switch o.paired {
	case "bs":
		out.Paired, out.Samples = scoring.Bootstrap, cmp.Or(o.pairedN, o.bsN)
	case "ar":
		out.Paired, out.Samples = scoring.Randomization, cmp.Or(o.pairedN, o.arN)
	}
	return out
}

// segments are the scores of a system's segments.
func segments(s mteval.Scorer, t *mteval.Table, system int) []segmentJSON {
	prf, hasPRF := s.(mteval.PRFScorer)
	out := make([]segmentJSON, t.Len())
	for i := range out {
		out[i].Score = t.SegmentScore(system, i)
		if hasPRF {
			v := prf.PRF(t.Row(system, i))
			out[i].P, out[i].R, out[i].F = &v.P, &v.R, &v.F
		}
	}
	return out
}

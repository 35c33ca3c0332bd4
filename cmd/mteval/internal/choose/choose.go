// Package choose is the command that chooses the segments that people should judge: mteval select.
package choose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/selection"
)

// selectOptions are the flags of select.
type selectOptions struct {
	refs, scores, after []string
	directions          app.DirectionFlags
	source, documents   string
	tree, set, pair     string
	metrics             []string
	methodTexts         []string
	methods             []selection.Method
	number, words       int
	whole               bool
	wordTokenizer       string
	seed                uint64
	path, output, rows  string
	evaluate            bool
	human, humanScore   string
	humanFormat         files.Form
	choices             int
	alpha               float64
	html, svg           string
	flags               registry.Flags
}

const selectHelp = `Select chooses the segments that people should judge, where they can't judge all: -n N of
them, or as many as have --words N. It takes the outputs SYS… of the systems that are to be
judged, a segment a line, or metrics' scores of them, or both, and --method says what makes
a segment worth judging:

  variance      metrics give the systems different scores (the population variance)
  consistency   they rank the systems there as on all segments (Kendall's tau-c)
  average       they find the outputs bad on the average
  diversity     the outputs have few words in common, which stand between spaces; needs no
                reference and no metric
  difficulty    systems miss the tokens of the reference
  length        it has many words, the plain rival of the others
  random        chance, by --seed

The first three are of the metric of --scores FILE, a table as mteval meta --scores reads it
(COMET's or MetricX's, say; mteval meta --help says of which less is better), or of -m, which
needs -r REF, --source SRC (comet), or both; where there are several, :METRIC says of which,
as in variance:COMET. diversity:chrf takes how alike outputs are by that
metric, which suits texts without spaces; difficulty:wordf matches tokens as that metric
does (as bertscore, if none is named). Methods are added up with + and weighed with *:
consistency+2*variance is the weighted mean of the ranks that each gives the segments. All but
difficulty, length and random follow subset2evaluate. Without --method it is
variance+consistency, or diversity if there is neither a score nor a reference.
docs/select.md says what each is worth. Segments of scores that are numbered from 0 are lined up
with the texts, as by mteval compare: standard error says so, and --first-segment overrides it.

The list is printed, or written to -o FILE, in the order of utility, equal ones as they
stand in the text, with the number of the segment from 1, its document, source, reference
and outputs: as table (tsv, csv) with a row a segment, or with --rows outputs a row an
output, or as JSON lines (jsonl), whose item_id, src, ref and tgt are what Pearmut's items
have. text has the numbers only, and json also the utilities of all segments. A larger -n
begins with what a smaller one chose; --after FILE leaves out what such a list, or any table
with a column segment (or segid, item_id and the like), or a list of segments, has already,
which serves --words and --whole-documents too.

Words are counted of the source, or where there is none of the first reference: what stands
between spaces, or the tokens of --words-tokenize (zh, char or ja-mecab for texts without
spaces). What no longer fits is passed over for the next that does. --documents FILE has the
document of each segment, a line each, or domain, tab, document; --whole-documents chooses
documents as a whole, by the mean of their segments. Segments without any output, and those
with the same source (or reference) and outputs as another, are left out, which standard
error counts; of whole documents repetitions stay.

--evaluate says what methods are worth on a set that people judged whole: the rank
correlation (Kendall's tau-b) of the systems' means on the chosen segments with those on all,
and how many clusters of systems their judgements tell apart (permutation tests at --alpha),
for 5% to 50% of the segments, and of the words, against --choices random choices. + is
above the middle 95% of these, − below. --human is a table of people's scores of segments or
of their pairs, as mteval meta --human reads it.

--mtme DIR reads texts, people's scores and metrics' scores of the language pair --lp from a
folder of mt-metrics-eval, such as wmt23; the systems are those of WMT's metrics task, and
METRIC is named with its reference, as in variance:COMET-refA.`

// Command is mteval select.
func Command(a *app.App) *cobra.Command {
	var o selectOptions
	c := &cobra.Command{
		Use:   "select {-n N | --words N | --evaluate} [-r REF] [--source SRC] [--scores FILE] SYS…",
		Short: "Choose the segments that people should judge",
		Long:  selectHelp,
		Example: "  mteval select -n 100 --scores comet.tsv --source src.txt -o chosen.csv sys/*.txt\n" +
			"  mteval select -n 100 --source src.txt -m 'comet(model=Unbabel/wmt22-cometkiwi-da)' sys/*.txt\n" +
			"  mteval select --evaluate --human human.tsv -r ref.de --source src.txt sys/*.txt",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), a, args, &o)
		},
	}
	o.add(c.Flags(), a.Note)
	app.AdviseCOMETScore(c)
	a.InputFlags(c.Flags())
	a.SegmentFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func (o *selectOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.InputList(&o.refs), "reference", "r", "reference file (repeat for several references)")
		flags.Var(fs, flags.Input(&o.source), "source", "file of the source")
		flags.Var(fs, flags.Input(&o.documents), "documents", "file with the document of each segment, a line each")
		flags.Var(fs, flags.InputList(&o.scores), "scores", "file of metrics' scores of segments (repeat for several)")
		for _, f := range o.directions.Add(fs) {
			f.OptionOf("scores")
		}
		flags.Var(fs, flags.InputList(&o.after), "after", "list of segments that were chosen before (repeat for several): choose of the others")
		flags.Var(fs, flags.Folder(&o.tree, func(dir string) []string { return app.TreeFiles(dir, o.set, o.pair) }), "mtme", "folder of mt-metrics-eval to read everything of").
			Excludes("has all texts and scores", "reference", "source", "documents", "scores", "human", "human-format")
		flags.Var(fs, flags.Text(&o.set, "", "set"), "set", "test set of --mtme, such as wmt23 (default the only one)").OptionOf("mtme").NoDefault()
		flags.Var(fs, flags.Text(&o.pair, "", "pair"), "lp", "language pair of --mtme, or to read of pairs of several, such as en-de")
	})
	flags.Group(fs, "Choice", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Int(&o.number, 0, 1, math.MaxInt), "number", "n", "how many segments to choose, at most").NoDefault()
		flags.Var(fs, flags.Int(&o.words, 0, 1, math.MaxInt), "words", "how many words to choose, at most, of the source, or else of the reference").NoDefault()
		flags.Var(fs, flags.RepeatedParts(&o.methodTexts, "methods"), "method", "what makes a segment worth judging, such as variance, diversity or consistency+2*variance; several for --evaluate, with commas between")
		flags.Bool(fs, &o.whole, "whole-documents", "choose documents as a whole").OptionOf("documents", "mtme")
		flags.Var(fs, flags.Enum(&o.wordTokenizer, "none", "tokenizer of words", registry.PlainTokenizers...), "words-tokenize", "tokenizer by which words are counted: "+strings.Join(registry.PlainTokenizers, ", "))
		flags.Var(fs, flags.Seed(&o.seed, 12345), "seed", "seed of random choices and of tests, not 0")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"chrf"}, "metric", registry.Names()...), "metrics", "m", "metrics of methods, where there are no --scores: "+registry.Usage())
	})
	flags.Group(fs, "What methods are worth", func(fs *pflag.FlagSet) {
		flags.Bool(fs, &o.evaluate, "evaluate", "compare methods with random choice, by people's judgements of all segments").
			Excludes("looks at budgets of 5% to 50%", "number", "words", "after", "rows")
		flags.Var(fs, flags.Input(&o.human), "human", "file of people's scores of segments, or of their pairs").OptionOf("evaluate")
		flags.Var(fs, flags.Enum(&o.humanFormat, "", "human format", files.SegmentTable, files.WMTSegments, files.PairTable), "human-format", "what --human is: scores, wmt-segments, pairs (default: told by its header)").OptionOf("human")
		flags.Var(fs, flags.Text(&o.humanScore, "", "human score", "raw", "z", "mqm", "da-sqm"), "human-score", "score of WMT's files: raw (the default), z; with --mtme mqm, da-sqm or what else there is").OptionOf("human", "mtme").NoDefault()
		flags.Var(fs, flags.Samples(&o.choices, 100, 1), "choices", "random choices to compare with").OptionOf("evaluate")
		flags.Var(fs, flags.Share(&o.alpha, .05), "alpha", "level of significance of clusters").OptionOf("evaluate")
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with the curves to").OptionOf("evaluate")
		flags.Var(fs, flags.Output(&o.svg), "svg", "file to write the curves of clusters by segments alone to").OptionOf("evaluate")
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Output(&o.path), "output", "o", "file to write the list to, whose name tells the format: .tsv, .csv, .jsonl, .json")
		flags.VarP(fs, flags.Enum(&o.output, "", "format", selectFormats...), "format", "f", "output format: "+strings.Join(selectFormats, ", ")+" (default text, or that of -o)")
		flags.Var(fs, flags.Enum(&o.rows, "segments", "rows", "segments", "outputs"), "rows", "what a row is of: segments, outputs")
	})
	o.flags.Add(fs, note)
}

var selectFormats = []string{"text", "tsv", "csv", "jsonl", "json"}

// check refuses what does not go together, beyond what flags say of themselves.
func (o *selectOptions) check(ctx context.Context, args []string, stdout io.Writer) error {
	given := o.flags.Set.Changed
	switch {
	case !o.evaluate && o.number == 0 && o.words == 0:
		return errors.New("how many segments? Give -n N, or --words N, or compare methods with --evaluate")
	case o.evaluate && o.human == "" && o.tree == "":
		return errors.New("--evaluate needs people's scores: name a file with --human")
	case o.tree != "" && o.pair == "":
		return errors.New("--mtme needs a language pair: name one with --lp, such as en-de")
	case o.tree == "" && o.humanScore != "" && o.humanScore != "raw" && o.humanScore != "z":
		return fmt.Errorf("--human-score %s: WMT's files have raw and z; other names are of --mtme", o.humanScore)
	case o.tree != "" && len(args) > 0:
		return fmt.Errorf("--mtme has the systems' outputs: leave %s out", args[0])
	case o.tree == "" && len(args) == 0 && len(o.scores) == 0:
		return errors.New("no outputs and no scores: name files of outputs, or of scores with --scores")
	case len(args) == 0 && o.tree == "" && len(o.refs) > 0:
		return errors.New("-r: references are compared with outputs: name files of outputs")
	}
	if err := o.setFormat(stdout); err != nil {
		return err
	}
	var err error
	if o.methods, err = parseMethods(o.methodTexts); err != nil {
		return err
	}
	// Diversity is of a metric between outputs, and may be of one with options.
	if given("metrics") && len(o.refs) == 0 && o.tree == "" && !o.between() && !(o.source != "" && registry.Has(o.metrics, "comet")) {
		if registry.Has(o.metrics, "comet") {
			return errors.New("-m: these metrics compare outputs with references, or comet with sources: name a file with -r or --source")
		}
		return errors.New("-m: these metrics compare outputs with references: name a file with -r")
	}
	if len(o.methods) > 1 && !o.evaluate {
		return fmt.Errorf("--method: one of %s and %s can choose: add them up with +, or compare them with --evaluate", o.methods[0].Text, o.methods[1].Text)
	}
	o.flags.SetTexts(o.refs, args)
	if err := flags.CheckFiles(ctx, o.flags.Set, flags.Arguments("SYS", app.OutputPaths(args))...); err != nil {
		return err
	}
	o.flags.Sentences = true
	return o.flags.Check(ctx, o.metrics)
}

// between says whether a method compares outputs by a metric.
func (o *selectOptions) between() bool {
	return slices.ContainsFunc(o.methods, func(m selection.Method) bool {
		return slices.ContainsFunc(m.Parts, func(p selection.Part) bool { return p.Name == "diversity" && p.Metric != "" })
	})
}

// setFormat tells the format by the name of the file.
func (o *selectOptions) setFormat(stdout io.Writer) error {
	if o.output == "" {
		o.output = "text"
		if o.path != "" {
			o.output = strings.ToLower(strings.TrimPrefix(filepath.Ext(o.path), "."))
			if o.output == "ndjson" {
				o.output = "jsonl"
			}
		}
		if !slices.Contains(selectFormats, o.output) && o.output != "txt" {
			return fmt.Errorf("-o %s: the name does not tell the format: end it with .csv, .tsv, .jsonl or .json, or give --format", o.path)
		}
		if o.output == "txt" {
			o.output = "text"
		}
	}
	if out, ok := stdout.(*app.Output); ok && o.output == "csv" && o.path == "" && app.IsTerminal(out.W) {
		// Texts of others may have in them what moves a cursor.
		return errors.New("--format csv has texts as they are, which are not for a terminal: write them to a file with -o")
	}
	if o.evaluate && (o.output == "csv" || o.output == "jsonl") {
		return fmt.Errorf("--evaluate: no format %s: have text, tsv, json", o.output)
	}
	if o.rows == "outputs" && (o.output == "text" || o.output == "json") {
		return fmt.Errorf("--rows outputs is of tsv, csv and jsonl: format %s has segments", o.output)
	}
	return nil
}

func run(ctx context.Context, a *app.App, args []string, o *selectOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	if err := o.check(ctx, args, a.Stdout); err != nil {
		return err
	}
	in, err := readSelection(ctx, a, start, args, o)
	if err != nil {
		return err
	}
	defer in.backend.Close()
	if o.rows == "outputs" && in.Systems == nil {
		return errors.New("--rows outputs: there are no outputs: name files of them")
	}
	if len(o.methods) == 0 {
		o.methods = in.StandardMethods(in.metricNames(), o.evaluate)
	}
	// What people said is read first: it may be wrong, and methods take time.
	if o.evaluate {
		return evaluateMethods(ctx, a, start, o, in)
	}
	utilities, err := in.utilities(ctx, o.methods[0])
	if err != nil {
		return err
	}
	a.NoteCut(&in.backend)
	l, err := in.choose(ctx, utilities)
	if err != nil {
		return err
	}
	return l.write(ctx)
}

// choose chooses the segments.
func (in *selectInput) choose(ctx context.Context, utilities []float64) (*selectList, error) {
	o := in.options
	before, err := in.before(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.countWords(); err != nil {
		return nil, err
	}
	if o.words > 0 && in.Lengths == nil {
		return nil, errors.New("--words: there is no text to count words of: name one with --source, or -r")
	}
	l := &selectList{in: in, method: o.methods[0]}
	if l.Choice, err = in.Choose(utilities, selection.Budget{Segments: o.number, Words: o.words, Whole: o.whole, Chosen: before}); err != nil {
		return nil, err
	}
	if len(l.Segments) == 0 {
		return nil, l.nothing()
	}
	return l, nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

// maxSamples bounds the samples of tests, each of which keeps a number a system.
const maxSamples = 1_000_000

// scoreOptions are the flags of score.
type scoreOptions struct {
	refs, metrics []string
	sentences     bool
	output        string
	scoreOnly     bool
	short         bool
	width         int
	confidence    bool
	confidenceN   int
	paired        string
	pairedN       int
	seed          uint64
	force         bool
	flags         metricFlags
}

func (a *app) scoreCommand() *cobra.Command {
	var o scoreOptions
	c := &cobra.Command{
		Use:   "score -r REF [-r REF2 …] HYP…",
		Short: "Score systems' outputs against references",
		Long: `Score prints the score of each HYP by each metric. Files have one segment a line
and as many lines as REF; they may be compressed with gzip, and - is standard
input. Several -r are several references of each segment.

With --sentence-level it prints a line for each segment, tab-separated: system,
metric, segment, score, and P, R and F where the metric has them. BLEU then has
effective order, as in sacreBLEU.

A name with a tab, line end or other control character has \t, \n, \r or such as \u001b
in its place, and \\ for a backslash.

--confidence adds the mean and the 95% interval of bootstrap samples to each score.
--paired bs (bootstrap) and --paired ar (approximate randomization) test each system
against the first and add the p-value; * marks one below 0.05. Samples and seed are
sacreBLEU's, and so are the figures.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.flags.texts = slices.Concat(o.refs, args)
			if err := o.check(c.Context()); err != nil {
				return err
			}
			return a.score(c.Context(), args, &o)
		},
	}
	fs := c.Flags()
	fs.StringArrayVarP(&o.refs, "reference", "r", nil, "reference file (repeat for several references)")
	fs.StringSliceVarP(&o.metrics, "metrics", "m", []string{"bleu"}, "metrics: "+metricNames())
	fs.BoolVar(&o.sentences, "sentence-level", false, "print the score of every segment")
	fs.StringVarP(&o.output, "format", "f", "text", "output format: text, tsv, latex, json")
	fs.BoolVarP(&o.scoreOnly, "score-only", "b", false, "print the scores only")
	fs.BoolVar(&o.short, "short", false, "print short signatures")
	fs.IntVarP(&o.width, "width", "w", -1, "decimals of scores (default 2 for scores on 0 to 100, 4 for others)")
	fs.BoolVar(&o.confidence, "confidence", false, "add 95% confidence intervals by bootstrap")
	fs.IntVar(&o.confidenceN, "confidence-n", 1000, "bootstrap samples of --confidence")
	fs.StringVar(&o.paired, "paired", "", "test against the first system: bs, ar")
	fs.IntVar(&o.pairedN, "paired-n", 0, "samples of --paired (default 1000 for bs, 10000 for ar)")
	fs.Uint64Var(&o.seed, "seed", 12345, "seed of the samples, not 0")
	fs.BoolVar(&o.force, "force", false, "do not warn of outputs that look tokenized")
	o.flags.add(fs, a.note)
	a.inputFlags(fs)
	return c
}

func (o *scoreOptions) check(ctx context.Context) error {
	o.metrics = unique(o.metrics)
	o.flags.sentences = o.sentences
	switch {
	case !slices.Contains([]string{"text", "tsv", "latex", "json"}, o.output):
		return fmt.Errorf("no format %q: have text, tsv, latex, json", o.output)
	case len(o.metrics) == 0:
		return errors.New("no metric: name one with -m")
	case o.paired != "" && o.paired != "bs" && o.paired != "ar":
		return fmt.Errorf("no paired test %q: have bs (bootstrap), ar (approximate randomization)", o.paired)
	case o.sentences && (o.paired != "" || o.confidence):
		return errors.New("--confidence and --paired are of systems, not of sentences: leave --sentence-level out")
	case o.sentences && o.output == "latex":
		return errors.New("no format latex for sentences: have text, tsv, json")
	case o.confidenceN < 1 || o.confidenceN > maxSamples:
		return noSamples("confidence-n", o.confidenceN)
	case o.pairedN < 0 || o.pairedN > maxSamples:
		return noSamples("paired-n", o.pairedN)
	case o.seed == 0:
		return errors.New("--seed 0: a seed is from 1 up")
	case o.width < -1 || o.width > 15:
		return fmt.Errorf("--width %d: decimals are 0 to 15", o.width)
	}
	given := o.flags.set.Changed
	switch {
	case given("confidence-n") && (!o.confidence || o.paired == "bs"):
		return errors.New("--confidence-n is the samples of --confidence, and those of --paired bs are --paired-n")
	case given("paired-n") && o.paired == "":
		return errors.New("--paired-n is an option of --paired")
	case given("seed") && o.paired == "" && !o.confidence:
		return errors.New("--seed is an option of --confidence and --paired")
	case o.scoreOnly && (given("format") || o.short || o.paired != "" || o.confidence):
		return errors.New("--score-only prints scores only: leave --format, --short, --paired and --confidence out")
	case o.short && (o.output == "tsv" || o.sentences && o.output != "json"):
		return errors.New("--short is of signatures, which are not printed here")
	case given("width") && o.output == "json":
		return errors.New("--width: numbers are whole in json")
	}
	return o.flags.check(ctx, o.metrics)
}

// noSamples is the error for a number of samples out of bounds.
func noSamples(flag string, n int) error {
	if n > maxSamples {
		return fmt.Errorf("--%s %d: more than %d samples", flag, n, maxSamples)
	}
	return fmt.Errorf("--%s %d: no such number of samples", flag, n)
}

// scoreJSON is the output of score --format json.
type scoreJSON struct {
	Results []resultJSON `json:"results"`
}

type resultJSON struct {
	System    string  `json:"system"`
	Metric    string  `json:"metric"`
	Score     float64 `json:"score"`
	Signature string  `json:"signature"`
	// Confidence holds the mean and 95% interval of bootstrap samples.
	Confidence *intervalJSON `json:"confidence,omitempty"`
	// P of the paired test against the first system.
	P        *float64      `json:"p_value,omitempty"`
	Segments []segmentJSON `json:"segments,omitempty"`
	// Levels are the numbers of segments on each level.
	Levels map[string]int `json:"levels,omitempty"`
}

type intervalJSON struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type segmentJSON struct {
	Score float64  `json:"score"`
	P     *float64 `json:"p,omitempty"`
	R     *float64 `json:"r,omitempty"`
	F     *float64 `json:"f,omitempty"`
}

func (a *app) score(ctx context.Context, hypPaths []string, o *scoreOptions) error {
	start := time.Now()
	var open openBackend
	defer open.close()
	c, err := a.readCorpus(ctx, o.refs, hypPaths)
	if err != nil {
		return err
	}
	o.flags.lines = c.lines()
	var scorers []mteval.Scorer
	for _, name := range o.metrics {
		s, err := o.flags.scorer(ctx, name, &open)
		if err != nil {
			return err
		}
		scorers = append(scorers, s)
	}
	systems := c.systems
	if o.paired != "" && len(systems) < 2 {
		return errors.New("--paired needs two systems or more: each is tested against the first")
	}
	if slices.Contains(o.metrics, "bleu") && !o.force {
		a.warnTokenized(systems)
	}
	out := scoreJSON{Results: make([]resultJSON, len(systems)*len(scorers))}
	infos := make([]mteval.Info, len(scorers))
	signatures := make([]string, len(scorers))
	for m, s := range scorers {
		name := o.metrics[m]
		ctx, done := a.withProgress(ctx, start, name)
		t, err := mteval.Systems(ctx, s, c.refs, systems)
		done()
		if err != nil {
			return c.locate(name, err, systems)
		}
		a.noteLimits(s, t)
		levels := a.noteLevels(s, t)
		infos[m] = t.Info
		tests, sig, err := o.tests(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		signatures[m] = sig.String()
		if o.short {
			signatures[m] = sig.Short()
		}
		scores := t.Scores()
		for k, sys := range systems {
			r := &out.Results[k*len(scorers)+m]
			*r = resultJSON{System: sys.Name, Metric: name, Score: scores[k], Signature: signatures[m]}
			if tests != nil {
				if i := tests[k].Interval; i != (significance.Interval{}) {
					both := intervalJSON(i)
					r.Confidence = &both
				}
				if o.paired != "" && k > 0 {
					r.P = &tests[k].P
				}
			}
			if levels != nil {
				r.Levels = levels[k]
			}
			if o.sentences {
				r.Segments = segments(s, t, k)
			}
		}
	}
	a.noteCut(&open)
	switch {
	case o.output == "json":
		return writeJSON(a.stdout, out)
	case o.sentences:
		_, err = io.WriteString(a.stdout, o.sentenceText(out.Results))
	default:
		_, err = io.WriteString(a.stdout, o.systemText(out.Results, infos, signatures))
	}
	return err
}

// tests runs what was asked for beside the scores, and returns its results by system
// and the signature with the samples in it.
func (o *scoreOptions) tests(ctx context.Context, t *mteval.Table) ([]significance.Paired, mteval.Signature, error) {
	sig := t.Info.Signature
	if o.paired == "" && !o.confidence {
		return nil, sig, nil
	}
	opt := significance.Options{Samples: o.pairedN, Seed: o.seed}
	test, kind := significance.PairedBootstrap, "bs"
	switch {
	case o.paired == "":
		// Of the paired bootstrap only the intervals are told.
		opt.Samples = o.confidenceN
	case o.paired == "ar":
		test, kind = significance.PairedRandomization, "ar"
		if opt.Samples == 0 {
			opt.Samples = 10000
		}
	case opt.Samples == 0:
		opt.Samples = 1000
	}
	results, err := test(ctx, t, 0, opt)
	if err != nil {
		return nil, nil, err
	}
	added := mteval.Signature{{Key: kind, Abbr: kind, Value: strconv.Itoa(opt.Samples)}}
	if o.paired == "ar" && o.confidence {
		samples, err := significance.Bootstrap(ctx, t, significance.Options{Samples: o.confidenceN, Seed: o.seed})
		if err != nil {
			return nil, nil, err
		}
		for k := range results {
			results[k].Interval = significance.Interval95(samples[k])
		}
		added = append(added, mteval.Field{Key: "bs", Abbr: "bs", Value: strconv.Itoa(o.confidenceN)})
	}
	added = append(added, mteval.Field{Key: "seed", Abbr: "sd", Value: strconv.FormatUint(o.seed, 10)})
	return results, slices.Insert(slices.Clone(sig), 1, added...), nil
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

func (o *scoreOptions) sentenceText(results []resultJSON) string {
	var b strings.Builder
	width := o.width
	if width < 0 {
		width = 6
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', width, 64) }
	for _, r := range results {
		for i, s := range r.Segments {
			fields := []string{r.System, r.Metric, strconv.Itoa(i + 1), number(s.Score)}
			if s.P != nil {
				fields = append(fields, number(*s.P), number(*s.R), number(*s.F))
			}
			if o.scoreOnly {
				fields = fields[3:4]
			}
			tsvLine(&b, fields)
		}
	}
	return b.String()
}

func (o *scoreOptions) systemText(results []resultJSON, infos []mteval.Info, signatures []string) string {
	var b strings.Builder
	if o.scoreOnly {
		for i, r := range results {
			b.WriteString(format(infos[i%len(infos)], r.Score, o.width) + "\n")
		}
		return b.String()
	}
	rows := [][]string{append([]string{"system"}, o.metrics...)}
	for lo := 0; lo < len(results); lo += len(infos) {
		row := []string{results[lo].System}
		for m, r := range results[lo : lo+len(infos)] {
			text := format(infos[m], r.Score, o.width)
			if c := r.Confidence; c != nil {
				text += " (" + format(infos[m], c.Mean, o.width) + " ± " + format(infos[m], (c.High-c.Low)/2, o.width) + ")"
			}
			if r.P != nil {
				text += fmt.Sprintf(" p=%.4f", *r.P)
				if *r.P < .05 {
					text += "*"
				}
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	switch o.output {
	case "tsv":
		for _, r := range rows {
			tsvLine(&b, r)
		}
		return b.String()
	case "latex":
		latex(&b, rows)
		for m, name := range o.metrics {
			fmt.Fprintf(&b, "%% %s: %s\n", name, visible(signatures[m]))
		}
		return b.String()
	}
	grid(&b, rows)
	b.WriteByte('\n')
	for m, name := range o.metrics {
		fmt.Fprintf(&b, "%s: %s\n", name, visible(signatures[m]))
	}
	return b.String()
}

// latex writes rows as a table of package booktabs.
func latex(b *strings.Builder, rows [][]string) {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`)
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-1))
	for i, r := range rows {
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = escape.Replace(cell(c))
		}
		b.WriteString(strings.Join(cells, " & ") + ` \\` + "\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	// The encoder leaves some of these characters as they are. They stand in strings,
	// where the escape is the same character.
	_, err := io.WriteString(w, visible(strings.TrimSuffix(b.String(), "\n"))+"\n")
	return err
}

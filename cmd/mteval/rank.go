package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/ranking"
)

// misleadAbove is the number of systems above which the paper's weights with
// lexical vectors were seen to mislead: see package difficulty.
const misleadAbove = 6

type rankOptions struct {
	refs, metrics []string
	base, human   string
	topK          int
	output        string
	difficulty    difficultyFlags
	segments      segmentFlags
	html          string
	htmlSegments  int
	flags         metricFlags
}

func (a *app) rankCommand() *cobra.Command {
	var o rankOptions
	c := &cobra.Command{
		Use:   "rank -r REF [-r REF2 …] SYS…",
		Short: "Rank systems by metrics and a difficulty-aware one",
		Long: `Rank scores the outputs SYS… of several systems by string metrics, BERTScore, and
difficulty-aware BERTScore (Zhan et al., ACL 2021), in which a token weighs more
the more systems miss it. --base takes another metric that matches tokens in
BERTScore's place: wordf, METEOR.

With --human FILE (lines of system, tab, score; more is better; a header is
allowed) it sets people's ranks beside the metrics' and prints how well they
agree, for all systems and for the K best by human score, K from 3 up, the
difficulty being estimated among these K. All scores are turned so that more is
better first: + is agreement, for error metrics too.

--difficulty paper takes the paper's equations as printed. A token that the
reference does not have then weighs 1 and an easy one that it has next to nothing,
which can sort out close systems and misleads among very different ones.
--difficulty normalized weighs such a token as the reference token it matches best
and divides by the sum of weights. --difficulty released is what the program of the
paper's authors computes; the F of --baseline then rescales similarities, too. The
other options that begin with --difficulty change one choice of these.

--segments FILE writes what each token adds to the score of each output: as JSON,
an output a line, or as TSV, a token a line (tabs, line ends and backslashes in
tokens are \t, \n, \r and \\, other control characters \u001b, say; nothing is quoted). --html FILE writes a page with the
ranking, plots, and the segments where difficulty changes the order of the systems
most, token by token.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.rank(c.Context(), args, &o)
		},
	}
	fs := c.Flags()
	fs.StringArrayVarP(&o.refs, "reference", "r", nil, "reference file (repeat for several references)")
	fs.StringSliceVarP(&o.metrics, "metrics", "m", []string{"bleu"}, "metrics to set beside --base: "+metricNames())
	fs.StringVar(&o.base, "base", "bertscore", "metric that is made difficulty-aware: bertscore, wordf, meteor")
	o.difficulty.add(fs)
	fs.StringVar(&o.human, "human", "", "file of human scores")
	fs.IntVar(&o.topK, "top", 0, "keep only the K best systems by human score")
	fs.StringVarP(&o.output, "format", "f", "text", "output format: text, json")
	o.segments.add(fs)
	fs.StringVar(&o.html, "html", "", "file to write a page with plots and segments to")
	fs.IntVar(&o.htmlSegments, "html-segments", 200, "segments on the page, those that difficulty changes most")
	o.flags.add(fs, a.note)
	a.inputFlags(fs)
	return c
}

func (a *app) rank(ctx context.Context, paths []string, o *rankOptions) error {
	start := time.Now()
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("no format %q: have text, json", o.output)
	}
	if o.topK < 0 {
		return fmt.Errorf("--top %d: no such number of systems", o.topK)
	}
	if o.topK > 0 && o.human == "" {
		return errors.New("--top needs --human: the best systems are those of the best human scores")
	}
	if o.human == "-" && (slices.Contains(paths, "-") || slices.Contains(o.refs, "-")) {
		return errors.New("standard input (-) can be only one of the files")
	}
	o.flags.texts = slices.Concat(o.refs, paths)
	if err := o.checkFiles(ctx, paths); err != nil {
		return err
	}
	if err := o.flags.check(ctx, append([]string{o.base}, o.metrics...)); err != nil {
		return err
	}
	c, err := a.readCorpus(ctx, o.refs, paths)
	if err != nil {
		return err
	}
	refs, systems := c.refs, c.systems
	o.flags.lines = c.lines()
	var open openBackend
	defer open.close()
	base, err := o.matchScorer(ctx, &open)
	if err != nil {
		return err
	}
	opt, err := o.difficultyOptions(base)
	if err != nil {
		return err
	}
	var scorers []mteval.Scorer
	for _, name := range unique(o.metrics) {
		if name == o.base {
			continue // always there
		}
		s, err := o.flags.scorer(ctx, name, &open)
		if err != nil {
			return err
		}
		scorers = append(scorers, s)
	}
	var human []ranking.Human
	if o.human != "" {
		if human, err = a.readHuman(ctx, o.human, systems); err != nil {
			return err
		}
	}
	names, index := systemNames(systems)
	if o.topK > 0 {
		best, err := ranking.Best(human, names, o.topK)
		if err != nil {
			return err
		}
		// The others are not worth the work of scoring them.
		other := func(name string) bool {
			_, given := index[name]
			return given && !slices.Contains(best, name)
		}
		human = slices.DeleteFunc(human, func(h ranking.Human) bool { return other(h.System) })
		systems = slices.DeleteFunc(systems, func(s mteval.System) bool { return other(s.Name) })
		names, index = systemNames(systems)
	}

	var metrics []ranking.FieldMetric
	var signatures []mteval.Signature
	for _, s := range scorers {
		ctx, done := a.withProgress(ctx, start, s.Info().Name)
		t, err := mteval.Systems(ctx, s, refs, systems)
		done()
		if err != nil {
			return c.locate(s.Info().Name, err, systems)
		}
		a.noteLimits(s, t)
		metrics = append(metrics, ranking.FromTable(t))
		signatures = append(signatures, t.Info.Signature)
	}
	ms, err := a.match(ctx, start, base, refs, systems)
	if err != nil {
		return c.locate(o.base, err, systems)
	}
	plain := ms.Table(base)
	field, err := difficulty.NewField(base, ms, opt, difficulty.Function{})
	if err != nil {
		return err
	}
	metrics = append(metrics, ranking.FromTable(plain), field)
	signatures = append(signatures, plain.Info.Signature.Complete(refs))

	r, err := ranking.Rank(ctx, names, metrics, ranking.Options{Human: human})
	if err != nil {
		return err
	}
	// The signature of the difficulty-aware score tells the weights that its
	// column was made with, those of the systems that had a vote.
	var voters, order []int
	for _, s := range r.Systems {
		order = append(order, index[s.Name])
		if len(human) == 0 || s.Human != nil {
			voters = append(voters, index[s.Name])
		}
	}
	da, err := field.Scorer(voters)
	if err != nil {
		return err
	}
	signatures = append(signatures, da.Info().Signature.Complete(refs))

	for _, name := range r.Unscored {
		a.note("%s has no human score in %s: scored, but without a vote in the difficulty and left out of correlations", name, o.human)
	}
	if len(r.Missing) > 0 {
		a.note("%s has scores of systems whose outputs were not given: %s", o.human, strings.Join(r.Missing, ", "))
	}
	var warnings []string
	if o.base == "bertscore" && o.flags.backend == "lexical" && opt.Novel == difficulty.One && !opt.Normalize && len(voters) > misleadAbove {
		warnings = append(warnings, fmt.Sprintf("the paper's difficulty weights with lexical vectors are known to mislead for more than %d systems (%d here): "+
			"compare --difficulty normalized, and see the curve over K", misleadAbove, len(voters)))
	}
	a.noteCut(&open)
	for _, w := range warnings {
		a.note("warning: %s", w)
	}
	if o.segments.path != "" || o.html != "" {
		d, err := newDetails(base, ms, opt, da, voters, order)
		if err != nil {
			return err
		}
		if err := o.segments.write(ctx, d); err != nil {
			return err
		}
		if o.html != "" {
			p := &rankPage{ranking: r, signatures: signatures, warnings: warnings, details: d, refs: refs, systems: systems, most: o.htmlSegments}
			if err := p.write(ctx, o.html); err != nil {
				return err
			}
		}
	}
	if o.output == "json" {
		return writeJSON(a.stdout, rankingJSON(r, signatures, warnings))
	}
	_, err = io.WriteString(a.stdout, rankingText(r, signatures))
	return err
}

func systemNames(systems []mteval.System) (names []string, index map[string]int) {
	index = make(map[string]int)
	for k, s := range systems {
		names = append(names, s.Name)
		index[s.Name] = k
	}
	return names, index
}

// match matches all outputs with the references, the work of both forms of the
// metric.
func (a *app) match(ctx context.Context, start time.Time, s mteval.MatchScorer, refs [][]string, systems []mteval.System) (*mteval.Matchings, error) {
	prepare, done := a.withProgress(ctx, start, "references")
	m, err := s.PrepareMatch(prepare, refs)
	done()
	if err != nil {
		return nil, err
	}
	ctx, done = a.withProgress(ctx, start, s.Info().Name)
	defer done()
	return mteval.MatchSystems(ctx, m, systems)
}

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
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
	flags         registry.Flags
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
		Example: "  mteval rank -r ref.de --human human.tsv --html ranking.html sys/*.txt",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.rank(c.Context(), args, &o)
		},
	}
	o.add(c.Flags(), a.note)
	a.inputFlags(c.Flags())
	return c
}

func (o *rankOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.InputList(&o.refs), "reference", "r", "reference file (repeat for several references)")
		flags.Var(fs, flags.Input(&o.human), "human", "file of human scores")
		flags.Var(fs, flags.Int(&o.topK, 0, 0, math.MaxInt), "top", "keep only the K best systems by human score")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.List(&o.metrics, []string{"bleu"}, "metric", registry.Names()...), "metrics", "m", "metrics to set beside --base: "+strings.Join(registry.Names(), ", "))
		flags.Var(fs, flags.Enum(&o.base, "bertscore", "metric that matches tokens", "bertscore", "wordf", "meteor"), "base", "metric that is made difficulty-aware: bertscore, wordf, meteor")
	})
	flags.Group(fs, "Difficulty", o.difficulty.add)
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Enum(&o.output, "text", "format", "text", "json"), "format", "f", "output format: text, json")
		o.segments.add(fs)
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with plots and segments to")
		flags.Var(fs, flags.Int(&o.htmlSegments, 200, 0, math.MaxInt), "html-segments", "segments on the page, those that difficulty changes most").OptionOf("html")
	})
	o.flags.Add(fs, note)
}

func (a *app) rank(ctx context.Context, paths []string, o *rankOptions) error {
	start := time.Now()
	if err := o.check(ctx, paths); err != nil {
		return err
	}
	c, err := a.readCorpus(ctx, o.refs, paths)
	if err != nil {
		return err
	}
	o.flags.Lines = c.lines()
	var open registry.Backend
	defer open.Close()
	m, err := o.rankMetrics(ctx, &open)
	if err != nil {
		return err
	}
	var human []ranking.Human
	if o.human != "" {
		if human, err = a.readHuman(ctx, o.human, c.Systems); err != nil {
			return err
		}
	}
	p := &rankPage{refs: c.Refs, systems: c.Systems, most: o.htmlSegments}
	if o.topK > 0 {
		if p.systems, human, err = ranking.Best(c.Systems, human, o.topK); err != nil {
			return fmt.Errorf("%s: %w", o.human, err)
		}
	}
	if err := a.rankSystems(ctx, start, p, m, c, human); err != nil {
		return err
	}
	p.warnings = o.warnings(m, p.ranking)
	a.noteRank(o, p, &open)
	if err := o.segments.write(ctx, p.poll); err != nil {
		return err
	}
	if o.html != "" {
		if err := p.write(ctx, o.html); err != nil {
			return err
		}
	}
	if o.output == "json" {
		return safe.JSON(a.stdout, rankingJSON(p.ranking, p.signatures, p.warnings))
	}
	_, err = io.WriteString(a.stdout, rankingText(p.ranking, p.signatures))
	return err
}

// rankMetrics are the metrics of a ranking.
type rankMetrics struct {
	scorers    []mteval.Scorer // beside the base
	base       mteval.MatchScorer
	difficulty difficulty.Options
}

// rankMetrics makes the metrics. What does not go together is known before hours of work.
func (o *rankOptions) rankMetrics(ctx context.Context, open *registry.Backend) (*rankMetrics, error) {
	var m rankMetrics
	var err error
	if m.base, err = o.matchScorer(ctx, open); err != nil {
		return nil, err
	}
	if m.difficulty, err = o.difficultyOptions(m.base); err != nil {
		return nil, err
	}
	for _, name := range unique(o.metrics) {
		if name == o.base {
			continue // always there
		}
		s, err := o.flags.Scorer(ctx, name, open)
		if err != nil {
			return nil, err
		}
		m.scorers = append(m.scorers, s)
	}
	return &m, nil
}

// rankSystems scores the page's systems and ranks them.
func (a *app) rankSystems(ctx context.Context, start time.Time, p *rankPage, m *rankMetrics, c *corpus, human []ranking.Human) error {
	var metrics []ranking.FieldMetric
	for _, s := range m.scorers {
		ctx, done := a.withProgress(ctx, start, s.Info().Name)
		t, err := mteval.Systems(ctx, s, p.refs, p.systems)
		done()
		if err != nil {
			return c.locate(s.Info().Name, err, p.systems)
		}
		a.noteLimits(s, t)
		metrics = append(metrics, ranking.FromTable(t))
		p.signatures = append(p.signatures, t.Info.Signature)
	}
	p.base = m.base.Info()
	ms, err := a.match(ctx, start, m.base, p.refs, p.systems)
	if err != nil {
		return c.locate(p.base.Name, err, p.systems)
	}
	if p.field, err = difficulty.NewField(m.base, ms, m.difficulty, difficulty.Function{}); err != nil {
		return err
	}
	metrics = append(metrics, ranking.FromTable(ms.Table(m.base)), p.field)
	if p.ranking, err = ranking.Rank(ctx, systemNames(p.systems), metrics, ranking.Options{Human: human}); err != nil {
		return err
	}
	// The signature of the difficulty-aware score tells the weights that its column was
	// made with, those of the systems that had a vote.
	if p.poll, err = p.field.Poll(ctx, p.ranking.Order, p.ranking.Voters); err != nil {
		return err
	}
	p.signatures = append(p.signatures, p.base.Signature.Complete(p.refs), p.poll.Scorer().Info().Signature.Complete(p.refs))
	return nil
}

func (o *rankOptions) warnings(m *rankMetrics, r *ranking.Result) []string {
	voters := len(r.Voters)
	if o.base != "bertscore" || o.flags.BackendName != "lexical" || m.difficulty.Novel != difficulty.One || m.difficulty.Normalize || voters <= misleadAbove {
		return nil
	}
	return []string{fmt.Sprintf("the paper's difficulty weights with lexical vectors are known to mislead for more than %d systems (%d here): "+
		"compare --difficulty normalized, and see the curve over K", misleadAbove, voters)}
}

// noteRank says what of the input has no part in the result, and what to be wary of.
func (a *app) noteRank(o *rankOptions, p *rankPage, open *registry.Backend) {
	for _, name := range p.ranking.Unscored {
		a.note("%s has no human score in %s: scored, but without a vote in the difficulty and left out of correlations", name, o.human)
	}
	if missing := p.ranking.Missing; len(missing) > 0 {
		a.note("%s has scores of systems whose outputs were not given: %s", o.human, strings.Join(missing, ", "))
	}
	a.noteCut(open)
	for _, w := range p.warnings {
		a.note("warning: %s", w)
	}
}

func systemNames(systems []mteval.System) []string {
	var names []string
	for _, s := range systems {
		names = append(names, s.Name)
	}
	return names
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

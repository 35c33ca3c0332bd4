// Package rank is the command that ranks systems.
package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/scoring"
)

// misleadAbove is the number of systems above which the paper's weights with
// lexical vectors were seen to mislead: see package difficulty.
const misleadAbove = 6

type rankOptions struct {
	refs, metrics []string
	source        string
	base, human   string
	topK          int
	calibration   string
	confidence    float64 // of groups
	output        string
	difficulty    difficultyFlags
	segments      segmentFlags
	html          string
	htmlSegments  int
	flags         registry.Flags
}

// Command is mteval rank.
func Command(a *app.App) *cobra.Command {
	var o rankOptions
	c := &cobra.Command{
		Use:   "rank {-r REF… [--source SRC] | --source SRC -m comet} SYS…",
		Short: "Rank systems by metrics and a difficulty-aware one",
		Long: `Rank says which of the systems with outputs SYS… people would prefer, and what metrics
say: string metrics, BERTScore, and difficulty-aware BERTScore (Zhan et al., ACL 2021),
in which a token weighs more the more systems miss it. BERTScore without a model is over
lexical vectors and is called bertscore-lexical. --base takes another metric that matches
tokens in its place: wordf, METEOR.

-m comet reads --source FILE, the sources, as in mteval score. Of metrics that read no
references -r may be missing: then there is no --base, no difficulty and no probability, and
the order is that of the first metric, or people's.

A system is called as its file, with the folders that it takes to tell it from others, or
as NAME in NAME=FILE.

Every pair of systems has a probability that a campaign of human judgements like WMT's
would put the one above the other. "above next" is that of a system and the one in the
next row, "best" that of being above all; systems of a group are not told apart at
--group-confidence. The most expected wins come first.

Probabilities come from a calibration on systems that people judged. The embedded one
takes BERTScore over lexical vectors, chrF, and difficulty among all SYS…, whatever
columns there are; of options only --target-language matters to it. The metrics of
--calibration FILE, which mteval calibrate writes, have the options of --base and -m. Where systems
are outside of what it was fitted on (few segments, say, or two references), that is said.

With --human FILE (lines of system, tab, score; more is better; a header is allowed)
people's order comes first, with how right the probabilities were and how well metrics
agree with people, for all systems and for the K best by human score, K from 3 up,
difficulty being estimated among these K. All scores are turned so that more is better
first: + is agreement, for error metrics too.

--difficulty combined takes the means of plain and normalized precision and recall.
normalized weighs a token that the reference does not have as the reference token it
matches best, and divides by the sum of weights. paper takes the paper's equations as
printed: such a token weighs 1 and an easy one that the reference has next to nothing,
which can sort out close systems and misleads among very different ones. released is
what the program of the paper's authors computes; the F of BERTScore's baseline then rescales
similarities, too. The other options that begin with --difficulty change one choice.

--format tsv and latex are of the table of systems, tsv with a number a cell: differences
of ranks as numbers, probabilities from 0 to 1, nothing where there is nothing, and of each
metric whether less of it is better. What else there is, correlations and the curve over K,
is in text and json.

--segments FILE writes what each token adds to the score of each output: as JSON, an
output a line, or as TSV, a token a line (tabs, line ends and backslashes in tokens are
\t, \n, \r and \\, other control characters \u001b, say; nothing is quoted). --html FILE
writes a page with the ranking, all pairs, plots, and the segments, token by token, those
where difficulty changes the order of the systems most first. --source adds their sources.`,
		Example: "  mteval rank -r ref.de --human human.tsv --html ranking.html sys/*.txt\n" +
			"  mteval rank -r ref.de --source src.en -m comet sys/*.txt\n" +
			"  mteval rank --source src.en -m 'comet(model=Unbabel/wmt22-cometkiwi-da)' sys/*.txt",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), a, args, &o)
		},
	}
	o.add(c.Flags(), a.Note)
	app.AdviseCOMETScore(c)
	a.InputFlags(c.Flags())
	a.TextFlags(c.Flags())
	return c
}

func (o *rankOptions) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.InputList(&o.refs), "reference", "r", "reference file (repeat for several references)")
		app.ShownSourceFlag(fs, &o.source)
		flags.Var(fs, flags.Input(&o.human), "human", "file of human scores")
		flags.Var(fs, flags.Int(&o.topK, 0, 0, math.MaxInt), "top", "keep only the K best systems by human score")
	})
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.VarP(fs, o.flags.Metrics(&o.metrics, []string{"bleu"}, "metric", registry.Names()...), "metrics", "m", "metrics to set beside --base: "+registry.Usage())
		flags.Var(fs, o.flags.Metric(&o.base, "bertscore", "metric that matches tokens", app.Matchers...), "base", "metric that is made difficulty-aware: "+strings.Join(app.Matchers, ", "))
	})
	flags.Group(fs, "Output", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Enum(&o.output, "text", "format", "text", "tsv", "latex", "json"), "format", "f", "output format: text, tsv, latex, json")
		o.segments.add(fs)
		flags.Var(fs, flags.Output(&o.html), "html", "file to write a page with plots and segments to")
		flags.Var(fs, flags.Int(&o.htmlSegments, math.MaxInt, 0, math.MaxInt), "html-segments", "segments on the page, those that difficulty changes most (default all)").OptionOf("html").NoDefault()
	})
	flags.Group(fs, "Probabilities", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Input(&o.calibration), "calibration", "calibration to use (default: the embedded one)")
		flags.Var(fs, flags.Share(&o.confidence, .95), "group-confidence", "probability from which on systems are told apart, above .5")
	})
	flags.Group(fs, "Difficulty", o.difficulty.add)
	o.flags.AlwaysLexical = true
	o.flags.Add(fs, note)
}

func run(ctx context.Context, a *app.App, paths []string, o *rankOptions) error {
	start := time.Now()
	o.flags.Encoding = a.Texts.Encoding
	if err := o.check(ctx, paths); err != nil {
		return err
	}
	calibration, err := app.OpenCalibration(ctx, o.calibration)
	if err != nil {
		return err
	}
	c, err := a.ReadTexts(ctx, &app.Texts{Refs: o.refs, Source: o.source, Outputs: paths})
	if err != nil {
		return err
	}
	if len(c.Systems) == 1 {
		return fmt.Errorf("%s is %s", c.Systems[0].Name, alone)
	}
	o.flags.Lines = c.Lines()
	var open, lexical registry.Backend
	defer open.Close()
	defer lexical.Close()
	m, err := o.rankMetrics(ctx, calibration, &lexical, &open)
	if err != nil {
		return err
	}
	all := m.Metrics
	if m.Base != nil {
		all = append([]mteval.Scorer{m.Base}, all...)
	}
	if err := a.CheckReads(c, o.source, o.html, all); err != nil {
		return err
	}
	p := &rankPage{refs: c.Refs, sources: c.Sources, systems: c.Systems, most: o.htmlSegments}
	human, err := chooseSystems(ctx, a, o, p)
	if err != nil {
		return err
	}
	run := a.Run(start, "", c, p.systems)
	if err := p.rank(ctx, run, m, human, &open); err != nil {
		return err
	}
	p.warnings = o.warnings(m, p.ranking)
	noteRank(a, o, p, run, &open)
	if err := o.segments.write(ctx, p.poll); err != nil { // none is asked for without a poll
		return err
	}
	if o.html != "" {
		if err := writeRankPage(ctx, a, p, o.html); err != nil {
			return err
		}
	}
	return p.print(a.Stdout, o.output)
}

// chooseSystems sets the page's systems to those of --top, and returns people's scores.
func chooseSystems(ctx context.Context, a *app.App, o *rankOptions, p *rankPage) ([]ranking.Human, error) {
	if o.human == "" {
		return nil, nil
	}
	human, err := a.ReadHuman(ctx, o.human, p.systems)
	if err != nil {
		return nil, err
	}
	if err := enoughScored(o.human, human, app.SystemNames(p.systems)); err != nil {
		return nil, err
	}
	if o.topK == 0 {
		return human, nil
	}
	if p.systems, human, err = ranking.Best(p.systems, human, o.topK); err != nil {
		return nil, fmt.Errorf("%s: %w", o.human, err)
	}
	return human, nil
}

// enoughScored returns an error if a file has human scores of less than two systems.
func enoughScored(path string, human []ranking.Human, systems []string) error {
	var scored, of []string
	for _, h := range human {
		if of = append(of, h.System); slices.Contains(systems, h.System) {
			scored = append(scored, h.System)
		}
	}
	switch len(scored) {
	case 0:
		return fmt.Errorf("%s: no human score is of any of the systems: its systems are %s, the outputs' %s", path, names.Few(of), names.Few(systems))
	case 1:
		return fmt.Errorf("%s: a human score of %s alone, and among one system nothing is difficult and nothing correlates: give two or more, or leave --human out", path, scored[0])
	}
	return nil
}

// rankMetrics makes the metrics. What does not go together is known before hours of work.
func (o *rankOptions) rankMetrics(ctx context.Context, c *preference.Calibration, lexical, open *registry.Backend) (*scoring.RankOptions, error) {
	m := scoring.RankOptions{Calibration: c, Confidence: o.confidence}
	var err error
	if o.unreferenced() {
		m.Metrics, err = o.flags.Scorers(ctx, o.metrics, open)
		return &m, err
	}
	if m.Base, err = o.matchScorer(ctx, open); err != nil {
		return nil, err
	}
	if m.Difficulty, err = o.difficultyOptions(m.Base); err != nil {
		return nil, err
	}
	// The base is always there.
	beside := o.flags.Unique(append([]string{o.base}, o.metrics...))[1:]
	if m.Metrics, err = o.flags.Scorers(ctx, beside, open); err != nil {
		return nil, err
	}
	m.Terms, err = o.terms(ctx, c, lexical, open)
	return &m, err
}

// rank scores the page's systems and ranks them.
func (p *rankPage) rank(ctx context.Context, run *scoring.Run, m *scoring.RankOptions, human []ranking.Human, open *registry.Backend) error {
	m.Human = human
	r, err := run.Rank(ctx, *m)
	if err != nil {
		return err
	}
	p.ranking, p.field, p.poll, p.signatures = r.Result, r.Field, r.Poll, r.Signatures
	for i := range m.Metrics {
		p.signatures[i] = open.Sign(r.Metrics[i].Name, p.signatures[i])
	}
	if m.Base != nil {
		p.base, p.opinion = m.Base.Info(), newOpinion(r.Opinion)
	}
	return nil
}

func (o *rankOptions) warnings(m *scoring.RankOptions, r *ranking.Result) []string {
	voters := len(r.Voters)
	if registry.Name(o.flags.Called(o.base)) != "bertscore-lexical" || m.Difficulty.Novel != difficulty.One || m.Difficulty.Normalize || m.Difficulty.AddPlain || voters <= misleadAbove {
		return nil
	}
	return []string{fmt.Sprintf("the paper's difficulty weights with lexical vectors are known to mislead where systems differ clearly, as some of more than %d do (%d here): "+
		"compare --difficulty combined, and see the curve over K", misleadAbove, voters)}
}

// noteRank says what of the input has no part in the result, and what to be wary of.
func noteRank(a *app.App, o *rankOptions, p *rankPage, run *scoring.Run, open *registry.Backend) {
	for _, name := range p.ranking.Unscored {
		a.Note("%s has no human score in %s: ranked, but without a vote in the difficulty of the column and left out of correlations", name, o.human)
	}
	if missing := p.ranking.Missing; len(missing) > 0 {
		a.Note("%s has scores of systems whose outputs were not given: %s", o.human, strings.Join(missing, ", "))
	}
	a.NoteLimits(run.Limits())
	a.NoteCut(open)
	for _, text := range p.warnings {
		a.Note("warning: %s", text)
	}
	if p.opinion == nil {
		if o.output != "text" && o.output != "latex" { // which say it
			a.Tell("%s", p.withoutReferences())
		}
		return
	}
	if o.output == "tsv" && len(p.opinion.Outside) > 0 {
		a.Tell("it is not known what the probabilities are worth: %s", strings.Join(p.opinion.Outside, "; "))
	}
}

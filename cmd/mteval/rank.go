package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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
	refs, metrics     []string
	difficulty, human string
	topK              int
	output            string
	flags             metricFlags
}

func (a *app) rankCommand() *cobra.Command {
	var o rankOptions
	c := &cobra.Command{
		Use:   "rank -r REF [-r REF2 …] SYS…",
		Short: "Rank systems by BLEU, BERTScore and its difficulty-aware form",
		Long: `Rank scores the outputs SYS… of several systems by string metrics, BERTScore, and
difficulty-aware BERTScore (Zhan et al., ACL 2021), in which a token weighs more
the more systems miss it.

With --human FILE (lines of system, tab, score; more is better; a header is
allowed) it sets people's ranks beside the metrics' and prints how well they
agree, for all systems and for the K best by human score, K from 3 up, the
difficulty being estimated among these K. All scores are turned so that more is
better first: + is agreement, for error metrics too.

--difficulty paper takes the paper's equations as printed. A token that the
reference does not have then weighs 1 and an easy one that it has next to nothing,
which can sort out close systems and misleads among very different ones.
--difficulty normalized weighs such a token as the reference token it matches best
and divides by the sum of weights.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.rank(c.Context(), args, &o)
		},
	}
	fs := c.Flags()
	fs.StringArrayVarP(&o.refs, "reference", "r", nil, "reference file (repeat for several references)")
	fs.StringSliceVarP(&o.metrics, "metrics", "m", []string{"bleu"}, "metrics to set beside BERTScore: "+metricNames("bertscore"))
	fs.StringVar(&o.difficulty, "difficulty", "paper", "form of the difficulty-aware score: paper, normalized")
	fs.StringVar(&o.human, "human", "", "file of human scores")
	fs.IntVar(&o.topK, "top", 0, "keep only the K best systems by human score")
	fs.StringVarP(&o.output, "format", "f", "text", "output format: text, json")
	o.flags.add(fs)
	return c
}

func (a *app) rank(ctx context.Context, paths []string, o *rankOptions) error {
	start := time.Now()
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("no format %q: have text, json", o.output)
	}
	var opt difficulty.Options
	switch o.difficulty {
	case "paper":
		opt = difficulty.Paper()
	case "normalized":
		opt = difficulty.Normalized()
	default:
		return fmt.Errorf("no difficulty %q: have paper, normalized", o.difficulty)
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
	if err := o.flags.check(append([]string{"bertscore"}, o.metrics...)); err != nil {
		return err
	}
	var open openBackend
	defer open.close()
	bs, err := o.flags.bertscore(&open)
	if err != nil {
		return err
	}
	var scorers []mteval.Scorer
	for _, name := range unique(o.metrics) {
		if name == "bertscore" {
			continue // always there
		}
		s, err := o.flags.scorer(ctx, name, &open)
		if err != nil {
			return err
		}
		scorers = append(scorers, s)
	}
	refs, systems, err := a.readCorpus(ctx, o.refs, paths)
	if err != nil {
		return err
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

	var metrics []ranking.Metric
	var signatures []mteval.Signature
	for _, s := range scorers {
		ctx, done := a.withProgress(ctx, start, s.Info().Name)
		t, err := mteval.Systems(ctx, s, refs, systems)
		done()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Info().Name, err)
		}
		a.noteLimits(s, t)
		metrics = append(metrics, ranking.FromTable(t))
		signatures = append(signatures, t.Info.Signature)
	}
	ms, err := a.match(ctx, start, bs, refs, systems)
	if err != nil {
		return fmt.Errorf("bertscore: %w", err)
	}
	plain := ms.Table(bs)
	field, err := difficulty.NewField(bs, ms, opt, difficulty.Function{})
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
	var voters []int
	for _, s := range r.Systems {
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
	if o.flags.backend == "lexical" && o.difficulty == "paper" && len(voters) > misleadAbove {
		warnings = append(warnings, fmt.Sprintf("the paper's difficulty weights with lexical vectors are known to mislead for more than %d systems (%d here): "+
			"compare --difficulty normalized, and see the curve over K", misleadAbove, len(voters)))
	}
	a.noteCut(&open)
	for _, w := range warnings {
		a.note("warning: %s", w)
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

// match matches all outputs with the references, the work of both forms of
// BERTScore.
func (a *app) match(ctx context.Context, start time.Time, s mteval.MatchScorer, refs [][]string, systems []mteval.System) (*mteval.Matchings, error) {
	prepare, done := a.withProgress(ctx, start, "references")
	m, err := s.PrepareMatch(prepare, refs)
	done()
	if err != nil {
		return nil, err
	}
	ctx, done = a.withProgress(ctx, start, "bertscore")
	defer done()
	return mteval.MatchSystems(ctx, m, systems)
}

type rankJSON struct {
	Systems []systemJSON `json:"systems"`
	// Correlation by metric; empty without human scores.
	Correlation map[string]correlationJSON `json:"correlation"`
	// RankDifferences is the sum of absolute rank differences by metric.
	RankDifferences map[string]int    `json:"rank_differences"`
	TopK            []topKJSON        `json:"top_k"`
	Signature       map[string]string `json:"signature"`
	Warnings        []string          `json:"warnings,omitempty"`
}

type systemJSON struct {
	System    string             `json:"system"`
	Human     *float64           `json:"human"`
	HumanRank *int               `json:"human_rank"`
	Scores    map[string]float64 `json:"scores"`
	Ranks     map[string]int     `json:"ranks"`
	// Differences is the human rank less the metric's, by metric.
	Differences map[string]int `json:"rank_differences,omitempty"`
}

type correlationJSON struct {
	Pearson  *float64 `json:"pearson"`
	Spearman *float64 `json:"spearman"`
	Kendall  *float64 `json:"kendall"`
}

type topKJSON struct {
	K           int                        `json:"k"`
	Correlation map[string]correlationJSON `json:"correlation"`
}

func rankingJSON(r *ranking.Ranking, signatures []mteval.Signature, warnings []string) rankJSON {
	correlations := func(cs []ranking.Correlation) map[string]correlationJSON {
		out := make(map[string]correlationJSON)
		for m, c := range cs {
			out[r.Metrics[m].Name] = correlationJSON(c)
		}
		return out
	}
	out := rankJSON{
		Correlation:     correlations(r.Correlations),
		RankDifferences: make(map[string]int),
		TopK:            []topKJSON{},
		Signature:       make(map[string]string),
		Warnings:        warnings,
	}
	for m, sig := range signatures {
		out.Signature[r.Metrics[m].Name] = sig.String()
	}
	for m, d := range r.Differences {
		out.RankDifferences[r.Metrics[m].Name] = d
	}
	for _, s := range r.Systems {
		j := systemJSON{System: s.Name, Human: s.Human, Scores: make(map[string]float64), Ranks: make(map[string]int)}
		if s.Human != nil {
			j.HumanRank = &s.HumanRank
			j.Differences = make(map[string]int)
		}
		for m, info := range r.Metrics {
			j.Scores[info.Name] = s.Scores[m]
			j.Ranks[info.Name] = s.Ranks[m]
			if s.Human != nil {
				j.Differences[info.Name] = s.Differences[m]
			}
		}
		out.Systems = append(out.Systems, j)
	}
	for _, k := range r.Curve {
		out.TopK = append(out.TopK, topKJSON{k.K, correlations(k.Correlations)})
	}
	return out
}

func rankingText(r *ranking.Ranking, signatures []mteval.Signature) string {
	var b strings.Builder
	human := len(r.Correlations) > 0
	head := []string{"system"}
	if human {
		head = append(head, "human", "#")
	}
	for _, m := range r.Metrics {
		head = append(head, m.Name, "#")
		if human {
			head = append(head, "±")
		}
	}
	rows := [][]string{head}
	for _, s := range r.Systems {
		row := []string{s.Name}
		if human {
			if s.Human != nil {
				row = append(row, strconv.FormatFloat(*s.Human, 'f', -1, 64), strconv.Itoa(s.HumanRank))
			} else {
				row = append(row, "–", "–")
			}
		}
		for m, info := range r.Metrics {
			row = append(row, format(info, s.Scores[m], -1), strconv.Itoa(s.Ranks[m]))
			switch {
			case human && s.Human == nil:
				row = append(row, "–")
			case human:
				row = append(row, difference(s.Differences[m]))
			}
		}
		rows = append(rows, row)
	}
	if human {
		row := []string{"sum of |±|", "", ""}
		for _, d := range r.Differences {
			row = append(row, "", "", strconv.Itoa(d))
		}
		rows = append(rows, row)
	}
	grid(&b, rows)
	if human {
		b.WriteString("\n#: rank; ±: places higher (+) or lower (-) than people put the system\n\n")
		b.WriteString("Correlation with people (+1: the same order, -1: the opposite)\n")
		rows = [][]string{{"metric", "Pearson", "Spearman", "Kendall"}}
		for m, c := range r.Correlations {
			rows = append(rows, []string{r.Metrics[m].Name, coefficient(c.Pearson), coefficient(c.Spearman), coefficient(c.Kendall)})
		}
		grid(&b, rows)
	}
	if len(r.Curve) > 0 {
		b.WriteString("\nThe same for the K best systems by human score, difficulty estimated among them (Kendall / Pearson)\n")
		head := []string{"K"}
		for _, m := range r.Metrics {
			head = append(head, m.Name)
		}
		rows = [][]string{head}
		for _, k := range r.Curve {
			row := []string{strconv.Itoa(k.K)}
			for _, c := range k.Correlations {
				row = append(row, coefficient(c.Kendall)+" / "+coefficient(c.Pearson))
			}
			rows = append(rows, row)
		}
		grid(&b, rows)
	}
	b.WriteByte('\n')
	for m, sig := range signatures {
		fmt.Fprintf(&b, "%s: %s\n", r.Metrics[m].Name, sig)
	}
	return b.String()
}

func difference(d int) string {
	if d == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", d)
}

// coefficient writes a correlation; one that is undefined is not a number.
func coefficient(c *float64) string {
	if c == nil {
		return "undefined"
	}
	return fmt.Sprintf("%+.3f", *c)
}

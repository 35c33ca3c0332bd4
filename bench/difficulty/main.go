// Command difficulty prints what difficulty-aware scoring is worth on judged sets of systems:
// the tables of docs/difficulty.md and docs/wmt19.md, in Markdown.
//
//	difficulty [-curve NAME] FOLDER…
//
// A folder, such as wmt19-en-de, has ref.*, sys/* and human.tsv or human-system.tsv. The first part
// of its name is the campaign, and the last the target language. Sets with Chinese and Japanese
// targets have tokenizers of their own and come apart. The curve by K is printed of one set.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
)

func main() {
	log.SetFlags(0)
	curve := flag.String("curve", "wmt19-en-de", "folder of which to print the curve by K")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: difficulty [-curve NAME] FOLDER…")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var sets []*set
	for i, dir := range flag.Args() {
		fmt.Fprintf(os.Stderr, "%s (%d of %d)\n", dir, i+1, flag.NArg())
		s, err := open(ctx, dir)
		if err != nil {
			log.Fatal(err)
		}
		sets = append(sets, s)
	}
	if err := write(ctx, os.Stdout, sets, *curve); err != nil {
		log.Fatal(err)
	}
}

// A set is what the forms say of judged systems.
type set struct {
	name, campaign, target string
	pairs                  []pair
	order                  *ranking.Order
	curve                  []ranking.TopK // by form
}

// A pair of systems that people scored differently.
type pair struct {
	z     float64   // |z| of BERTScore
	clear bool      // scores of people differ by more than a quarter of their standard deviation
	right []float64 // by form: 1, 0, or ½ where it has the systems equal
}

// open scores the systems of a folder that people scored by all forms.
func open(ctx context.Context, dir string) (*set, error) {
	f, err := files.FindJudged(dir)
	if err != nil {
		return nil, err
	}
	c, err := files.OpenCorpus(ctx, f.Refs, f.Outputs, files.CorpusOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range c.Systems {
		names = append(names, s.Name)
	}
	table, err := files.OpenSystems(ctx, f.Human, names, files.Options{})
	if err != nil {
		return nil, err
	}
	human := ranking.HumanOf(table)
	order, err := ranking.NewOrder(names, human)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Human, err)
	}
	systems, human, err := ranking.Best(c.Systems, human, len(order.Systems))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Human, err)
	}
	parts := strings.Split(f.Name, "-")
	s := &set{name: f.Name, campaign: parts[0], target: parts[len(parts)-1]}
	if err := s.score(ctx, c.Refs, systems, human); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

func (s *set) score(ctx context.Context, refs [][]string, systems []mteval.System, human []ranking.Human) error {
	m, z, err := metrics(ctx, refs, systems, s.target)
	if err != nil {
		return err
	}
	var names []string
	for _, s := range systems {
		names = append(names, s.Name)
	}
	if s.order, err = ranking.NewOrder(names, human); err != nil {
		return err
	}
	if s.pairs, err = pairs(ctx, s.order, m, z); err != nil {
		return err
	}
	for at, err := range ranking.Curve(ctx, s.order, m) {
		if err != nil {
			return err
		}
		s.curve = append(s.curve, at)
	}
	return nil
}

// A form of difficulty-aware BERTScore.
type form struct {
	name    string
	options difficulty.Options
}

// forms are those that rank has, and those that are not such a mean as means of segments.
var forms = []form{
	{"paper", difficulty.Paper()},
	{"paper, l.o.o.", difficulty.Options{LeaveOneOut: true}},
	{"released", difficulty.Released()},
	{"normalized", difficulty.Normalized()},
	{"combined", difficulty.Combined()},
	{"paper, mean F", meanF(difficulty.Paper())},
	{"paper, l.o.o., mean F", difficulty.Options{LeaveOneOut: true, Average: difficulty.MeanF}},
	{"normalized, mean F", meanF(difficulty.Normalized())},
}

func meanF(o difficulty.Options) difficulty.Options {
	o.Average = difficulty.MeanF
	return o
}

// columns are the names of what metrics returns.
func columns() []string {
	out := []string{"BERTScore", "BLEU", "chrF"}
	for _, f := range forms {
		out = append(out, f.name)
	}
	return out
}

// metrics are BERTScore, BLEU, chrF and the forms, and z the paired one of BERTScore.
func metrics(ctx context.Context, refs [][]string, systems []mteval.System, target string) (m []ranking.FieldMetric, z [][]float64, err error) {
	t, err := tokenizer(target)
	if err != nil {
		return nil, nil, err
	}
	base, ms, err := match(ctx, refs, systems, t)
	if err != nil {
		return nil, nil, err
	}
	plain := ms.Table(base)
	if z, err = significance.PairedZ(ctx, plain); err != nil {
		return nil, nil, err
	}
	m = append(m, ranking.FromTable(plain))
	b, err := bleu.New(bleu.Options{Tokenizer: t})
	if err != nil {
		return nil, nil, err
	}
	for _, s := range []mteval.Scorer{b, new(chrf.Scorer)} {
		t, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			return nil, nil, err
		}
		m = append(m, ranking.FromTable(t))
	}
	for _, f := range forms {
		field, err := difficulty.NewField(base, ms, f.options, difficulty.Function{})
		if err != nil {
			return nil, nil, err
		}
		m = append(m, field)
	}
	return m, z, nil
}

// match is the work of BERTScore and all forms of it.
func match(ctx context.Context, refs [][]string, systems []mteval.System, t tokenize.Tokenizer) (*bertscore.Scorer, *mteval.Matchings, error) {
	vectors, err := lexical.New(lexical.Options{Tokenizer: t})
	if err != nil {
		return nil, nil, err
	}
	base, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		return nil, nil, err
	}
	matcher, err := base.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, nil, err
	}
	ms, err := mteval.MatchSystems(ctx, matcher, systems)
	return base, ms, err
}

// tokenizer is the usual one of a language, nil being that of most.
func tokenizer(language string) (tokenize.Tokenizer, error) {
	switch language {
	case "zh":
		return tokenize.Zh, nil
	case "ja":
		return jamecab.New()
	}
	return nil, nil
}

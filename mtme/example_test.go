package mtme_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// load reads a language pair of the tree in testdata.
func load(ctx context.Context, lp string) *mtme.Pair {
	tree, err := mtme.Open("testdata/tree")
	if err != nil {
		log.Fatal(err)
	}
	set, err := tree.Set("wmt23")
	if err != nil {
		log.Fatal(err)
	}
	p, err := set.Load(ctx, lp)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// How metrics agree with people about the systems that WMT23 judges.
func Example() {
	ctx := context.Background()
	p := load(ctx, "en-de")
	rules, err := mtme.RulesOf(p.Set, p.LanguagePair)
	if err != nil {
		log.Fatal(err)
	}
	human, err := p.Human(ctx, rules.Gold(mtme.Segment), mtme.Segment)
	if err != nil {
		log.Fatal(err)
	}
	systems, err := rules.Systems(p, human)
	if err != nil {
		log.Fatal(err)
	}
	if human, err = human.Select(systems, human.Items); err != nil {
		log.Fatal(err)
	}
	fmt.Println(systems)
	for _, f := range rules.Metrics(p, mtme.Segment) {
		s, err := p.Metric(ctx, f)
		if err != nil {
			log.Fatal(err)
		}
		if s, err = s.Select(human.Systems, human.Items); err != nil {
			log.Fatal(err)
		}
		epsilon, a, err := metaeval.CalibrateTies(human, metaeval.Metric{Name: f.Metric, Scores: s}, metaeval.ByItem)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: acc_eq %.3f at epsilon %.4f\n", f.Metric, a.Value, epsilon)
	}
	// Output:
	// [Alpha Beta Delta Epsilon Gamma]
	// BLEU: acc_eq 0.825 at epsilon 1.3000
	// CometKiwi: acc_eq 0.858 at epsilon 0.6568
	// GEMBA-MQM: acc_eq 0.900 at epsilon 0.0000
	// MetricX-23: acc_eq 0.867 at epsilon 0.9022
	// XCOMET-Ensemble: acc_eq 0.942 at epsilon 0.8300
	// chrF: acc_eq 0.808 at epsilon 0.0000
	// eBLEU: acc_eq 0.858 at epsilon 0.1010
}

// What raters found in the outputs, and scores that other weights than the file's give.
func ExamplePair_RatingScores() {
	ctx := context.Background()
	p := load(ctx, "en-de")
	var ratings []mtme.Rating
	for _, name := range p.Ratings { // of all raters
		r, err := p.ReadRatings(ctx, name)
		if err != nil {
			log.Fatal(err)
		}
		ratings = append(ratings, r...)
	}
	scores, err := p.RatingScores(ratings, mtme.GoogleWeights)
	if err != nil {
		log.Fatal(err)
	}
	summaries, err := p.SummarizeRatings(ratings)
	if err != nil {
		log.Fatal(err)
	}
	means := scores.SystemMeans()
	for k, s := range summaries {
		if s.Rated == 0 { // people left Zeta out
			continue
		}
		fmt.Printf("%s: %.2f, %d of %d without error, %d major and %d minor errors\n",
			s.System, means[k], s.ErrorFree, s.Rated, s.Errors["major"], s.Errors["minor"])
	}
	// Output:
	// Alpha: -2.00, 4 of 12 without error, 12 major and 20 minor errors
	// Beta: -0.75, 7 of 12 without error, 2 major and 8 minor errors
	// Delta: -6.79, 2 of 12 without error, 7 major and 11 minor errors
	// Epsilon: -5.65, 0 of 12 without error, 7 major and 20 minor errors
	// Gamma: -1.93, 4 of 12 without error, 3 major and 9 minor errors
	// refA: -0.08, 11 of 12 without error, 0 major and 1 minor errors
	// synthetic_ref: 0.00, 12 of 12 without error, 0 major and 0 minor errors
}

// A metric that counts characters gets a file beside the others.
func ExamplePair_WriteMetric() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "mtme")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS("testdata/tree")); err != nil {
		log.Fatal(err)
	}
	tree, err := mtme.Open(filepath.Join(dir, "wmt23"))
	if err != nil {
		log.Fatal(err)
	}
	set, err := tree.Set("")
	if err != nil {
		log.Fatal(err)
	}
	p, err := set.Load(ctx, "he-en")
	if err != nil {
		log.Fatal(err)
	}
	length := metaeval.NewScores(p.Systems, p.Segments())
	for k, system := range p.Systems {
		for i, text := range p.Outputs[system] {
			length.Set(k, i, float64(len(text)))
		}
	}
	f := mtme.MetricFile{Metric: "Length", Reference: mtme.NoReference, Level: mtme.Segment}
	if err := p.WriteMetric(ctx, f, length); err != nil {
		log.Fatal(err)
	}
	again, err := p.Metric(ctx, f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Systems[0], again.At(0, 0), p.Outputs[again.Systems[0]][0])
	// Output:
	// Alpha 33 The bridge is shuts until Monday.
}

package mteval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

var (
	exampleRefs = [][]string{
		{"The cat sat on the mat all day long."},
		{"It was raining, so we stayed.", "We stayed in because it was raining."},
	}
	exampleSystems = []mteval.System{
		{Name: "aspen", Hyps: []string{"The cat sat on the mat all day.", "We stayed because it was raining."}},
		{Name: "birch", Hyps: []string{"A cat sat on mat.", "It rained, so we stayed."}},
	}
)

// A corpus has one score, and so has each of its segments.
func ExampleCorpus() {
	scorer, err := bleu.New(bleu.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := mteval.Corpus(context.Background(), scorer, exampleRefs, exampleSystems[0].Hyps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %v\n", r.Score, r.Signature.Short())
	for i, score := range r.SegmentScores() {
		fmt.Printf("segment %d: %.2f\n", i+1, score)
	}
	// Output:
	// 72.28 #:var|c:mixed|e:no|tok:13a|s:exp|v:mteval-0.1.0
	// segment 1: 79.56
	// segment 2: 61.30
}

func ExampleSentence() {
	r, err := mteval.Sentence(context.Background(), ter.New(ter.Options{}), []string{"the cat sat on the mat"}, "on the mat sat the cat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("TER %.1f\n", r.Score)
	// Output: TER 33.3
}

// References that come as streams, the first of every segment and then the second, are
// turned into references by segment.
func ExampleSegments() {
	refs, err := mteval.Segments([]string{"a cat", "a dog"}, []string{"one cat", "one dog"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", refs)
	// Output: [["a cat" "one cat"] ["a dog" "one dog"]]
}

// Several systems are scored against references that are prepared once. The table holds
// all rows, for package significance, say.
func ExampleSystems() {
	scorer, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	table, err := mteval.Systems(context.Background(), scorer, exampleRefs, exampleSystems)
	if err != nil {
		log.Fatal(err)
	}
	for k, score := range table.Scores() {
		fmt.Printf("%s %.3f, segments", table.Systems[k], score)
		for i := range table.Len() {
			fmt.Printf(" %.3f", table.SegmentScore(k, i))
		}
		fmt.Println()
	}
	// Output:
	// aspen 0.188, segments 0.222 0.143
	// birch 0.533, segments 0.667 0.333
}

// Matching is the work of a metric that matches tokens. It is done once, for the plain score
// and for any that weighs tokens otherwise.
func ExampleMatchSystems() {
	ctx := context.Background()
	scorer, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		log.Fatal(err)
	}
	matcher, err := scorer.PrepareMatch(ctx, exampleRefs)
	if err != nil {
		log.Fatal(err)
	}
	matchings, err := mteval.MatchSystems(ctx, matcher, exampleSystems)
	if err != nil {
		log.Fatal(err)
	}
	weights, err := difficulty.EstimateFrom(matchings, nil, difficulty.Function{})
	if err != nil {
		log.Fatal(err)
	}
	aware, err := difficulty.New(scorer, weights, difficulty.Options{})
	if err != nil {
		log.Fatal(err)
	}
	plain, weighed := matchings.Table(scorer).Scores(), matchings.Table(aware).Scores()
	for k, name := range matchings.Systems {
		fmt.Printf("%s %.3f, by difficulty %.3f\n", name, plain[k], weighed[k])
	}
	// Output:
	// aspen 0.867, by difficulty 0.348
	// birch 0.560, by difficulty 0.182
}

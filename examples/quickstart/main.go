// Command quickstart scores a corpus, and then as a loop does: it is the program of the
// README.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
)

func main() {
	ctx := context.Background()
	refs := [][]string{ // the references of each segment
		{"The cat sat on the mat all day long."},
		{"It was raining, so we stayed.", "We stayed in because it was raining."},
	}
	hyps := []string{"The cat sat on the mat all day.", "We stayed because it was raining."}

	scorer, err := bleu.New(bleu.Options{}) // the zero value is the field's standard
	if err != nil {
		log.Fatal(err)
	}
	result, err := mteval.Corpus(ctx, scorer, refs, hyps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %s\n", result.Score, result.Signature)
	fmt.Printf("%.2f\n", result.SegmentScores()) // of each segment

	// A loop prepares the references once and keeps its buffer: no allocation.
	prepared, err := scorer.Prepare(ctx, refs)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := prepared.Append(ctx, nil, []int{1, 1}, []string{"We stayed.", "It was raining, so we stayed."})
	if err != nil {
		log.Fatal(err)
	}
	for w := scorer.Width(); len(rows) > 0; rows = rows[w:] {
		fmt.Printf("%.2f\n", scorer.Score(rows[:w])) // rows add up: a sum of them has a score, too
	}
}

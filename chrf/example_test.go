package chrf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
)

// chrF and chrF++ of two segments, the first of which has two references.
func Example() {
	refs := [][]string{{"The ferry leaves at nine.", "At nine the ferry departs."}, {"Nobody was hurt."}}
	hyps := []string{"The ferry departs at nine.", "No one got hurt."}
	for _, o := range []chrf.Options{{}, {WordOrder: 2}} {
		s, err := chrf.New(o)
		if err != nil {
			log.Fatal(err)
		}
		r, err := mteval.Corpus(context.Background(), s, refs, hyps)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("word n-grams to %s: %.1f\n", s.Info().Signature.Get("nw"), r.Score)
		for i, score := range r.SegmentScores() {
			fmt.Printf("  segment %d: %.1f\n", i+1, score)
		}
	}
	// Output:
	// word n-grams to 0: 54.7
	//   segment 1: 71.6
	//   segment 2: 25.2
	// word n-grams to 2: 51.5
	//   segment 1: 64.5
	//   segment 2: 28.9
}

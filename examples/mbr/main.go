// Command mbr chooses, of the outputs that a model samples for a sentence, the one that the
// others agree with most: minimum Bayes risk, with sentence chrF as the utility. The model's
// probabilities are the weights. With -aggregate each candidate is scored once, against the
// mean of all, which for many candidates takes less time.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/mbr"
)

func main() {
	aggregate := flag.Bool("aggregate", false, "score against the mean of the candidates")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *aggregate); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, aggregate bool) error {
	samples := []mbr.Segment{
		{Candidates: []string{
			"The ferry leaves at nine.",
			"The ferry departs at nine o'clock.",
			"A ferry is leaving nine.",
			"The ferry leaves at nine o'clock.",
		}},
		{
			Candidates: []string{"Take the left path.", "Take the path on the left.", "The left was taken."},
			Weights:    []float64{.5, .3, .2},
		},
	}
	// One decoder serves one sentence after another, and keeps its memory.
	decoder, err := mbr.New(&chrf.Scorer{}, mbr.Options{Aggregate: aggregate})
	if err != nil {
		return err
	}
	for _, s := range samples {
		r, err := decoder.Decode(ctx, s)
		if err != nil {
			return err
		}
		best := r.Order[0]
		fmt.Fprintf(w, "%.2f  %s\n", r.Utilities[best], s.Candidates[best])
	}
	return nil
}

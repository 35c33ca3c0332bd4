// Command rerank picks, for each segment of an n-best list, the candidate with
// the best sentence score against the reference (an oracle, as used in training),
// and shows the loop that a program runs millions of times: the references are
// prepared once, and scoring writes into a buffer of the caller's.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/mteval/mteval/bleu"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	refs := [][]string{
		{"The lock keeper opened the gate at six."},
		{"Nobody had told her about the strike.", "No one had informed her of the strike."},
	}
	nbest := [][]string{
		{"The lock guard opened the gate at six.", "The lock keeper opened the gate at six o'clock.", "At six the castle opened."},
		{"Nobody told her about the blow.", "No one had informed her about the strike.", "She knew of the strike."},
	}

	scorer, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		return err
	}
	prepared, err := scorer.Prepare(ctx, refs)
	if err != nil {
		return err
	}
	width := scorer.Width()
	var rows []float64 // used again for every list
	var segs []int
	for i, candidates := range nbest {
		segs = segs[:0]
		for range candidates {
			segs = append(segs, i)
		}
		rows, err = prepared.Append(ctx, rows[:0], segs, candidates)
		if err != nil {
			return err
		}
		best, bestScore := 0, -1.0
		for k := range candidates {
			if s := scorer.Score(rows[k*width : (k+1)*width]); s > bestScore {
				best, bestScore = k, s
			}
		}
		fmt.Fprintf(w, "%.2f  %s\n", bestScore, candidates[best])
	}
	return nil
}

// Command mert tunes the weights of a decoder on its n-best lists, as a step of minimum error
// rate training: decode with these weights, add the new lists to the old, tune again.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/mert"
)

// nbest is what the decoder wrote; files.OpenNBest reads it from a file.
const nbest = `0 ||| the lock guard opened gate ||| LM0= -4 TM0= -9 WordPenalty0= -5 ||| -18
0 ||| the lock keeper opened the gate at six ||| LM0= -9 TM0= -6 WordPenalty0= -8 ||| -23
0 ||| the lock keeper opened the gate at six of the clock ||| LM0= -15 TM0= -5 WordPenalty0= -11 ||| -31
1 ||| nobody told her ||| LM0= -3 TM0= -8 WordPenalty0= -3 ||| -14
1 ||| nobody had told her about the blow ||| LM0= -9 TM0= -7 WordPenalty0= -7 ||| -23
1 ||| nobody had told her about the strike ||| LM0= -8 TM0= -4.5 WordPenalty0= -7 ||| -19.5
2 ||| the bread is ||| LM0= -3 TM0= -7 WordPenalty0= -3 ||| -13
2 ||| the bread is still warm ||| LM0= -6 TM0= -4 WordPenalty0= -5 ||| -15
`

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	read, err := files.ReadNBest(strings.NewReader(nbest), "run1.nbest", files.Options{})
	if err != nil {
		return err
	}
	refs := [][]string{
		{"the lock keeper opened the gate at six"},
		{"nobody had told her about the strike"},
		{"the bread is still warm"},
	}
	scorer, err := bleu.New(bleu.Options{})
	if err != nil {
		return err
	}
	lists, err := mert.New(ctx, scorer, refs, read.Lists)
	if err != nil {
		return err
	}
	tuned, err := lists.Search(ctx, []float64{1, 1, 1}, mert.Options{Seed: 1})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "BLEU %.2f, was %.2f\n", tuned.Score, tuned.Start)
	for j, name := range read.Features {
		fmt.Fprintf(w, "%s= %.3f\n", name, tuned.Weights[j])
	}
	first, err := lists.First(tuned.Weights)
	if err != nil {
		return err
	}
	for i, c := range first {
		fmt.Fprintln(w, read.Lists[i][c].Text)
	}
	return nil
}

// Command stream scores the lines of a table by BLEU and chrF with the library in a loop, as a
// program that wants to score lines would, and as mteval stream is compared with: a block of
// lines for each call, on all processors, and nothing is read by the way or kept.
//
//	stream [-block N] FILE
//
// FILE has the columns id, hypothesis and reference, and a header. bench/stream.py makes it.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
)

func main() {
	n := flag.Int("block", 4096, "lines of a call; 1: a call for each line")
	flag.Parse()
	f, err := os.Open(flag.Arg(0))
	check(err)
	b, err := bleu.New(bleu.Options{EffectiveOrder: true})
	check(err)
	c, err := chrf.New(chrf.Options{})
	check(err)
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewScanner(f)
	in.Scan() // the header
	var lines, hyps []string
	var refs [][]string
	score := func() {
		rows := make([][]float64, 2)
		for m, s := range []mteval.Scorer{b, c} {
			r, err := mteval.Corpus(context.Background(), s, refs, hyps)
			check(err)
			for i := range hyps {
				rows[m] = append(rows[m], s.Score(r.Row(i)))
			}
		}
		for i, line := range lines {
			fmt.Fprintf(out, "%s\t%.6f\t%.6f\n", line, rows[0][i], rows[1][i])
		}
		lines, hyps, refs = lines[:0], hyps[:0], refs[:0]
	}
	for in.Scan() {
		cells := strings.Split(in.Text(), "\t")
		lines, hyps, refs = append(lines, in.Text()), append(hyps, cells[1]), append(refs, cells[2:3])
		if len(lines) == *n {
			score()
		}
	}
	check(in.Err())
	score()
	check(out.Flush())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Command mbr decodes segments by minimum Bayes risk and prints how long it took, in seconds,
// and the sum of all utilities. bench/mbr.py runs it in turn with peers.
//
//	mbr chrf|bleu pairwise|aggregate N FILE      (N candidates a segment, one a line)
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/mbr"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: mbr chrf|bleu pairwise|aggregate N FILE")
	}
	var s mteval.Scorer = &chrf.Scorer{}
	if os.Args[1] == "bleu" {
		b, err := bleu.New(bleu.Options{EffectiveOrder: true})
		check(err)
		s = b
	}
	n, err := strconv.Atoi(os.Args[3])
	check(err)
	text, err := os.ReadFile(os.Args[4])
	check(err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if n < 1 || len(lines)%n != 0 {
		log.Fatalf("%d lines are no segments of %d", len(lines), n)
	}

	start := time.Now()
	d, err := mbr.New(s, mbr.Options{Aggregate: os.Args[2] == "aggregate"})
	check(err)
	sum := 0.0
	for ; len(lines) > 0; lines = lines[n:] {
		r, err := d.Decode(context.Background(), mbr.Segment{Candidates: lines[:n]})
		check(err)
		for _, u := range r.Utilities {
			sum += u
		}
	}
	fmt.Println(time.Since(start).Seconds(), sum)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

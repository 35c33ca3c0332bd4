package dreem_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/dreem"
)

func Example() {
	s, err := dreem.New(dreem.Options{})
	if err != nil {
		log.Fatal(err)
	}
	const ref = "The government has promised new jobs."
	for _, hyp := range []string{
		"The government has promised new jobs.",
		"The government pledged more employment.",
		"A cat slept on the old wall.",
	} {
		r, err := mteval.Sentence(context.Background(), s, []string{ref}, hyp)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f %s\n", r.Score, hyp)
	}
	// Output:
	// 1.00 The government has promised new jobs.
	// 0.07 The government pledged more employment.
	// 0.00 A cat slept on the old wall.
}

func ExampleReadPenn() {
	trees, err := dreem.ReadPenn(strings.NewReader("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"), "trees.mrg")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trees[0].Words, trees[0].Merges)
	// Output: [the cat sleeps] [[0 1] [3 2]]
}

package study_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

func ExampleRun() {
	refs := [][]string{{"the ferry leaves at nine"}, {"he gave his sister a book"}, {"prices went up last year"}}
	systems := []mteval.System{
		{Name: "north", Hyps: []string{"the ferry leaves at nine", "he gave his sister the book", "prices rose last year"}},
		{Name: "east", Hyps: []string{"the ferry goes at nine", "he gave his sister a book", "the price went up"}},
		{Name: "west", Hyps: []string{"the ferry nine", "his sister gave a book", "last year prices"}},
	}
	people := []ranking.Human{{System: "north", Score: .4}, {System: "east", Score: .1}, {System: "west", Score: -.5}}

	s, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	metric := study.Subject{Scorer: s, Forms: []study.Form{{Name: "paper", Options: difficulty.Paper()}}}
	r, err := study.Run(context.Background(), refs, systems, people, []study.Subject{metric}, study.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Curves {
		for _, p := range c.Points {
			fmt.Printf("K %d, %s: Kendall %+.2f\n", p.K, c.Name(), *p.Agreements[significance.Kendall].Value)
		}
	}
	if r.Chance[0].Least == nil {
		fmt.Println("No order of three systems is beyond chance.")
	}
	// Output:
	// K 3, wordf: Kendall +0.33
	// K 3, da-wordf paper: Kendall +1.00
	// No order of three systems is beyond chance.
}

package ter_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/ter"
)

const (
	ref = "Israeli officials are responsible for airport security"
	hyp = "airport security Israeli officials are responsible"
)

func Example() {
	s := ter.New(ter.Options{})
	r, err := mteval.Sentence(context.Background(), s, []string{ref}, hyp)
	if err != nil {
		log.Fatal(err)
	}
	d := s.Detail(r.Sum)
	fmt.Printf("%.1f: %d edits for %v words\n", d.Score, d.Edits, d.RefLength)
	// Output:
	// 28.6: 2 edits for 7 words
}

// The edits that make the reference of the hypothesis.
func ExampleScorer_Align() {
	a, err := ter.New(ter.Options{}).Align(context.Background(), ref, hyp)
	if err != nil {
		log.Fatal(err)
	}
	for _, shift := range a.Shifts {
		fmt.Printf("shift %d words to place %d\n", shift.Length, shift.Target)
	}
	for _, e := range a.Edits {
		switch e.Op {
		case ter.Match:
			fmt.Println(e.Op, a.Ref[e.Ref])
		case ter.Insert:
			fmt.Println(e.Op, a.Ref[e.Ref])
		case ter.Delete:
			fmt.Println(e.Op, a.Hyp[e.Hyp])
		case ter.Substitute:
			fmt.Println(e.Op, a.Hyp[e.Hyp], "→", a.Ref[e.Ref])
		}
	}
	// Output:
	// shift 2 words to place 6
	// match israeli
	// match officials
	// match are
	// match responsible
	// insert for
	// match airport
	// match security
}

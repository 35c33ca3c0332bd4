package mert_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval/mert"
	"github.com/mteval/mteval/ter"
)

// The second feature prefers the right text of each list.
func Example() {
	refs := [][]string{{"the door is open"}, {"close it"}}
	lists := [][]mert.Candidate{
		{{Text: "door is", Features: []float64{3, 0}}, {Text: "the door is open", Features: []float64{1, 2}}},
		{{Text: "close it", Features: []float64{0, 1}}, {Text: "it", Features: []float64{1, 0}}},
	}
	ctx := context.Background()
	l, err := mert.New(ctx, &ter.Scorer{}, refs, lists)
	if err != nil {
		log.Fatal(err)
	}
	x, err := l.Line(ctx, []float64{1, 0}, []float64{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("TER %.0f beyond a weight of %v\n", x.Score, x.Low)
	// Output: TER 0 beyond a weight of 1
}

package selection_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/selection"
)

// The two segments of four whose outputs differ most. Of the second there is nothing to judge.
func ExampleSet() {
	set := selection.Set{
		Segments: []string{"1", "2", "3", "4"},
		Sources:  []string{"Good morning.", "—", "The house is old.", "It rains."},
		Systems: []mteval.System{
			{Name: "old", Hyps: []string{"Guten Morgen.", "", "Das Haus ist alt.", "Es regnet."}},
			{Name: "new", Hyps: []string{"Guten Tag.", "", "Das Gebäude ist alt.", "Es regnet."}},
		},
	}
	utilities, err := selection.WordDiversity(context.Background(), set.Systems)
	if err != nil {
		log.Fatal(err)
	}
	choice, err := set.Choose(utilities, selection.Budget{Segments: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range choice.Segments {
		fmt.Println("segment", set.Segments[i])
	}
	fmt.Println(choice.Outputs, "outputs to judge,", choice.LeftOut.Blank, "segment left out")
	// Output:
	// segment 1
	// segment 3
	// 4 outputs to judge, 1 segment left out
}

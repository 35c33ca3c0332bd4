package selection_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// Three segments to judge of five: those whose scores differ most between systems, and rank
// the systems as all segments do.
func Example() {
	scores := &metaeval.Scores{
		Systems: []string{"old", "new"},
		Items:   []string{"1", "2", "3", "4", "5"},
		Values: []float64{
			.52, .80, .40, .71, .60, // old
			.81, .80, .30, .75, .85, // new
		},
	}
	m := metaeval.Metric{Name: "COMET", Scores: scores}
	variance, err := selection.Variance(m)
	if err != nil {
		log.Fatal(err)
	}
	consistency, err := selection.Consistency(m)
	if err != nil {
		log.Fatal(err)
	}
	utilities, err := selection.Sum(selection.Term{Weight: 1, Utilities: variance}, selection.Term{Weight: 2, Utilities: consistency})
	if err != nil {
		log.Fatal(err)
	}
	chosen, err := selection.Choose(utilities, selection.Options{Segments: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range chosen {
		fmt.Println("segment", scores.Items[i])
	}
	// Output:
	// segment 1
	// segment 5
	// segment 4
}

package tunable_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/tunable"
)

// The work on texts is done once; then parameters are tried.
func ExampleKeep() {
	ctx := context.Background()
	s, err := meteor.New(meteor.Options{Normalization: meteor.Full})
	if err != nil {
		log.Fatal(err)
	}
	refs := [][]string{{"The dog ran across the road, and barked.", "A dog crossed the road."}, {"It rained all night."}}
	hyps := []string{"The dog crossed the street.", "It rained."}
	kept, err := tunable.Keep(ctx, s, refs, nil, hyps)
	if err != nil {
		log.Fatal(err)
	}
	var values []float64
	for _, p := range s.Parameters() {
		values = append(values, p.Value)
	}
	fmt.Println(s.Parameters()[0].Name, s.Parameters()[0].Min, "to", s.Parameters()[0].Max)
	for _, alpha := range []float64{.1, .9} {
		values[0] = alpha
		other, err := s.WithParameters(values)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.3f\n", alpha, kept.Scores(nil, other))
	}
	// Output:
	// alpha 0 to 1
	// 0.1: [0.318 0.414]
	// 0.9: [0.318 0.260]
}

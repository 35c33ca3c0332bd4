package meteor_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/tunable"
)

func Example() {
	s, err := meteor.New(meteor.Options{Normalization: meteor.Full})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := mteval.Sentence(context.Background(), s, []string{"They quickly sold the automobiles."}, "The cars were sold quickly.")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", r.Score)
	fmt.Println(s.Info().Signature.Get("program"))
	// Output:
	// 0.3694
	// none
}

func ExampleScorer_Align() {
	s, err := meteor.New(meteor.Options{Normalization: meteor.Full})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := s.Align(context.Background(), "The automobile sells quickly.", "The cars were sold quickly.")
	if err != nil {
		fmt.Println(err)
		return
	}
	modules := []meteor.Module{meteor.Exact, meteor.Stem, meteor.Synonym}
	for _, m := range a.Spans {
		fmt.Println(a.Hyp[m.Hyp], a.Ref[m.Ref], modules[m.Stage])
	}
	fmt.Println(a.Statistics)
	// Output:
	// the the exact
	// cars automobile synonym
	// sold sells synonym
	// quickly quickly exact
	// . . exact
	// 6 5 3 2 1 1 2 2 0 0 0 0 2 2 0 0 0 0 0 0 2 5 5
}

// Parameters are tried without aligning again.
func ExampleScorer_With() {
	ctx := context.Background()
	s, err := meteor.New(meteor.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	hyps := []string{"a dog ran over the road", "the dog crossed the road"}
	refs := [][]string{{"the dog ran across the road"}, {"the dog ran across the road"}}
	kept, err := tunable.Keep(ctx, s, refs, nil, hyps)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, alpha := range []float64{.1, .9} {
		t, err := s.With(meteor.Params{Alpha: alpha, Beta: .2, Gamma: .6, Delta: .75}, []float64{1, .6, .8})
		if err != nil {
			fmt.Println(err)
			return
		}
		rows := kept.Append(nil, t)
		width := s.Width()
		fmt.Printf("%.3f %.3f\n", t.Score(rows[:width]), t.Score(rows[width:]))
	}
	// Output:
	// 0.392 0.338
	// 0.346 0.279
}

package difficulty_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
)

// Difficulty is estimated among known systems, saved, and used later on a new one.
func Example() {
	ctx := context.Background()
	vectors, err := lexical.New(lexical.Options{})
	if err != nil {
		panic(err)
	}
	defer vectors.Close()
	base, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		panic(err)
	}

	refs := [][]string{{"The lock keeper opened the gate."}}
	matcher, err := base.PrepareMatch(ctx, refs)
	if err != nil {
		panic(err)
	}
	weights, err := difficulty.Estimate(ctx, matcher, []mteval.System{
		{Name: "a", Hyps: []string{"The castle guard opened the gate."}},
		{Name: "b", Hyps: []string{"The key holder opened the gate."}},
	})
	if err != nil {
		panic(err)
	}
	saved, err := json.Marshal(weights)
	if err != nil {
		panic(err)
	}

	var loaded difficulty.Weights
	if err := json.Unmarshal(saved, &loaded); err != nil {
		panic(err)
	}
	scorer, err := difficulty.New(base, &loaded, difficulty.Paper())
	if err != nil {
		panic(err)
	}
	for _, hyp := range []string{"The lock keeper opened the gate.", "The castle guard opened the gate."} {
		r, err := mteval.Corpus(ctx, scorer, refs, []string{hyp})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%.3f  %s\n", r.Score, hyp)
	}
	// Output:
	// 0.225  The lock keeper opened the gate.
	// 0.136  The castle guard opened the gate.
}

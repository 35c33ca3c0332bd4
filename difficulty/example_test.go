package difficulty_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/overlap"
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

// What all words say and what the difficult ones say counts alike. Each system misses a word,
// which is the same to the plain score; a Field finds that "slowly", which c alone has right, is
// more difficult than "keeper", which c misses.
func ExampleCombined() {
	ctx := context.Background()
	base, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		panic(err)
	}
	refs := [][]string{{"the keeper opened the gate slowly"}}
	matcher, err := base.PrepareMatch(ctx, refs)
	if err != nil {
		panic(err)
	}
	matchings, err := mteval.MatchSystems(ctx, matcher, []mteval.System{
		{Name: "a", Hyps: []string{"the keeper opened the gate soon"}},
		{Name: "b", Hyps: []string{"the keeper opened the gate now"}},
		{Name: "c", Hyps: []string{"the man opened the gate slowly"}},
	})
	if err != nil {
		panic(err)
	}
	field, err := difficulty.NewField(base, matchings, difficulty.Combined(), difficulty.Function{})
	if err != nil {
		panic(err)
	}
	plain := matchings.Table(base).Scores()
	combined, err := field.Scores(ctx, []int{0, 1, 2}, nil)
	if err != nil {
		panic(err)
	}
	for k, system := range matchings.Systems {
		fmt.Printf("%s  %s %.3f  %s %.3f\n", system, base.Info().Name, plain[k], field.Info().Name, combined[k])
	}
	// Output:
	// a  wordf 0.833  wordf+da 0.562
	// b  wordf 0.833  wordf+da 0.562
	// c  wordf 0.833  wordf+da 0.677
}

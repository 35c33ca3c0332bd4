package ranking_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
)

func ExampleRank() {
	refs := [][]string{{"the cat sat on the mat"}, {"a dog ran under the old tree"}}
	systems := []mteval.System{
		{Name: "north", Hyps: []string{"the cat sat on a mat", "a dog ran under the tree"}},
		{Name: "east", Hyps: []string{"the cat sat on the mat", "a dog ran under the old tree"}},
		{Name: "west", Hyps: []string{"cat on mat", "the dog ran"}},
	}
	people := []ranking.Human{{System: "north", Score: .4}, {System: "east", Score: .3}, {System: "west", Score: -.5}}

	ctx := context.Background()
	s, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := mteval.Systems(ctx, s, refs, systems)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ranking.Rank(ctx, table.Systems, []ranking.FieldMetric{ranking.FromTable(table)}, ranking.Options{Human: people})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Systems {
		fmt.Printf("%s: people's rank %d, BLEU's %d\n", row.Name, row.HumanRank, row.Ranks[0])
	}
	fmt.Printf("Kendall %+.2f\n", *r.Correlations[0].Kendall)
	// Output:
	// north: people's rank 1, BLEU's 2
	// east: people's rank 2, BLEU's 1
	// west: people's rank 3, BLEU's 3
	// Kendall +0.33
}

// People's scores of segments make an order of systems, as those of systems do.
func ExampleHumanOf() {
	people := metaeval.NewScores([]string{"north", "east", "west"}, []string{"1", "2"})
	people.Set(0, 0, 70)
	people.Set(0, 1, 80)
	people.Set(2, 1, 90)
	fmt.Println(ranking.HumanOf(people))
	// Output: [{north 75} {west 90}]
}

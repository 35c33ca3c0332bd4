package scoring_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/scoring"
	"github.com/mteval/mteval/ter"
)

// Texts of slices are scored by two metrics, and systems tested against the first.
func ExampleRun_Table() {
	ctx := context.Background()
	characters, err := chrf.New(chrf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	run := &scoring.Run{Texts: &files.Corpus{
		Refs: [][]string{{"the cat sat on the mat"}, {"it was warm"}},
		Systems: []mteval.System{
			{Name: "a", Hyps: []string{"the cat sat on a mat", "it was cold"}},
			{Name: "b", Hyps: []string{"the cat sat on the mat", "it was hot"}},
		},
	}}
	for _, metric := range []mteval.Scorer{characters, ter.New(ter.Options{})} {
		table, err := run.Table(ctx, metric)
		if err != nil {
			log.Fatal(err)
		}
		tested, err := scoring.Test(ctx, table, scoring.TestOptions{Paired: scoring.Randomization, Samples: 100})
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range tested.Systems {
			fmt.Printf("%s %s %.1f\n", table.Info.Name, s.System, s.Score)
		}
	}
	// Output:
	// chrf a 56.2
	// chrf b 81.2
	// ter a 22.2
	// ter b 11.1
}

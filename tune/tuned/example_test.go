package tuned_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/tune/tuned"
)

// A file that the command tune wrote gives a metric its parameters. (Of a file at a path it is
// tuned.Open.)
func Example() {
	file := `{
		"version": 1,
		"metric": "meteor",
		"parameters": [
			{"name": "alpha", "value": 0.9, "start": 0.85, "fitted": true},
			{"name": "beta", "value": 0.2, "start": 0.2, "fitted": false},
			{"name": "gamma", "value": 0.3, "start": 0.6, "fitted": true},
			{"name": "delta", "value": 0.75, "start": 0.75, "fitted": false},
			{"name": "exact", "value": 1, "start": 1, "fitted": false}
		],
		"figures": {"train": {"untuned": 0.2, "tuned": 0.3}}
	}`
	s, err := meteor.New(meteor.Options{Modules: []meteor.Module{meteor.Exact}})
	if err != nil {
		log.Fatal(err)
	}
	t, err := tuned.Read(strings.NewReader(file), "tuned.json")
	if err != nil {
		log.Fatal(err)
	}
	better, err := t.Apply(s)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []mteval.Scorer{s, better} {
		r, err := mteval.Sentence(context.Background(), m, []string{"the dog ran across the road"}, "across the road a dog ran")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f %s\n", r.Score, m.Info().Signature.Get("params"))
	}
	// Output:
	// 0.465 0.85,0.2,0.6,0.75
	// 0.697 0.9,0.2,0.3,0.75
}

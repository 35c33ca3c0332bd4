package meta_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ter"
)

// Two metrics are judged by people's scores of four systems on three segments.
func Example() {
	refs := [][]string{{"the cat sat on the mat"}, {"a dog barked at night"}, {"it rained all day"}}
	systems := []mteval.System{
		{Name: "a", Hyps: []string{"the cat sat on the mat", "a dog barked at night", "it rained all day long"}},
		{Name: "b", Hyps: []string{"the cat sat on a mat", "the dog barked at night", "it was raining all day"}},
		{Name: "c", Hyps: []string{"cat is sitting on mats", "dogs bark at night", "rain all the day"}},
		{Name: "d", Hyps: []string{"the mat", "night", "day of rains"}},
	}
	people := metaeval.NewScores([]string{"a", "b", "c", "d"}, []string{"1", "2", "3"})
	copy(people.Values, []float64{95, 100, 80, 90, 85, 75, 60, 70, 55, 10, 5, 30})

	ctx := context.Background()
	c, err := chrf.New(chrf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var metrics []meta.Candidate
	for _, s := range []mteval.Scorer{c, ter.New(ter.Options{})} {
		t, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			log.Fatal(err)
		}
		metrics = append(metrics, meta.Candidate{Metric: metaeval.TableSegments(t)})
	}
	r, err := meta.Systems(ctx, meta.People{Scores: people}, metrics, meta.SystemOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Metrics {
		fmt.Printf("%s: Pearson %.3f, on %d of %d pairs of systems as people\n", m.Name, m.Values["pearson"].Value, m.Accuracy.Agree, m.Accuracy.Pairs)
	}
	fmt.Printf("%s or %s? p = %.2f\n", r.Comparisons[0].X, r.Comparisons[0].Y, r.Comparisons[0].P)
	// Output:
	// ter: Pearson 0.882, on 6 of 6 pairs of systems as people
	// chrf: Pearson 0.861, on 6 of 6 pairs of systems as people
	// ter or chrf? p = 0.66
}

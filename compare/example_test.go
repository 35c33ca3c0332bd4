package compare_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

// Whether one system's scores, of any metric, are better than another's.
func Example() {
	table := `system	segment	score
oak	1	0.91
oak	2	0.84
oak	3	0.77
oak	4	0.90
oak	5	0.63
elm	1	0.90
elm	2	0.80
elm	3	0.78
elm	4	0.82
elm	5	0.61
`
	scores, err := files.ReadScores(strings.NewReader(table), "comet.tsv", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m := metaeval.Metric{Name: "COMET", Scores: scores}
	results, err := compare.Compare(context.Background(), []metaeval.Metric{m}, compare.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r := results[0]
	for _, s := range r.Systems {
		fmt.Printf("%s %.3f, cluster %d\n", s.Name, s.Mean, s.Cluster)
	}
	p := r.Pairs[0]
	fmt.Printf("%s is better by %.3f: t = %.2f, p = %.3f; wins on %d segments of %d\n",
		r.Systems[p.A].Name, p.Difference, p.T.T, p.T.P.P, p.Wins, r.Segments)
	// Output:
	// oak 0.810, cluster 1
	// elm 0.782, cluster 1
	// oak is better by 0.028: t = 1.83, p = 0.141; wins on 4 segments of 5
}

// Where a system is better: on short sources or on long ones.
func ExampleBuckets() {
	sources := []string{"Ja", "Danke schön", "Es regnet seit heute früh", "Die Sitzung wird um vier Uhr fortgesetzt"}
	scores := &metaeval.Scores{
		Systems: []string{"oak", "elm"},
		Items:   []string{"1", "2", "3", "4"},
		Values:  []float64{.9, .8, .7, .8, 1, .9, .5, .4},
	}
	lengths, err := compare.Ranges("words of the source", scores.Items, compare.Words(sources), []float64{3})
	if err != nil {
		log.Fatal(err)
	}
	m := metaeval.Metric{Name: "COMET", Scores: scores}
	buckets, err := compare.Buckets(context.Background(), m, lengths, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range buckets {
		fmt.Printf("%s: %d segments, oak %.2f, elm %.2f\n", b.Label, b.Segments, b.Means[0], b.Means[1])
	}
	// Output:
	// <3: 2 segments, oak 0.85, elm 0.95
	// >=3: 2 segments, oak 0.75, elm 0.45
}

package human_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
)

// Direct assessments to system scores, as WMT does it.
func Example() {
	judgements, err := files.OpenJudgements(context.Background(), "../files/testdata/hits.csv", files.JudgementOptions{})
	if err != nil {
		log.Fatal(err)
	}
	kept, rejected := human.Filter(judgements, human.Quality{})
	for _, r := range rejected {
		fmt.Printf("rejected %s: %s\n", r.Name, r.Reason)
	}
	z, _ := human.Standardize(kept)
	segments, n, err := human.Average(z)
	if err != nil {
		log.Fatal(err)
	}
	for k, mean := range segments.SystemMeans() {
		fmt.Printf("%s: %.3f\n", segments.Systems[k], mean)
	}
	fmt.Println("judgements of each segment:", n.Values)
	// Output:
	// rejected bob: degraded outputs are not scored lower
	// rejected eve: the same score every time
	// north.1: 0.487
	// south.2: 0.101
	// judgements of each segment: [1 2 1 NaN]
}

// The agreement of two judges on adequacy.
func ExampleCohenKappa() {
	judgements, err := files.OpenJudgements(context.Background(), "../files/testdata/judgements.tsv", files.JudgementOptions{
		Scale: human.FivePoint(), Column: "adequacy",
	})
	if err != nil {
		log.Fatal(err)
	}
	var ann, bob []float64
	for _, scores := range human.ByOutput(judgements) {
		ann, bob = append(ann, scores[0]), append(bob, scores[1])
	}
	kappa, err := human.CohenKappa(ann, bob, human.Quadratic)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", kappa)
	// Output: 0.833
}

// Pairs of outputs, of which people said which is better, to system scores.
func ExampleExpectedWins() {
	pairs, err := files.OpenPairs(context.Background(), "../files/testdata/darr.csv", "xx-yy", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	counts, err := pairs.Counts()
	if err != nil {
		log.Fatal(err)
	}
	wins, err := human.ExpectedWins(len(pairs.Systems), counts)
	if err != nil {
		log.Fatal(err)
	}
	for k, name := range pairs.Systems {
		fmt.Printf("%s wins %.2f\n", name, wins[k])
	}
	// Output:
	// north.1 wins 1.00
	// south.2 wins 0.25
	// east.3 wins 0.50
}

// Marked errors to segment scores; less is better.
func ExampleMQMJudgements() {
	marked, err := files.OpenMQM(context.Background(), "../files/testdata/mqm.tsv", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	judgements, err := human.MQMJudgements(marked, nil)
	if err != nil {
		log.Fatal(err)
	}
	segments, _, err := human.Average(judgements)
	if err != nil {
		log.Fatal(err)
	}
	for k, mean := range segments.SystemMeans() {
		fmt.Println(segments.Systems[k], segments.At(k, 0), segments.At(k, 1), mean)
	}
	// Output:
	// north 0.55 0 0.275
	// south 25 10 17.5
}

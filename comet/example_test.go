package comet_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/comet"
)

// A model's folder, here a tiny one with random weights whose encoder's folder lies beside
// it, scores translations with their sources.
func Example() {
	s, err := comet.Open("testdata/wmt22", comet.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	sources := []string{"A cold morning.", "The cook sold nine pears."}
	refs := [][]string{{"Ein kalter Morgen."}, {"Neun Birnen verkaufte der Koch."}}
	r, err := mteval.Corpus(context.Background(), mteval.WithSources(s, sources), refs, []string{"Ein Morgen.", "Der Koch verkaufte neun Birnen."})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, %.4f: %.4f\n", s.Score(r.Rows[:2]), s.Score(r.Rows[2:]), r.Score)
	fmt.Println(s.Info().Signature.Get("class"), s.Info().Signature.Get("layers"))
	// Output:
	// -1.2105, -0.2804: -0.7454
	// regression_metric sparsemax
}

package stream_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/stream"
)

func ExampleRun() {
	lines := `{"id": 1, "mt": "The cat sat on the mat.", "ref": ["A cat sat on the mat.", "The cat was sitting on the mat."]}
{"id": 2, "mt": "It rains.", "ref": "The sun is out."}
`
	totals, err := stream.Run(context.Background(), strings.NewReader(lines), os.Stdout, stream.Options{
		Metrics:  []stream.Metric{{Scorer: &chrf.Scorer{}}},
		Layout:   stream.Layout{Hypothesis: "mt", References: []string{"ref"}},
		Decimals: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d lines, %.2f\n", totals.Lines, totals.Results[0].Score)
	// Output:
	// {"id": 1, "mt": "The cat sat on the mat.", "ref": ["A cat sat on the mat.", "The cat was sitting on the mat."],"chrf":89.78}
	// {"id": 2, "mt": "It rains.", "ref": "The sun is out.","chrf":7.44}
	// 2 lines, 58.46
}

package distributed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/distributed"
)

// sameWords is a metric of somebody's: how many words of hypotheses stand at their place in the
// first reference, of all words of these references.
type sameWords struct{}

func (sameWords) Info() mteval.Info {
	return mteval.Info{Name: "same-words", Signature: mteval.Signature{{Key: "words", Value: "fields"}}}
}

func (sameWords) Width() int { return 2 }

func (sameWords) Score(row []float64) float64 {
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

func (sameWords) Prepare(_ context.Context, refs [][]string) (mteval.Prepared, error) {
	var out sameWordsPrepared
	for _, r := range refs {
		out = append(out, strings.Fields(r[0]))
	}
	return out, nil
}

type sameWordsPrepared [][]string

func (p sameWordsPrepared) Len() int { return len(p) }

func (p sameWordsPrepared) Append(_ context.Context, dst []float64, segments []int, hypotheses []string) ([]float64, error) {
	for i, h := range hypotheses {
		words, same := p[segments[i]], 0
		for k, w := range strings.Fields(h) {
			if k < len(words) && words[k] == w {
				same++
			}
		}
		dst = append(dst, float64(same), float64(len(words)))
	}
	return dst, nil
}

func init() {
	distributed.Register("same-words", func(_ context.Context, options json.RawMessage) (mteval.Scorer, func() error, error) {
		if len(options) > 0 {
			return nil, nil, fmt.Errorf("same-words has no options")
		}
		return sameWords{}, nil, nil // with a model: its Close
	})
}

// A package registers a metric in its init, so that workers have it, too.
func ExampleRegister() {
	metrics := []distributed.Description{{Metric: "same-words"}}
	p, s := beam.NewPipelineWithRoot()
	records := beam.CreateList(s, []distributed.Record{
		{System: "A", Segment: "1", Hypothesis: "the cat sat", References: []string{"the cat sat"}},
		{System: "A", Segment: "2", Hypothesis: "a dog", References: []string{"the dog"}},
	})
	scores, _ := distributed.SegmentScores(s, records, metrics)
	systems := gather[distributed.SystemScore](s, distributed.SystemScores(s, scores, metrics))
	if err := ptestRun(p); err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range systems() {
		fmt.Printf("%s %s %.2f\n", x.System, x.Metric, x.Score)
	}
	// Output:
	// A same-words 0.80
}

package tunable_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tunable"
)

// share is a metric with one parameter: the share of a reference's words that a hypothesis
// has, to a power. A corpus's score is the mean of its segments', so that a row, the share to
// the power and 1, depends on the parameter, and share is a Reducer.
type share struct{ power float64 }

func (s share) Info() mteval.Info { return mteval.Info{Name: "share", Scale: 1} }

func (s share) Width() int { return 2 }

func (s share) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return row[0] / max(1, row[1])
}

func (s share) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return tunable.PrepareBest(ctx, s, s.Statistics(), refs)
}

func (s share) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "power", Value: s.power, Max: 4}}
}

func (s share) WithParameters(values []float64) (tunable.Scorer, error) {
	if len(values) != 1 || !(values[0] >= 0 && values[0] <= 4) {
		return nil, fmt.Errorf("share: want a power from 0 to 4, not %v", values)
	}
	return share{values[0]}, nil
}

func (s share) Statistics() tunable.Statistics { return shareStatistics(s) }

// shareStatistics are the reference's words that the hypothesis has, and all of them.
type shareStatistics struct{ power float64 }

func (s shareStatistics) Width() int { return 2 }

// Prepare does the work on references, which share's own Prepare leaves to it.
func (s shareStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	words := make(sharePrepared, len(refs))
	for i, r := range refs {
		words[i] = strings.Fields(r)
	}
	return words, ctx.Err()
}

func (s shareStatistics) AppendRow(dst, statistics []float64) []float64 {
	return append(dst, math.Pow(statistics[0]/max(1, statistics[1]), s.power), 1)
}

// sharePrepared holds the words of each reference.
type sharePrepared [][]string

func (p sharePrepared) Len() int { return len(p) }

func (p sharePrepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p), segs, hyps); err != nil {
		return dst, err
	}
	for k, hyp := range hyps {
		words := p[k]
		if segs != nil {
			words = p[segs[k]]
		}
		found, has := 0, strings.Fields(hyp)
		for _, w := range words {
			if slices.Contains(has, w) {
				found++
			}
		}
		dst = append(dst, float64(found), float64(len(words)))
	}
	return dst, ctx.Err()
}

// The Prepare of a Reducer is PrepareBest with its statistics: several references are looked
// after, and Keep can try parameters.
func ExamplePrepareBest() {
	ctx := context.Background()
	s := share{power: 1}
	refs := [][]string{{"a dog crossed the road", "the dog ran across"}, {"it rained all night"}}
	hyps := []string{"the dog crossed a street", "it rained"}
	score, err := mteval.Corpus(ctx, s, refs, hyps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", score.Score)
	kept, err := tunable.Keep(ctx, s, refs, nil, hyps)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", kept.Scores(nil, share{power: 2}))
	// Output:
	// 0.65
	// [0.64 0.25]
}

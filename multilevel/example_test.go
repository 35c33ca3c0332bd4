package multilevel_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tunable"
)

// balance is a metric of someone else's with one parameter: recall of words times alpha,
// and precision times the rest.
type balance struct {
	alpha     float64
	signature mteval.Signature
}

func newBalance(alpha float64) balance {
	return balance{alpha, mteval.Signature{{Key: "alpha", Value: fmt.Sprint(alpha)}}}
}

func (balance) Width() int { return 3 }

func (s balance) Info() mteval.Info {
	return mteval.Info{Name: "balance", Scale: 1, Signature: s.signature}
}

func (s balance) Score(row []float64) float64 {
	mteval.CheckRow(row, 3)
	if row[1] == 0 || row[2] == 0 {
		return 0
	}
	return (1-s.alpha)*(row[0]/row[1]) + s.alpha*(row[0]/row[2])
}

func (s balance) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "alpha", Value: s.alpha, Max: 1}}
}

func (s balance) WithParameters(values []float64) (tunable.Scorer, error) {
	if len(values) != 1 || !(values[0] >= 0 && values[0] <= 1) {
		return nil, fmt.Errorf("balance: want an alpha from 0 to 1, not %v", values)
	}
	return newBalance(values[0]), nil
}

func (s balance) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := balanceRefs{s, make([][]string, len(refs))}
	for i, r := range refs {
		p.refs[i] = append(p.refs[i], r...)
	}
	return p, ctx.Err()
}

type balanceRefs struct {
	s    balance
	refs [][]string
}

func (p balanceRefs) Len() int { return len(p.refs) }

func (p balanceRefs) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.refs), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	for k, hyp := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		var best []float64
		for _, ref := range p.refs[seg] {
			if row := common(hyp, ref); best == nil || p.s.Score(row) > p.s.Score(best) {
				best = row
			}
		}
		dst = append(dst, best...)
	}
	return dst, nil
}

// common counts the words in common, those of hyp and those of ref.
func common(hyp, ref string) []float64 {
	left := make(map[string]int)
	for _, w := range strings.Fields(ref) {
		left[w]++
	}
	row := make([]float64, 3)
	for _, w := range strings.Fields(hyp) {
		if left[w]--; left[w] >= 0 {
			row[0]++
		}
		row[1]++
	}
	row[2] = float64(len(strings.Fields(ref)))
	return row
}

// Any tunable.Scorer gets levels: here bad translations are scored by recall, good
// ones by precision, and those between by both.
func Example() {
	s, err := multilevel.New(newBalance(.5), multilevel.Options{
		Levels: []multilevel.Level{
			{Values: map[string]float64{"alpha": 1}},
			{}, // as the metric has it
			{Values: map[string]float64{"alpha": 0}},
		},
		Thresholds: []float64{.4, .7},
		Words:      multilevel.WordsBy(tokenize.None, false), // the metric does not say
	})
	if err != nil {
		log.Fatal(err)
	}
	refs := [][]string{{"the cat sat on the mat"}, {"it was cold"}, {"we left early"}}
	hyps := []string{"the cat sat on a mat", "cold it is today", "no"}
	r, err := mteval.Corpus(context.Background(), s, refs, hyps)
	if err != nil {
		log.Fatal(err)
	}
	for i, hyp := range hyps {
		fmt.Printf("%.3f %v %s\n", s.Score(r.Row(i)), s.Counts(r.Row(i)), hyp)
	}
	fmt.Printf("%.3f %v %v\n", r.Score, s.Counts(r.Sum), s.Levels())
	// Output:
	// 0.833 [0 0 1] the cat sat on a mat
	// 0.583 [0 1 0] cold it is today
	// 0.000 [1 0 0] no
	// 0.562 [1 1 1] [low medium high]
}

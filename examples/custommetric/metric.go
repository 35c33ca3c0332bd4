package main

import (
	"context"
	"strings"

	"github.com/mteval/mteval"
)

// LengthError is a metric: how far the lengths of translations, in words, are from those of
// the references. It implements mteval.Scorer. A row is the difference between the length
// of the hypothesis and that of the closest reference, without sign, and the length of that
// reference; the score is the sum of the former over that of the latter.
type LengthError struct{}

// signature is kept, as Info allocates nothing.
var signature = mteval.Signature{{Key: "tok", Abbr: "tok", Value: "space"}}

// Width is the length of a row.
func (LengthError) Width() int { return 2 }

// Info describes the metric.
func (LengthError) Info() mteval.Info {
	return mteval.Info{
		Name:          "length-error",
		Signature:     signature,
		Scale:         1,
		LowerIsBetter: true,
	}
}

// Prepare counts the references' words.
func (LengthError) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := make(prepared, len(refs))
	for i, texts := range refs {
		for _, text := range texts {
			p[i] = append(p[i], len(strings.Fields(text)))
		}
	}
	return p, ctx.Err()
}

// Score is 0 for no error. References without a word count as one word long.
func (LengthError) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return row[0] / max(1, row[1])
}

// prepared holds the references' lengths of each segment.
type prepared [][]int

func (p prepared) Len() int { return len(p) }

func (p prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p), segs, hyps); err != nil {
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
		n := len(strings.Fields(hyp))
		best := p[seg][0]
		for _, l := range p[seg][1:] {
			if distance(n, l) < distance(n, best) {
				best = l
			}
		}
		dst = append(dst, float64(distance(n, best)), float64(best))
	}
	return dst, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

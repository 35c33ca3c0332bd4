package scorertest

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tunable"
)

// lengthRatio is a tunable.Scorer whose rows are the numbers of words of the hypothesis and
// of the best reference. What is not nil is its fault.
type lengthRatio struct {
	weight float64

	parameters     func([]tunable.Parameter) []tunable.Parameter
	withParameters func(s lengthRatio, values []float64) (tunable.Scorer, error)
	append         func(s lengthRatio, row []float64)
}

func (lengthRatio) Width() int { return 2 }

func (s lengthRatio) Info() mteval.Info {
	return mteval.Info{Name: "lengthratio", Scale: 1, Signature: signature("weight", s.weight)}
}

func (s lengthRatio) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return math.Exp(-s.weight * math.Abs(row[0]-row[1]))
}

func (s lengthRatio) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := lengthPrepared{s, nil}
	for _, group := range refs {
		var lengths []float64
		for _, r := range group {
			lengths = append(lengths, float64(len(strings.Fields(r))))
		}
		p.lengths = append(p.lengths, lengths)
	}
	return p, ctx.Err()
}

func (s lengthRatio) Parameters() []tunable.Parameter {
	p := []tunable.Parameter{{Name: "weight", Value: s.weight, Max: 1}}
	if s.parameters != nil {
		return s.parameters(p)
	}
	return p
}

func (s lengthRatio) WithParameters(values []float64) (tunable.Scorer, error) {
	if s.withParameters != nil {
		return s.withParameters(s, values)
	}
	if len(values) != 1 || !(values[0] >= 0 && values[0] <= 1) {
		return nil, errors.New("want a weight from 0 to 1")
	}
	s.weight = values[0]
	return s, nil
}

type lengthPrepared struct {
	s       lengthRatio
	lengths [][]float64
}

func (p lengthPrepared) Len() int { return len(p.lengths) }

func (p lengthPrepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.lengths), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	for k, h := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		best := []float64{float64(len(strings.Fields(h))), p.lengths[seg][0]}
		for _, n := range p.lengths[seg][1:] {
			if row := []float64{best[0], n}; p.s.Score(row) > p.s.Score(best) {
				best = row
			}
		}
		if p.s.append != nil {
			p.s.append(p.s, best)
		}
		dst = append(dst, best...)
	}
	return dst, nil
}

func parameterFaults() []fault {
	with := func(f func(s lengthRatio, values []float64) (tunable.Scorer, error)) lengthRatio {
		return lengthRatio{weight: .5, withParameters: f}
	}
	params := func(f func([]tunable.Parameter) []tunable.Parameter) lengthRatio {
		return lengthRatio{weight: .5, parameters: f}
	}
	n := 0
	last := lengthRatio{weight: .5, append: func(s lengthRatio, row []float64) {
		// The last reference is as good, here.
		if n++; n > 100 {
			row[1]++
		}
	}}
	return []fault{
		{name: "no parameters", s: params(func([]tunable.Parameter) []tunable.Parameter { return nil }), want: breaks("Parameters", paramValues)},
		{name: "a parameter out of range", s: params(func(p []tunable.Parameter) []tunable.Parameter {
			p[0].Value = 2
			return p
		}), want: breaks("Parameters", paramValues)},
		{name: "WithParameters takes the number for another", s: with(func(s lengthRatio, values []float64) (tunable.Scorer, error) {
			return lengthRatio{weight: s.weight / 2}, nil
		}), want: append(breaks("WithParameters", paramSame), breaks("WithParameters", paramErrors)...)},
		{name: "WithParameters fails", s: with(func(lengthRatio, []float64) (tunable.Scorer, error) {
			return nil, errOther
		}), want: breaks("WithParameters", paramSame)},
		{name: "rows with the parameter in them", s: lengthRatio{weight: .5, append: func(s lengthRatio, row []float64) {
			row[0] *= s.weight
		}}, want: breaks("WithParameters", paramRows)},
		{name: "rows that change", s: last, want: breaks("Keep", keepRows)},
	}
}

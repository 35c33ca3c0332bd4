package multilevel

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tunable"
)

// Mix is a mean of two scores, λ·first + (1−λ)·second: equation 1 with F_W first and F_D
// second. It implements tunable.Scorer with the parameter "lambda". A row is the first's, then
// the second's, with the reference for which the mean is highest.
type Mix struct {
	first, second mteval.Scorer
	lambda        float64
	widths        [2]int
	info          mteval.Info
}

var _ tunable.Scorer = (*Mix)(nil)

// NewMix returns the mean of two metrics, which must have the same scale, and for which
// more must be better. Lambda is from 0 to 1.
func NewMix(first, second mteval.Scorer, lambda float64) (*Mix, error) {
	for _, s := range []mteval.Scorer{first, second} {
		if err := rows.CheckScorer(s); err != nil {
			return nil, fmt.Errorf("multilevel: a mix of two metrics: %w", err)
		}
	}
	a, b := first.Info(), second.Info()
	if a.Scale != b.Scale || a.LowerIsBetter || b.LowerIsBetter {
		return nil, fmt.Errorf("multilevel: %s and %s do not mix: want metrics on the same scale for which more is better", a.Name, b.Name)
	}
	if err := checkLambda(lambda); err != nil {
		return nil, err
	}
	return &Mix{first, second, lambda, [2]int{first.Width(), second.Width()}, mteval.Info{
		Name: "mix",
		Signature: mteval.Signature{
			{Key: "lambda", Abbr: "l", Value: decimal.Format(lambda)},
			{Key: "first", Abbr: "1", Value: describe(a)},
			{Key: "second", Abbr: "2", Value: describe(b)},
		},
		Scale: a.Scale,
	}}, nil
}

func checkLambda(v float64) error {
	if !(v >= 0 && v <= 1) {
		return fmt.Errorf("multilevel: lambda is %v, not from 0 to 1", v)
	}
	return nil
}

// Width is the length of a row.
func (s *Mix) Width() int { return s.widths[0] + s.widths[1] }

// Info describes the scorer.
func (s *Mix) Info() mteval.Info {
	return s.info
}

// setLambda makes s a copy with another lambda.
func (s Mix) withLambda(lambda float64) *Mix {
	s.lambda = lambda
	s.info.Signature = append(mteval.Signature{{Key: "lambda", Abbr: "l", Value: decimal.Format(lambda)}}, s.info.Signature[1:]...)
	return &s
}

// Score returns the mean of the two scores of a row or a sum of rows.
func (s *Mix) Score(row []float64) float64 {
	mteval.CheckRow(row, s.widths[0]+s.widths[1])
	if s.first == nil {
		return 0
	}
	a, b := s.first.Score(row[:s.widths[0]]), s.second.Score(row[s.widths[0]:])
	// So that products are rounded everywhere, and at λ = 1 it is the first, exactly.
	return float64(s.lambda*a) + float64((1-s.lambda)*b)
}

// Parameters returns lambda.
func (s *Mix) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "lambda", Value: s.lambda, Max: 1}}
}

// WithParameters returns the scorer with another lambda.
func (s *Mix) WithParameters(values []float64) (tunable.Scorer, error) {
	if s.first == nil {
		return nil, errors.New("multilevel: the Mix was not made by NewMix")
	}
	if len(values) != 1 {
		return nil, fmt.Errorf("multilevel: %d values for lambda", len(values))
	}
	if err := checkLambda(values[0]); err != nil {
		return nil, err
	}
	return s.withLambda(values[0]), nil
}

// Prepare does the work of both on the references.
func (s *Mix) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if s.first == nil {
		return nil, errors.New("multilevel: a Mix that NewMix did not make")
	}
	return tunable.PrepareBest(ctx, s, mixStatistics{s}, refs)
}

// mixStatistics are a Mix's rows.
type mixStatistics struct{ *Mix }

func (mixStatistics) AppendRow(dst, statistics []float64) []float64 {
	return append(dst, statistics...)
}

func (s mixStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	single, err := mteval.Segments(refs)
	if err != nil {
		return nil, err
	}
	j := &rowJoin{widths: s.widths[:]}
	for _, part := range []mteval.Scorer{s.first, s.second} {
		p, err := part.Prepare(ctx, single)
		if err != nil {
			return nil, err
		}
		j.parts = append(j.parts, p)
	}
	return j, nil
}

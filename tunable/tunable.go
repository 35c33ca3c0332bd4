// Package tunable is the contract of metrics with parameters, which package tune fits to
// what people said and package multilevel sets for each level of quality.
//
// A tunable [Scorer] separates the work on texts from what its parameters do, so that
// scores under other parameters cost next to nothing:
//
//	texts      ── Statistics.Prepare, Append ─▶ statistics, of a hypothesis and one reference
//	statistics ── Statistics.AppendRow ───────▶ row, which depends on the parameters
//	row        ── Scorer.Score ───────────────▶ score
//
// For most metrics (METEOR) the statistics are the row. [Keep] keeps them for hypotheses with
// any number of references and gives the scores under any parameters.
package tunable

import (
	"context"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
)

// A Parameter is a number that a metric's score depends on, but not the work on texts.
type Parameter struct {
	Name     string
	Value    float64
	Min, Max float64 // the range of values; either can be infinite
}

// A Scorer is a metric with parameters that can be changed without scoring texts again:
// whatever the parameters, the row of a hypothesis against one reference is the same, or, if
// it is a Reducer, its statistics are. (With several references the one that is chosen may
// differ.)
type Scorer interface {
	mteval.Scorer

	// Parameters returns the parameters with their values.
	Parameters() []Parameter

	// WithParameters returns the scorer with other values, in the order of
	// Parameters. It is an error if their number is another, or one is out of range.
	WithParameters(values []float64) (Scorer, error)
}

// A Reducer is a Scorer whose rows depend on its parameters, because a corpus's score is no
// function of sums without them: it is the mean of segments' scores, say.
type Reducer interface {
	Scorer

	// Statistics are those of the scorer, with its parameters for AppendRow.
	Statistics() Statistics
}

// Statistics are what a metric finds in a hypothesis and one reference, whatever its
// parameters, and the step from there to a row, which its parameters decide.
type Statistics interface {
	// Width is the number of statistics of a hypothesis and one reference.
	Width() int

	// Prepare does the work on references under the conditions of mteval.Scorer's.
	// Segment i has the reference refs[i], and what Append appends is the statistics
	// of each hypothesis, Width of them.
	Prepare(ctx context.Context, refs []string) (mteval.Prepared, error)

	// AppendRow appends the row of a hypothesis with these statistics against one
	// reference. It is a pure function, and allocates nothing but room in dst. It
	// panics if statistics are not Width() long.
	AppendRow(dst, statistics []float64) []float64
}

// StatisticsOf returns the statistics of any scorer: a Reducer's own, and for others the
// row itself, for which they call the Prepare of s. That Prepare must not come back to them,
// through PrepareBest, say. It panics if s is nil.
func StatisticsOf(s mteval.Scorer) Statistics {
	if contract.Nil(s) {
		panic("tunable: StatisticsOf a scorer that is nil")
	}
	if r, ok := s.(Reducer); ok {
		return r.Statistics()
	}
	return ofRows{s}
}

// ofRows are the statistics of a scorer for which they are the row.
type ofRows struct{ mteval.Scorer }

func (s ofRows) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	single, err := mteval.Segments(refs)
	if err != nil {
		return nil, err
	}
	return s.Scorer.Prepare(ctx, single)
}

func (s ofRows) AppendRow(dst, statistics []float64) []float64 { return append(dst, statistics...) }

package tasks

import (
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
)

// A Measure is of how far a metric agrees with people.
type Measure int

const (
	// PairwiseAccuracy is metaeval.PairwiseAccuracy of systems; of several language pairs it
	// is taken of all their pairs of systems together.
	PairwiseAccuracy Measure = iota
	// SoftPairwiseAccuracy is metaeval.SoftPairwiseAccuracy of systems, with p-values of
	// metaeval.PermutationPValues of the scores of segments. It is not tested.
	SoftPairwiseAccuracy
	// Pearson, Spearman and Kendall (tau-b) correlate scores.
	Pearson
	Spearman
	Kendall
	// AccEq is acc_eq with tie calibration, metaeval.CalibrateTies. Its test swaps verdicts on
	// pairs, not scores.
	AccEq
	// AccEqExact is acc_eq where only equal scores of a metric tie.
	AccEqExact
	// DifferencePearson is metaeval.PairwiseDifferencePearson, by item.
	DifferencePearson
)

var measures = [...]string{
	PairwiseAccuracy: "pairwise_accuracy", SoftPairwiseAccuracy: "soft_pairwise_accuracy",
	Pearson: "pearson", Spearman: "spearman", Kendall: "kendall",
	AccEq: "acc_eq", AccEqExact: "acc_eq_exact", DifferencePearson: "pairwise_difference_pearson",
}

// String is as files of tasks have it, such as "pearson" or "acc_eq".
func (m Measure) String() string { return names.Of("Measure", measures[:], m) }

// correlation is of the measures that are one, nil of others.
func (m Measure) correlation() metaeval.Correlation {
	switch m {
	case Pearson:
		return metaeval.Pearson
	case Spearman:
		return metaeval.Spearman
	case Kendall:
		return metaeval.Kendall
	}
	return nil
}

// least is the least that a measure can be; the most is 1.
func (m Measure) least() float64 {
	switch m {
	case Pearson, Spearman, Kendall, DifferencePearson:
		return -1
	}
	return 0
}

// share brings a value to between 0 and 1.
func (m Measure) share(v float64) float64 { return (v - m.least()) / (1 - m.least()) }

// tested says whether there is a test of differences.
func (m Measure) tested() bool { return m != SoftPairwiseAccuracy }

package mteval

import "context"

// A PairScorer is a Scorer that can score many texts against each other in less time than
// Prepare and Append take: what belongs to a text alone is done once, whether it is a
// reference, a hypothesis, or both. Package mbr uses it.
type PairScorer interface {
	Scorer
	// NewPairs returns an empty Pairs, or nil if with these options there is no faster way.
	NewPairs() Pairs
}

// Pairs are texts to be scored against each other.
type Pairs interface {
	// Set does the work on the texts, which take the place of those before and of which
	// it keeps none. Memory is used again, so that a loop allocates little. An error of a
	// text is a *SegmentError with its index; after one, or ctx's, no text is there.
	Set(ctx context.Context, texts []string) error

	// Append appends to dst the row of each text of hyps against the text ref as its only
	// reference, and returns the extended slice: what Scorer.Prepare and Prepared.Append
	// make of them. It is safe for concurrent use, other than with Set. On error, a
	// cancelled ctx included, it returns dst as it was.
	Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error)
}

// An AggregateScorer is a Scorer that can make one reference of many, the mean of what it
// knows of each (DeNero et al., ACL 2009; Vamvas and Sennrich, ACL 2024).
type AggregateScorer interface {
	Scorer
	// PrepareAggregate is Prepare of segments each of which has one reference: the mean of
	// refs[i] with weights[i], of which there are as many, none negative, not all 0. Only
	// their ratios count. Nil weights, or weights[i], are equal ones. It keeps neither.
	PrepareAggregate(ctx context.Context, refs [][]string, weights [][]float64) (Prepared, error)
}

// A SymmetricScorer is a Scorer that can say that a sentence score does not depend on which
// of two texts is the only reference and which the hypothesis, to the last bit.
type SymmetricScorer interface {
	Scorer
	Symmetric() bool
}

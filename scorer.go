package mteval

import "context"

// A Scorer is a metric with all its options set. What changes a score is an
// option of the scorer and part of its signature, so two scorers with the same
// signature give the same scores.
//
// A Scorer is immutable and safe for concurrent use. Package scorertest checks
// an implementation against everything said here.
type Scorer interface {
	// Info describes the metric. It returns the same value every time and
	// allocates nothing: the signature in it is the scorer's own, and not to be
	// changed.
	Info() Info

	// Width is the length of a row, above 0.
	Width() int

	// Prepare does the work on the references: refs[i] holds the references
	// of segment i, at least one. It keeps neither refs nor any slice in it.
	// A segment without a reference is a *SegmentError wrapping
	// ErrNoReference. When ctx is cancelled, it stops and returns ctx's error.
	Prepare(ctx context.Context, refs [][]string) (Prepared, error)

	// Score turns a row, or a sum of rows, into a score. It is a pure
	// function, allocates nothing, never returns NaN for a sum of rows that
	// Append gave (none at all included: a row of zeros), and panics if the
	// row is not Width() long.
	Score(row []float64) float64
}

// Prepared is a reference side, made by a Scorer's Prepare, against which any
// number of hypotheses can be scored. It is safe for concurrent use.
type Prepared interface {
	// Len is the number of segments.
	Len() int

	// Append appends one row for each hypothesis to dst and returns the
	// extended slice: hyps[k] is scored against segment segs[k]. With segs
	// nil, hyps[k] belongs to segment k and there must be Len() of them.
	//
	// One call can thus cover a corpus, an n-best list, or several systems.
	// A row depends only on its own hypothesis and segment. Append keeps and
	// changes neither segs nor hyps. On error, a cancelled ctx included, it
	// returns dst as it was.
	Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error)
}

// Info describes a metric.
type Info struct {
	// Name is the metric's short lower-case name, such as "bleu".
	Name string
	// Signature holds every choice that changes a score. The number of
	// references and the version are added by Signature.Complete.
	Signature Signature
	// Scale is the score of a perfect translation where more is better: 100
	// for BLEU, 1 for BERTScore. For an error metric it is the score of as
	// many errors as reference tokens.
	Scale float64
	// LowerIsBetter is true for error metrics.
	LowerIsBetter bool
}

// PRF holds precision, recall and their F-score.
type PRF struct {
	P, R, F float64
}

// A PRFScorer is a Scorer whose rows hold precision, recall and F.
type PRFScorer interface {
	Scorer
	// PRF turns a row, or a sum of rows, into precision, recall and F. F is
	// what Score returns. It panics if the row has the wrong width.
	PRF(row []float64) PRF
}

// FBeta returns the F-score of P and R with recall beta times as important as
// precision, (1+β²)PR / (β²P + R).
//
// Where P and R are not both positive or both negative the harmonic mean is not
// defined, and the result is 0: so F(0, 0) = 0, and nothing blows up where P is
// close to −R.
func (x PRF) FBeta(beta float64) float64 {
	p, r := x.P, x.R
	if p*r <= 0 {
		return 0
	}
	if beta > 1 { // so that a large one does not overflow
		b2 := 1 / beta / beta
		return (1 + b2) * p * r / (p + b2*r)
	}
	b2 := beta * beta
	return (1 + b2) * p * r / (b2*p + r)
}

package mteval

import (
	"errors"
	"fmt"
)

var (
	// ErrNoReference is returned where a segment has no reference at all. An
	// empty reference ("") is a reference.
	ErrNoReference = errors.New("no reference")

	// ErrLength is returned where two sides do not have the same number of
	// segments.
	ErrLength = errors.New("numbers of segments differ")

	// ErrSegment is returned for a segment number outside the prepared
	// references.
	ErrSegment = errors.New("segment out of range")
	// ErrTooLong is returned for a text of more tokens than the option MaxTokens of the
	// metric, or of a model under it, allows.
	ErrTooLong = errors.New("text is too long")
)

// A Side says on which side of a segment something is. The zero value is the segment as a
// whole.
type Side uint8

// The sides.
const (
	ReferenceSide Side = iota + 1
	HypothesisSide
	SourceSide
)

// A SegmentError says at which segment something failed, and at which of its texts where
// it was one. It wraps the cause.
type SegmentError struct {
	Segment int // counted from 0
	Side    Side
	// Index is the number of the reference among those of the segment, or of the
	// hypothesis among those of the call (of the system, from Systems and
	// MatchSystems), counted from 0.
	Index int
	Err   error
}

// Error names the segment, counted from 1 as a line of a file is.
func (e *SegmentError) Error() string {
	switch e.Side {
	case ReferenceSide:
		return fmt.Sprintf("segment %d, reference %d: %v", e.Segment+1, e.Index+1, e.Err)
	case HypothesisSide:
		return fmt.Sprintf("segment %d, hypothesis: %v", e.Segment+1, e.Err)
	case SourceSide:
		return fmt.Sprintf("segment %d, source: %v", e.Segment+1, e.Err)
	}
	return fmt.Sprintf("segment %d: %v", e.Segment+1, e.Err)
}

// Unwrap returns the cause.
func (e *SegmentError) Unwrap() error { return e.Err }

// withIndex returns an error of a hypothesis with another index, any other as it is.
func withIndex(err error, index func(k int) int) error {
	var at *SegmentError
	if !errors.As(err, &at) || at.Side != HypothesisSide {
		return err
	}
	moved := *at
	moved.Index = index(at.Index)
	return &moved
}

// CheckReferences returns an error if a segment of refs has no reference. Every
// Scorer's Prepare starts with it.
func CheckReferences(refs [][]string) error {
	for i, r := range refs {
		if len(r) == 0 {
			return &SegmentError{Segment: i, Err: ErrNoReference}
		}
	}
	return nil
}

// CheckHypotheses returns an error if segs and hyps do not fit references of n
// segments: with segs nil there must be one hypothesis for each segment, else
// one segment in range for each hypothesis. Every Append and Match starts with
// it.
func CheckHypotheses(n int, segs []int, hyps []string) error {
	if segs == nil {
		if len(hyps) != n {
			return fmt.Errorf("%w: %d hypotheses for %d segments of references", ErrLength, len(hyps), n)
		}
		return nil
	}
	if len(segs) != len(hyps) {
		return fmt.Errorf("%w: %d hypotheses with %d segment numbers", ErrLength, len(hyps), len(segs))
	}
	for _, s := range segs {
		if s < 0 || s >= n {
			return fmt.Errorf("%w: %d of %d", ErrSegment, s, n)
		}
	}
	return nil
}

// CheckRow panics if the row is not width long: a row of another metric is a
// mistake in the program, not in the data. Every Score starts with it.
func CheckRow(row []float64, width int) {
	if len(row) != width {
		panic(fmt.Sprintf("mteval: row of %d numbers where the metric has %d", len(row), width))
	}
}

// Segments turns reference streams (streams[k][i] is the k-th reference of
// segment i, as reference files and sacreBLEU have them) into references by
// segment (refs[i][k]), the form that Prepare takes. Streams of unequal length
// are an error.
func Segments(streams ...[]string) ([][]string, error) {
	if len(streams) == 0 {
		return nil, ErrNoReference
	}
	n := len(streams[0])
	flat := make([]string, 0, n*len(streams))
	refs := make([][]string, n)
	for k, s := range streams {
		if len(s) != n {
			return nil, fmt.Errorf("%w: reference stream 1 has %d, stream %d has %d", ErrLength, n, k+1, len(s))
		}
	}
	for i := range refs {
		start := len(flat)
		for _, s := range streams {
			flat = append(flat, s[i])
		}
		refs[i] = flat[start:len(flat):len(flat)]
	}
	return refs, nil
}

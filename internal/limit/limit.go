// Package limit bounds the tokens of a text, for the option MaxTokens of every metric.
package limit

import (
	"fmt"

	"github.com/mteval/mteval"
)

// Text returns an error that wraps mteval.ErrTooLong if n tokens are more than most, which
// is no limit if it is not positive.
func Text(n, most int) error {
	if most <= 0 || n <= most {
		return nil
	}
	return fmt.Errorf("%w: %d tokens, more than the limit of %d", mteval.ErrTooLong, n, most)
}

// Reference is Text for a reference, the error saying which.
func Reference(segment, index, n, most int) error {
	if err := Text(n, most); err != nil {
		return &mteval.SegmentError{Segment: segment, Side: mteval.ReferenceSide, Index: index, Err: err}
	}
	return nil
}

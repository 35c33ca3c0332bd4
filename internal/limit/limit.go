// Package limit bounds the tokens of a text, for the option MaxTokens of every metric.
package limit

import (
	"context"
	"errors"
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

// OfReference is the error of a reference, saying which. That of a context is no text's,
// and returned as it is, as nil is.
func OfReference(segment, index int, err error) error {
	if err == nil || OfContext(err) {
		return err
	}
	return &mteval.SegmentError{Segment: segment, Side: mteval.ReferenceSide, Index: index, Err: err}
}

// Of is the error of a text, saying which, such as "ter: reference". That of a context is
// no text's, and returned as it is, as nil is.
func Of(text string, err error) error {
	if err == nil || OfContext(err) {
		return err
	}
	return fmt.Errorf("%s: %w", text, err)
}

// OfContext says whether an error is a context's.
func OfContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

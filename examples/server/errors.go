package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// A statusError is an error whose code is known where it is made.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// What the server itself refuses.
var (
	errBusy    = &statusError{http.StatusServiceUnavailable, errors.New("the server is busy: try again later")}
	errEnding  = &statusError{http.StatusServiceUnavailable, errors.New("the server is shutting down: try again later")}
	errSlow    = &statusError{http.StatusRequestTimeout, errors.New("the request did not arrive in time")}
	errModel   = errors.New("text is longer than the metric's model takes")
	errPartial = &statusError{http.StatusBadRequest, errors.New("the body ended before its end")}
)

// statusGone is what a request counts as whose client did not wait for the answer; nobody
// sees it but in the metrics. The number is nginx's.
const statusGone = 499

// A failure is an answer without scores.
type failure struct {
	Error string `json:"error"`
	// Segment, and Reference where it is one, are counted from 1, as the message counts
	// them; 0 is none.
	Segment   int    `json:"segment,omitempty"`
	Side      string `json:"side,omitempty"` // "hypothesis", "reference", "source"
	Reference int    `json:"reference,omitempty"`
}

// sides names them.
var sides = map[mteval.Side]string{
	mteval.HypothesisSide: "hypothesis",
	mteval.ReferenceSide:  "reference",
	mteval.SourceSide:     "source",
}

// failed returns the code and the answer for an error.
func failed(err error) (int, failure) {
	status := statusOf(err)
	if status == http.StatusInternalServerError {
		log.Printf("internal error: %v", err) // may name files, which are not the client's
		return status, failure{Error: "internal error"}
	}
	f := failure{Error: clip(err.Error())}
	var at *mteval.SegmentError
	if errors.As(err, &at) {
		if errors.Is(err, backend.ErrTruncated) { // whose text tells of options in Go
			f.Error = (&mteval.SegmentError{Segment: at.Segment, Side: at.Side, Index: at.Index, Err: errModel}).Error()
		}
		f.Segment, f.Side = at.Segment+1, sides[at.Side]
		if at.Side == mteval.ReferenceSide {
			f.Reference = at.Index + 1
		}
	}
	return status, f
}

// clip cuts what quotes a long field of the request.
func clip(text string) string {
	const most = 500
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func statusOf(err error) int {
	var known *statusError
	switch {
	case errors.As(err, &known):
		return known.status
	case errors.Is(err, mteval.ErrTooLong), errors.Is(err, backend.ErrTruncated):
		return http.StatusUnprocessableEntity
	case errors.Is(err, mteval.ErrNoReference), errors.Is(err, mteval.ErrNoSource), errors.Is(err, mteval.ErrLength):
		return http.StatusBadRequest
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return statusGone
	case errors.Is(err, backend.ErrClosed):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

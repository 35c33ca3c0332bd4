package study

import (
	"errors"
	"fmt"
)

var (
	// ErrFewSystems is returned where fewer than ranking.FewestK systems have a human
	// score.
	ErrFewSystems = errors.New("study: too few systems")
	// ErrEqualScores is returned where people gave all systems the same score.
	ErrEqualScores = errors.New("study: all systems have the same human score, with which nothing correlates")
)

// A MetricError is one that a metric, or what is made of its scores, gave.
type MetricError struct {
	Metric string
	// Err can wrap a *mteval.SegmentError, whose Index is that of a system given to Run.
	Err error
}

func (e *MetricError) Error() string { return fmt.Sprintf("%s: %v", e.Metric, e.Err) }

func (e *MetricError) Unwrap() error { return e.Err }

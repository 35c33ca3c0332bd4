package mert

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// An Interval is a part of a line weights + t·direction on which the model's choices, and so
// the score, are the same.
type Interval struct {
	Low, High float64 // its ends, values of t: ±Inf where it has none
	// At is a point within, far from both ends: the middle, or, where the interval has one
	// end only, a tenth of that end's size beyond it, and at least 0.1. It is 0 if there is
	// no end.
	At float64
	// Score is the metric's.
	Score float64
}

// narrow is the width, beside the size of its ends, below which an interval is passed over:
// where rounding would decide which candidates are first within.
const narrow = 1e-12

// Line returns the interval of the line weights + t·direction with the best score (the lowest,
// of an error metric), over all t. It is exact: a candidate's sum of weighted features is a
// straight line over t, the candidates that are first somewhere are those on the upper envelope
// of their segment's lines, and the score is looked at between any two points at which a
// segment's candidate changes (Och 2003, section 5).
//
// Of lines with the same slope only the highest counts, the first in the list of equal ones; as
// choices at the points of change themselves are a matter of such ties, they don't count. Of
// intervals with equal scores the one nearest to t = 0 is taken, then the lowest. Those narrower
// than 1e-12 of the size of their ends, or of 1, and those beyond ±1e100 are passed over.
func (l *Lists) Line(ctx context.Context, weights, direction []float64) (Interval, error) {
	if err := l.check("weight", weights); err != nil {
		return Interval{}, err
	}
	if err := l.check("direction", direction); err != nil {
		return Interval{}, err
	}
	if !slices.ContainsFunc(direction, func(v float64) bool { return v != 0 }) {
		return Interval{}, fmt.Errorf("mert: the direction is 0 in all features: want one that leads somewhere")
	}
	s := newSweep(l)
	s.from(weights)
	return s.best(ctx, direction)
}

// A sweep looks along lines from a point. It has memory that is used again.
type sweep struct {
	lists   *Lists
	heights []float64 // of candidates at the point
	lines   []line
	first   []int // candidates for t = −Inf
	changes []change
	total   *total
}

// A line is height + slope·t, the best one from start to the next line's.
type line struct {
	slope, height, start float64
	candidate            int
}

// A change is another candidate being first, from a point on.
type change struct {
	at                 float64
	segment, candidate int
}

func newSweep(l *Lists) *sweep {
	return &sweep{lists: l, heights: make([]float64, l.start[l.Len()]), first: make([]int, l.Len()), total: l.newTotal()}
}

// from sets the point from which lines start.
func (s *sweep) from(weights []float64) {
	for k := range s.heights {
		s.heights[k] = dot(weights, s.lists.values[k*s.lists.features:])
	}
}

// best is Line.
func (s *sweep) best(ctx context.Context, direction []float64) (Interval, error) {
	best := Interval{Score: math.Inf(-1)}
	distance := math.Inf(1)
	err := s.walk(ctx, direction, func(x Interval) {
		d := max(0, x.Low, -x.High) // of 0 from it
		if signed := s.lists.sign * x.Score; signed > best.Score || signed == best.Score && d < distance {
			best, distance = x, d
			best.Score = signed
		}
	})
	best.Score *= s.lists.sign
	return best, err
}

// walk calls each for the intervals of a line from the lowest up, the narrow ones left out.
func (s *sweep) walk(ctx context.Context, direction []float64, each func(Interval)) error {
	if err := s.find(ctx, direction); err != nil {
		return err
	}
	s.total.set(s.first)
	low := math.Inf(-1)
	for i := 0; ; {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		high := math.Inf(1)
		if i < len(s.changes) {
			high = s.changes[i].at
		}
		if x, ok := between(low, high); ok {
			x.Score = s.total.score()
			each(x)
		}
		if i == len(s.changes) {
			return nil
		}
		s.total.replace(s.changes[i].segment, s.changes[i].candidate)
		low = high
		i++
	}
}

// between is the interval between two points, false if it is passed over.
func between(low, high float64) (Interval, bool) {
	x := Interval{Low: low, High: high}
	beyond := func(end float64) float64 { return max(1, math.Abs(end)) / 10 }
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return x, true
	case math.IsInf(low, 0):
		x.At = high - beyond(high)
	case math.IsInf(high, 0):
		x.At = low + beyond(low)
	case high-low <= narrow*max(1, math.Abs(low), math.Abs(high)):
		return x, false
	default:
		x.At = low + (high-low)/2
	}
	return x, math.Abs(x.At) <= most
}

// find finds what is first at −Inf, and all changes in order.
func (s *sweep) find(ctx context.Context, direction []float64) error {
	l := s.lists
	s.changes = s.changes[:0]
	for i := range l.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.lines = s.lines[:0]
		for k := l.start[i]; k < l.start[i+1]; k++ {
			s.lines = append(s.lines, line{slope: dot(direction, l.values[k*l.features:]), height: s.heights[k], candidate: k - l.start[i]})
		}
		on := envelope(s.lines)
		s.first[i] = on[0].candidate
		for _, x := range on[1:] {
			s.changes = append(s.changes, change{x.start, i, x.candidate})
		}
	}
	slices.SortFunc(s.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.segment, b.segment))
	})
	return ctx.Err()
}

// envelope returns, from the left, the lines that are above all others somewhere, in the
// memory of lines.
func envelope(lines []line) []line {
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.slope, b.slope), cmp.Compare(b.height, a.height), cmp.Compare(a.candidate, b.candidate))
	})
	on := lines[:0]
	for i, x := range lines {
		if i > 0 && len(on) > 0 && x.slope == on[len(on)-1].slope {
			continue
		}
		x.start = math.Inf(-1)
		for len(on) > 0 {
			top := on[len(on)-1]
			// Where x overtakes top; if that is not after top's own start, top is never first.
			x.start = (top.height - x.height) / (x.slope - top.slope)
			if x.start > top.start {
				break
			}
			on = on[:len(on)-1]
			x.start = math.Inf(-1)
		}
		if !math.IsInf(x.start, 1) {
			on = append(on, x)
		}
	}
	return on
}

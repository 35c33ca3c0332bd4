package mert

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/rows"
)

// A Candidate is a translation with the values of the model's features, as package files reads
// it from a decoder's n-best list. The decoder's own score is not looked at.
type Candidate = files.Candidate

// Lists are n-best lists, each candidate with its row of a metric. They don't change, and are
// safe for concurrent use.
type Lists struct {
	scorer   mteval.Scorer
	sign     float64 // −1 for error metrics: signed scores are better if higher
	scale    float64
	width    int
	features int
	start    []int     // candidates start[i] to start[i+1]−1, counted through, are of segment i
	rows     []float64 // by candidate
	values   []float64 // of features, by candidate
}

// most is the largest magnitude of a feature and of a weight: products and sums of such
// numbers are finite.
const most = 1e100

// New scores the candidates: lists[i] are those of segment i, at least one, and refs[i] its
// references. All candidates have as many features, each within ±1e100. It reports candidates
// to mteval.WithProgress.
func New(ctx context.Context, s mteval.Scorer, refs [][]string, lists [][]Candidate) (*Lists, error) {
	if err := rows.CheckScorer(s); err != nil {
		return nil, fmt.Errorf("mert: %w", err)
	}
	metric := s.Info().Name
	if len(refs) != len(lists) {
		return nil, fmt.Errorf("mert: %w: %d lists, references for %d", mteval.ErrLength, len(lists), len(refs))
	}
	l, err := newLists(s, lists)
	if err != nil {
		return nil, err
	}
	p, err := s.Prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	if contract.Nil(p) {
		return nil, fmt.Errorf("mert: %w", contract.NoPrepared(metric))
	}
	const block = 2048
	n := l.start[len(lists)]
	l.rows = make([]float64, 0, n*l.width)
	segs, hyps := make([]int, 0, block), make([]string, 0, block)
	for i, list := range lists {
		for c := range list {
			segs, hyps = append(segs, i), append(hyps, list[c].Text)
			done := l.start[i] + c + 1
			if len(hyps) < block && done < n {
				continue
			}
			before := len(l.rows)
			if l.rows, err = p.Append(ctx, l.rows, segs, hyps); err != nil {
				return nil, l.inList(err, done-len(hyps))
			}
			if err := contract.Rows(metric, l.rows[min(before, len(l.rows)):], len(hyps), l.width); err != nil {
				return nil, fmt.Errorf("mert: %w", err)
			}
			segs, hyps = segs[:0], hyps[:0]
			mteval.ReportProgress(ctx, done, n)
		}
	}
	return l, nil
}

// newLists are lists without rows.
func newLists(s mteval.Scorer, lists [][]Candidate) (*Lists, error) {
	info := s.Info()
	l := &Lists{scorer: s, sign: 1, scale: info.Scale, width: s.Width(), start: make([]int, len(lists)+1)}
	if info.LowerIsBetter {
		l.sign = -1
	}
	for i, list := range lists {
		if len(list) == 0 {
			return nil, fmt.Errorf("segment %d: no candidates: leave the segment out, with its references", i+1)
		}
		l.start[i+1] = l.start[i] + len(list)
	}
	if len(lists) > 0 {
		l.features = len(lists[0][0].Features)
	}
	l.values = make([]float64, 0, l.start[len(lists)]*l.features)
	for i, list := range lists {
		for c := range list {
			f := list[c].Features
			if len(f) != l.features {
				return nil, fmt.Errorf("segment %d, candidate %d: %d features, the first candidate has %d", i+1, c+1, len(f), l.features)
			}
			for j, v := range f {
				if !(math.Abs(v) <= most) {
					return nil, fmt.Errorf("segment %d, candidate %d: feature %d is %v: want a number within ±%v", i+1, c+1, j+1, v, most)
				}
			}
			l.values = append(l.values, f...)
		}
	}
	return l, nil
}

// inList gives the error of a text its number in its list, where the call's first text is
// candidate first of all.
func (l *Lists) inList(err error, first int) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Side != mteval.HypothesisSide {
		return err
	}
	moved := *at
	moved.Index += first - l.start[at.Segment]
	moved.Err = fmt.Errorf("candidate %d: %w", moved.Index+1, at.Err)
	return &moved
}

// Len is the number of segments.
func (l *Lists) Len() int { return max(0, len(l.start)-1) }

// Candidates is the number of candidates of a segment. It panics if there is no such segment.
func (l *Lists) Candidates(segment int) int { return l.start[segment+1] - l.start[segment] }

// Row is the row of a candidate. It shares the lists' memory, and is not to be changed. It
// panics if there is no such segment or candidate.
func (l *Lists) Row(segment, candidate int) []float64 {
	if candidate < 0 || candidate >= l.Candidates(segment) {
		panic(fmt.Sprintf("mert: candidate %d of segment %d, which has %d", candidate, segment, l.Candidates(segment)))
	}
	k := (l.start[segment] + candidate) * l.width
	return l.rows[k : k+l.width : k+l.width]
}

// First returns the candidate of each segment that a model with these weights puts first: the
// one with the highest sum of weighted features, the first in its list of equal ones.
func (l *Lists) First(weights []float64) ([]int, error) {
	if err := l.check("weight", weights); err != nil {
		return nil, err
	}
	chosen := make([]int, l.Len())
	l.choose(chosen, weights)
	return chosen, nil
}

// choose sets chosen to the candidates that weights put first.
func (l *Lists) choose(chosen []int, weights []float64) {
	for i := range chosen {
		best, at := math.Inf(-1), 0
		for k := l.start[i]; k < l.start[i+1]; k++ {
			if v := dot(weights, l.values[k*l.features:]); v > best {
				best, at = v, k-l.start[i]
			}
		}
		chosen[i] = at
	}
}

// check returns an error for numbers that are none of a point or direction.
func (l *Lists) check(what string, x []float64) error {
	if len(x) != l.features || l.features == 0 {
		return fmt.Errorf("mert: %d numbers as %ss, the candidates have %d features: want one for each", len(x), what, l.features)
	}
	for j, v := range x {
		if !(math.Abs(v) <= most) {
			return fmt.Errorf("mert: %s %d is %v: want a number within ±%v", what, j+1, v, most)
		}
	}
	return nil
}

// dot is the sum of products with the first values.
func dot(x, values []float64) float64 {
	sum := 0.0
	for j, v := range values[:len(x)] {
		sum += x[j] * v
	}
	return sum
}

package mert

import (
	"errors"
	"fmt"
	"slices"
)

// A Total is a corpus score under a choice of one candidate for each segment. Replacing a
// candidate takes time in proportion to the width of a row, whatever the number of segments,
// and allocates nothing. It is not safe for concurrent use.
//
// Sums of counts are exact. Sums of other numbers are kept to twice the digits of a float64,
// so that no drift is seen: what thousands of millions of replacements leave behind is below
// the last digit, unless the sum is smaller by eight digits than what was added and taken away.
//
// Lists.Total makes one. The zero value has no segments, and nothing to score.
type Total struct {
	lists  *Lists
	chosen []int
	sum    []float64 // the row of the corpus
	rest   []float64 // what is lost in rounding sum
	trial  []float64 // a row that is not kept
}

// Total returns the total of the candidates chosen, one for each segment; nil is the first of
// each list.
func (l *Lists) Total(chosen []int) (*Total, error) {
	if l.scorer == nil {
		return nil, errors.New("mert: the Lists were not made by New")
	}
	if chosen == nil {
		chosen = make([]int, l.Len())
	}
	if len(chosen) != l.Len() {
		return nil, fmt.Errorf("mert: %d candidates are chosen, there are %d lists: want one of each", len(chosen), l.Len())
	}
	for i, c := range chosen {
		if c < 0 || c >= l.Candidates(i) {
			return nil, fmt.Errorf("segment %d: candidate %d is chosen of %d, counted from 0", i+1, c, l.Candidates(i))
		}
	}
	t := l.newTotal()
	t.set(chosen)
	return t, nil
}

// newTotal is a total without memory of any choice.
func (l *Lists) newTotal() *Total {
	return &Total{
		lists: l, chosen: make([]int, l.Len()),
		sum: make([]float64, l.width), rest: make([]float64, l.width), trial: make([]float64, l.width),
	}
}

// set makes the total anew.
func (t *Total) set(chosen []int) {
	copy(t.chosen, chosen)
	clear(t.sum)
	clear(t.rest)
	for i, c := range t.chosen {
		for j, x := range t.lists.Row(i, c) {
			t.sum[j], t.rest[j] = add(t.sum[j], t.rest[j], x)
		}
	}
}

// add adds x to a sum of two parts, of which the second is below the last digit of the first
// (Dekker 1971, Knuth's two-sum).
func add(sum, rest, x float64) (float64, float64) {
	s := sum + x
	b := s - sum
	rest += (sum - (s - b)) + (x - b)
	out := s + rest
	return out, rest - (out - s)
}

// Candidate is the candidate that is chosen for a segment. It panics if there is no such segment.
func (t *Total) Candidate(segment int) int { return t.chosen[segment] }

// Chosen returns the candidates of all segments.
func (t *Total) Chosen() []int { return slices.Clone(t.chosen) }

// Row is the sum of the rows of the candidates chosen. It shares the total's memory, and is
// not to be changed.
func (t *Total) Row() []float64 { return t.sum }

// Score is the metric's score of the candidates chosen. It panics on the zero value.
func (t *Total) Score() float64 { return t.lists.scorer.Score(t.sum) }

// Replace chooses another candidate for a segment. It panics if there is no such segment or
// candidate.
func (t *Total) Replace(segment, candidate int) {
	was, now := t.lists.Row(segment, t.chosen[segment]), t.lists.Row(segment, candidate)
	for j := range t.sum {
		t.sum[j], t.rest[j] = replaced(t.sum[j], t.rest[j], was[j], now[j])
	}
	t.chosen[segment] = candidate
}

// ScoreWith is the score that Replace would lead to. The total stays as it is. It panics as
// Replace does.
func (t *Total) ScoreWith(segment, candidate int) float64 {
	was, now := t.lists.Row(segment, t.chosen[segment]), t.lists.Row(segment, candidate)
	for j := range t.trial {
		t.trial[j], _ = replaced(t.sum[j], t.rest[j], was[j], now[j])
	}
	return t.lists.scorer.Score(t.trial)
}

// replaced is a sum of two parts with another number in it.
func replaced(sum, rest, was, now float64) (float64, float64) {
	if was == now {
		return sum, rest
	}
	sum, rest = add(sum, rest, now)
	return add(sum, rest, -was)
}

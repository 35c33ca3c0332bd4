package mert

// A total is the corpus score under a choice of one candidate for each segment. Replacing a
// candidate takes time in proportion to the width of a row, whatever the number of segments,
// and allocates nothing. It is for one goroutine.
//
// Sums of counts are exact. Sums of other numbers are kept to twice the digits of a float64,
// so that no drift is seen: what thousands of millions of replacements leave behind is below
// the last digit, unless the sum is smaller by eight digits than what was added and taken away.
type total struct {
	lists  *Lists
	chosen []int
	sum    []float64 // the row of the corpus
	rest   []float64 // what is lost in rounding sum
}

// newTotal is a total without memory of any choice.
func (l *Lists) newTotal() *total {
	return &total{
		lists: l, chosen: make([]int, l.Len()),
		sum: make([]float64, l.width), rest: make([]float64, l.width),
	}
}

// set makes the total anew.
func (t *total) set(chosen []int) {
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

// score is the metric's score of the candidates chosen.
func (t *total) score() float64 { return t.lists.scorer.Score(t.sum) }

// replace chooses another candidate for a segment.
func (t *total) replace(segment, candidate int) {
	was, now := t.lists.Row(segment, t.chosen[segment]), t.lists.Row(segment, candidate)
	for j := range t.sum {
		if was[j] != now[j] {
			sum, rest := add(t.sum[j], t.rest[j], now[j])
			t.sum[j], t.rest[j] = add(sum, rest, -was[j])
		}
	}
	t.chosen[segment] = candidate
}

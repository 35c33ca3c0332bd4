package stream

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// Totals are what all lines together come to.
type Totals struct {
	Lines   int64 `json:"lines"`   // of the shard
	Errors  int64 `json:"errors"`  // lines with an error
	Written int64 `json:"written"` // lines of the output
	// Results are those of each metric, of the lines that have scores, or with a filter of those
	// that it keeps.
	Results []Result `json:"results"`
	// Unfiltered are with a filter those of all lines that have scores.
	Unfiltered []Result `json:"unfiltered,omitempty"`
}

// Result is the score of a metric for a corpus of lines.
type Result struct {
	Metric    string  `json:"metric"`
	Score     float64 `json:"score"`
	Signature string  `json:"signature"`
	Segments  int64   `json:"segments"`
	// References are the least and the most that a segment has.
	References [2]int `json:"references"`
	// Row is the sum of the segments' rows, added in the order of the lines. Rows of several
	// shards add up to that of all lines: exactly where they are counts, as BLEU's and chrF's,
	// otherwise but for rounding.
	Row []float64 `json:"row"`
}

// newTotals are those of no lines.
func (x *run) newTotals() Totals {
	t := Totals{Results: x.newResults()}
	if x.o.Filter != nil {
		t.Unfiltered = x.newResults()
	}
	return t
}

func (x *run) newResults() []Result {
	out := make([]Result, len(x.metrics))
	for m := range out {
		out[m] = Result{Metric: x.metrics[m].info.Name, Row: make([]float64, x.metrics[m].width)}
		x.finish(&out[m], m)
	}
	return out
}

// add adds a block to the totals.
func (x *run) add(b *block) {
	t := &x.state.Totals
	t.Lines += int64(len(b.at))
	t.Errors += int64(len(b.bad))
	t.Written += b.written
	for m := range x.metrics {
		t.Results[m].add(b, m, x.o.Filter != nil)
		if t.Unfiltered != nil {
			t.Unfiltered[m].add(b, m, false)
		}
	}
}

// add adds the rows of a block, one after the other, so that the sum depends on no block.
func (r *Result) add(b *block, m int, keptOnly bool) {
	w := len(r.Row)
	rows := b.rows[m]
	for k, refs := range b.refs {
		if keptOnly && !b.kept[k] {
			continue
		}
		for j, x := range rows[k*w : (k+1)*w] {
			r.Row[j] += x
		}
		if r.Segments == 0 {
			r.References = [2]int{refs, refs}
		}
		r.References[0], r.References[1] = min(r.References[0], refs), max(r.References[1], refs)
		r.Segments++
	}
}

// finishAll makes the scores of the sums.
func (x *run) finishAll() {
	for m := range x.metrics {
		x.finish(&x.state.Results[m], m)
		if x.state.Unfiltered != nil {
			x.finish(&x.state.Unfiltered[m], m)
		}
	}
}

// finish makes the score and the signature of a result.
func (x *run) finish(r *Result, m int) {
	c := x.metrics[m].corpus()
	r.Score = c.Score(r.Row)
	refs := [][]string{make([]string, r.References[0]), make([]string, r.References[1])}
	if x.metrics[m].inputs.References == mteval.Unused {
		refs = nil
	}
	r.Signature = c.Info().Signature.Complete(refs).String()
}

// Add returns the totals of several shards together, from those of each; the options are those of
// every shard, but for Shard.
func Add(o Options, shards ...*Totals) (*Totals, error) {
	x, err := newRun(o)
	if err != nil {
		return nil, err
	}
	sum := &x.state.Totals
	for i, t := range shards {
		if t == nil {
			return nil, fmt.Errorf("totals %d are nil", i+1)
		}
		if (len(t.Unfiltered) > 0) != (sum.Unfiltered != nil) {
			return nil, fmt.Errorf("totals %d are with another filter", i+1)
		}
		for _, n := range []int64{t.Lines, t.Errors, t.Written} {
			if n < 0 || n > math.MaxInt64/int64(len(shards)) {
				return nil, fmt.Errorf("totals %d have %d lines", i+1, n)
			}
		}
		sum.Lines, sum.Errors, sum.Written = sum.Lines+t.Lines, sum.Errors+t.Errors, sum.Written+t.Written
		if err := x.addResults(sum.Results, t.Results, t.Lines); err != nil {
			return nil, fmt.Errorf("totals %d: %w", i+1, err)
		}
		if err := x.addResults(sum.Unfiltered, t.Unfiltered, t.Lines); err != nil {
			return nil, fmt.Errorf("totals %d: %w", i+1, err)
		}
	}
	x.finishAll()
	for _, r := range slices.Concat(sum.Results, sum.Unfiltered) {
		if r.Score-r.Score != 0 {
			return nil, fmt.Errorf("the score of %s is %v, and no number: the rows are not its", r.Metric, r.Score)
		}
	}
	return sum, nil
}

// addResults adds results of the same metrics, of so many lines.
func (x *run) addResults(sum, more []Result, lines int64) error {
	if len(sum) != len(more) {
		return fmt.Errorf("%d metrics, not %d", len(more), len(sum))
	}
	for m := range sum {
		r, add := &sum[m], &more[m]
		if r.Metric != add.Metric || len(r.Row) != len(add.Row) {
			return fmt.Errorf("%s with rows of %d numbers, not %s with %d", add.Metric, len(add.Row), r.Metric, len(r.Row))
		}
		if slices.Min(add.References[:]) < 0 || slices.Max(add.References[:]) > math.MaxInt32 || add.Segments < 0 || add.Segments > lines {
			return fmt.Errorf("%s: %d segments of %d lines with %d references", add.Metric, add.Segments, lines, add.References)
		}
		own := *add
		own.Row = slices.Clone(add.Row)
		if x.finish(&own, m); own.Signature != add.Signature {
			return fmt.Errorf("%s has other options there: %s, here %s", add.Metric, add.Signature, own.Signature)
		}
		if add.Segments == 0 {
			continue
		}
		if r.Segments == 0 {
			r.References = add.References
		}
		r.References[0], r.References[1] = min(r.References[0], add.References[0]), max(r.References[1], add.References[1])
		for j, v := range add.Row {
			r.Row[j] += v
		}
		r.Segments += add.Segments
	}
	return nil
}

package stream

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
)

// Totals are what all lines together come to.
type Totals struct {
	// Name is what errors call them, such as their file.
	Name string `json:"-"`
	// Input, Shard and Options are what they are of.
	Input   Input    `json:"input"`
	Shard   Shard    `json:"shard"`
	Options []Option `json:"options"`
	Lines   int64    `json:"lines"`   // of the shard
	Errors  int64    `json:"errors"`  // lines with an error
	Written int64    `json:"written"` // lines of the output
	// Reason is the error of each line, where all have the same; "": they have not.
	Reason string `json:"reason,omitempty"`
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
	t := Totals{Input: Input{Sum: hexSum(0)}, Shard: x.o.Shard, Options: x.options(), Results: x.newResults()}
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
	t.addReason(b.reason, int64(len(b.at)))
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

// addReason adds the reason of more lines.
func (t *Totals) addReason(of string, lines int64) {
	switch {
	case lines == 0:
	case t.Lines == 0:
		t.Reason = of
	case t.Reason != of:
		t.Reason = ""
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
	refs := r.References
	if x.metrics[m].inputs.References == mteval.Unused {
		refs = [2]int{}
	}
	r.Signature = completed(c.Info().Signature, refs)
}

// Add returns the totals of all lines from those of the shards: of each one of them, of one input and
// with the same options. Those here are o, of which metrics and filter count. Without one of the
// shards there is no sum.
func Add(o Options, shards ...*Totals) (*Totals, error) {
	o.Shard = Shard{}
	x, err := newRun(o)
	if err != nil {
		return nil, err
	}
	for i, t := range shards {
		if t == nil {
			return nil, fmt.Errorf("stream: totals %d are nil", i+1)
		}
		err := t.check()
		if err == nil {
			err = x.sameMetrics(t)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name(i), err)
		}
	}
	order, err := inOrder(shards)
	if err != nil {
		return nil, err
	}
	sum := &x.state.Totals
	sum.Input, sum.Options = order[0].Input, order[0].Options
	for _, t := range order {
		sum.addReason(t.Reason, t.Lines)
		sum.Lines, sum.Errors, sum.Written = sum.Lines+t.Lines, sum.Errors+t.Errors, sum.Written+t.Written
		addResults(sum.Results, t.Results)
		addResults(sum.Unfiltered, t.Unfiltered)
	}
	x.finishAll()
	if err := sum.check(); err != nil {
		return nil, fmt.Errorf("stream: the sum: %w", err)
	}
	return sum, sum.scored()
}

// name is what totals are called in errors.
func (t *Totals) name(i int) string { return cmp.Or(t.Name, fmt.Sprintf("stream: totals %d", i+1)) }

// inOrder are shards in their order. An error says what is twice, missing, or of another run.
func inOrder(shards []*Totals) ([]*Totals, error) {
	if len(shards) == 0 {
		return nil, errors.New("stream: no totals to add up")
	}
	first, at := shards[0], make(map[int]int)
	for i, t := range shards {
		if err := differ(first.Options, t.Options); err != nil {
			return nil, fmt.Errorf("%s and %s: %w", first.name(0), t.name(i), err)
		}
		if t.Shard.Of != first.Shard.Of {
			return nil, fmt.Errorf("%s is one of %d shards, and %s one of %d", first.name(0), first.Shard.Of, t.name(i), t.Shard.Of)
		}
		if t.Input != first.Input {
			return nil, fmt.Errorf("%s and %s: %w: they are not of the same lines", first.name(0), t.name(i), ErrOtherInput)
		}
		if k, twice := at[t.Shard.Number]; twice {
			return nil, fmt.Errorf("%s and %s are both shard %d of %d", shards[k].name(k), t.name(i), t.Shard.Number, t.Shard.Of)
		}
		at[t.Shard.Number] = i
	}
	var out []*Totals
	var missing []string
	for n := 1; n <= first.Shard.Of && len(missing) < 5; n++ {
		if i, ok := at[n]; ok {
			out = append(out, shards[i])
		} else {
			missing = append(missing, strconv.Itoa(n))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("stream: totals of all %d shards are needed, and there are none of %s", first.Shard.Of, strings.Join(missing, ", "))
	}
	return out, nil
}

// addResults adds results of the same metrics.
func addResults(sum, more []Result) {
	for m := range sum {
		r, add := &sum[m], &more[m]
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
}

// ErrNoScores is wrapped by the error of a run in which all lines, two or more, have errors: it is the
// options that are wrong then, or the file.
var ErrNoScores = errors.New("no line could be scored")

// scored is an error if these are totals of all lines, two or more, and none has a score.
func (t *Totals) scored() error {
	switch {
	case t.Shard.Of > 1 || t.Lines < 2 || t.Errors < t.Lines:
		return nil
	case t.Reason == "":
		return fmt.Errorf("%w: all %d have errors", ErrNoScores, t.Lines)
	}
	return fmt.Errorf("%w: all %d have the same error: %s", ErrNoScores, t.Lines, t.Reason)
}

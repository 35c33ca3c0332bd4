package mteval

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval/internal/contract"
)

// A System is a named set of outputs: Hyps[i] is its translation of segment i.
type System struct {
	Name string
	Hyps []string
}

// A Table holds the rows of every segment of several systems. Scores, averages,
// bootstrap samples and tests come from it without a metric being run again. One is made by
// Systems, NewTable or Matchings.Table; the zero value is of no systems and no metric.
type Table struct {
	Systems []string // the systems' names
	Info    Info
	n       int // segments
	width   int
	rows    []float64
	scorer  Scorer
}

// maxNumbers is how many numbers the rows of a table may have.
const maxNumbers = 1<<31 - 1

// NewTable returns a table of rows for n segments, all zero, for a metric that
// fills it through Row. It panics if s is nil, or if n or its Width is negative or so large
// that no memory holds the table.
func NewTable(s Scorer, systems []string, n int) *Table {
	if contract.Nil(s) {
		panic("mteval: NewTable: " + contract.ErrNoMetric.Error())
	}
	if w := s.Width(); w < 0 || w > contract.MaxWidth || n < 0 || n > maxNumbers/max(1, w)/max(1, len(systems)) {
		panic(fmt.Sprintf("mteval: NewTable of %d systems and %d segments, with rows of %d numbers", len(systems), n, w))
	}
	return &Table{
		Systems: slices.Clone(systems),
		Info:    s.Info(),
		n:       n,
		width:   s.Width(),
		rows:    make([]float64, len(systems)*n*s.Width()),
		scorer:  s,
	}
}

// Len is the number of segments.
func (t *Table) Len() int { return t.n }

// Width is the length of a row.
func (t *Table) Width() int { return t.width }

// Row returns the row of a segment of a system. It shares the table's memory, and panics if
// there is no such row.
func (t *Table) Row(system, segment int) []float64 {
	w := t.width
	i := (system*t.n + segment) * w
	return t.rows[i : i+w : i+w]
}

// Sum returns the sum of a system's rows. It panics if there is no such system.
func (t *Table) Sum(system int) []float64 {
	w := t.width
	sum := make([]float64, w)
	sumRows(sum, t.rows[system*t.n*w:(system+1)*t.n*w])
	return sum
}

// Scores returns the score of every system. It panics if Systems was changed to have more
// names than there are rows.
func (t *Table) Scores() []float64 {
	out := make([]float64, len(t.Systems))
	for k := range out {
		out[k] = t.scorer.Score(t.Sum(k))
	}
	return out
}

// Score returns the metric's score of a row or a sum of rows. It panics if the row is not as
// long as the metric's, and on the zero value.
func (t *Table) Score(row []float64) float64 { return t.scorer.Score(row) }

// SegmentScore returns the score of one segment of a system. It panics as Row does.
func (t *Table) SegmentScore(system, segment int) float64 {
	return t.scorer.Score(t.Row(system, segment))
}

// Systems scores several systems against references that are prepared once.
// The table's signature is complete.
func Systems(ctx context.Context, s Scorer, refs [][]string, systems []System) (*Table, error) {
	p, width, err := prepare(ctx, s, refs)
	if err != nil {
		return nil, err
	}
	n, err := checkSystems(p.Len(), systems)
	if err != nil {
		return nil, err
	}
	if n > maxNumbers/width/max(1, len(systems)) {
		return nil, fmt.Errorf("metric %q: rows of %d numbers for %d segments of %d systems are more than memory holds", s.Info().Name, width, n, len(systems))
	}
	t := NewTable(s, names(systems), n)
	t.Info.Signature = t.Info.Signature.Complete(readBy(s, refs))
	var rows []float64
	err = blocks(ctx, n, systems, func(segs []int, hyps []string) error {
		rows, err = p.Append(ctx, rows[:0], segs, hyps)
		if err != nil {
			return err
		}
		if err := contract.Rows(t.Info.Name, rows, len(hyps), width); err != nil {
			return err
		}
		for k, seg := range segs {
			copy(t.Row(k%len(systems), seg), rows[k*t.width:])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// blocks walks through all outputs, all systems' outputs of a segment together,
// in blocks of a bounded size: a scorer that knows a sentence again then meets
// the systems that agree on it in one call, and memory does not grow with the
// corpus.
func blocks(ctx context.Context, n int, systems []System, do func(segs []int, hyps []string) error) error {
	const size = 2048
	k := len(systems)
	if k == 0 {
		return nil
	}
	step := max(1, size/k)
	segs := make([]int, 0, step*k)
	hyps := make([]string, 0, step*k)
	for lo := 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		segs, hyps = segs[:0], hyps[:0]
		for i := lo; i < min(n, lo+step); i++ {
			for s := range systems {
				segs = append(segs, i)
				hyps = append(hyps, systems[s].Hyps[i])
			}
		}
		if err := do(segs, hyps); err != nil {
			return withIndex(err, func(h int) int { return h % k })
		}
		ReportProgress(ctx, min(n, lo+step)*k, n*k)
	}
	return nil
}

func checkSystems(n int, systems []System) (int, error) {
	for _, s := range systems {
		if len(s.Hyps) != n {
			return 0, fmt.Errorf("%w: system %s has %d, the references %d", ErrLength, s.Name, len(s.Hyps), n)
		}
	}
	return n, nil
}

func names(systems []System) []string {
	out := make([]string, len(systems))
	for k, s := range systems {
		out[k] = s.Name
	}
	return out
}

package tunable

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// Kept holds the statistics of hypotheses against every reference, from which a
// Scorer's scores come under any parameters.
type Kept struct {
	width int
	ends  []int // where the statistics of a hypothesis end, in references
	stats []float64
}

// Keep scores hyps[k] against each reference of segment segs[k] (segs nil: segment k, and
// there must be as many as segments).
func Keep(ctx context.Context, s Scorer, refs [][]string, segs []int, hyps []string) (*Kept, error) {
	if err := rows.CheckScorer(s); err != nil {
		return nil, fmt.Errorf("tunable: %w", err)
	}
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	if err := mteval.CheckHypotheses(len(refs), segs, hyps); err != nil {
		return nil, err
	}
	st := StatisticsOf(s)
	f, err := prepareFlat(ctx, st, refs)
	if err != nil {
		return nil, err
	}
	k := &Kept{width: st.Width(), ends: make([]int, len(hyps))}
	total := 0
	for i := range hyps {
		seg := rows.Segment(segs, i)
		total += f.first[seg+1] - f.first[seg]
		k.ends[i] = total
	}
	k.stats = make([]float64, 0, total*k.width)
	var c call
	for lo := 0; lo < len(hyps); lo += block {
		hi := min(len(hyps), lo+block)
		c.reset()
		for i := lo; i < hi; i++ {
			c.add(f, rows.Segment(segs, i), i, hyps[i])
		}
		if k.stats, err = f.append(ctx, k.stats, &c); err != nil {
			return nil, err
		}
		mteval.ReportProgress(ctx, k.ends[hi-1], total)
	}
	return k, ctx.Err()
}

// Len is the number of hypotheses.
func (k *Kept) Len() int { return len(k.ends) }

// Select returns the statistics of the hypotheses with these numbers, in this order. It panics
// if there is none with one of them.
func (k *Kept) Select(hyps []int) *Kept {
	out := &Kept{width: k.width, ends: make([]int, 0, len(hyps))}
	n := 0
	for _, h := range hyps {
		lo, hi := k.of(h)
		n += hi - lo
	}
	out.stats = make([]float64, 0, n*k.width)
	for _, h := range hyps {
		lo, hi := k.of(h)
		out.stats = append(out.stats, k.stats[lo*k.width:hi*k.width]...)
		out.ends = append(out.ends, len(out.stats)/max(1, k.width))
	}
	return out
}

// of says which statistics are of a hypothesis, in references.
func (k *Kept) of(hyp int) (lo, hi int) {
	if hyp > 0 {
		lo = k.ends[hyp-1]
	}
	return lo, k.ends[hyp]
}

// check panics if s has other statistics than were kept. It returns nil for a scorer of
// which they are rows, which need no copy.
func (k *Kept) check(s Scorer) Statistics {
	width := s.Width()
	var st Statistics
	if r, ok := s.(Reducer); ok {
		st = r.Statistics()
		width = st.Width()
	}
	if width != k.width {
		panic(fmt.Sprintf("tunable: %d statistics were kept, not %d", k.width, width))
	}
	return st
}

// Scores appends the score of every hypothesis by itself under the parameters of s to
// dst: the score of its row of Append, the best of those with its references. s comes from
// the scorer that was kept, by WithParameters. It allocates nothing but room in dst, one row
// more than there are scores. It panics if s is nil or has other statistics.
func (k *Kept) Scores(dst []float64, s Scorer) []float64 {
	st := k.check(s)
	lower := s.Info().LowerIsBetter
	lo := 0
	for _, hi := range k.ends {
		best := 0.0
		for r := lo; r < hi; r++ {
			row := k.stats[r*k.width : (r+1)*k.width]
			if st != nil {
				n := len(dst)
				dst = st.AppendRow(dst, row)
				row, dst = dst[n:], dst[:n]
			}
			if v := s.Score(row); r == lo || lower && v < best || !lower && v > best {
				best = v
			}
		}
		dst = append(dst, best)
		lo = hi
	}
	return dst
}

// Append appends the row of every hypothesis under the parameters of s to dst: against the
// reference with which the score of s is best, the first of equals. It panics as Scores does.
func (k *Kept) Append(dst []float64, s Scorer) []float64 {
	k.check(s)
	c := newChooser(s, StatisticsOf(s))
	lo := 0
	for _, hi := range k.ends {
		dst = c.appendRow(dst, k.stats[lo*k.width:hi*k.width])
		lo = hi
	}
	return dst
}

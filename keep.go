package mteval

import (
	"context"
	"errors"
	"fmt"
)

// Kept holds the statistics of hypotheses against every reference, from which a
// Parameterised scorer's scores come under any parameters.
type Kept struct {
	width int
	ends  []int // where the statistics of a hypothesis end, in references
	stats []float64
}

// Keep scores hyps[k] against each reference of segment segs[k] (segs nil: segment k, and
// there must be as many as segments).
func Keep(ctx context.Context, s Parameterised, refs [][]string, segs []int, hyps []string) (*Kept, error) {
	if err := CheckReferences(refs); err != nil {
		return nil, err
	}
	if err := CheckHypotheses(len(refs), segs, hyps); err != nil {
		return nil, err
	}
	// Every reference is a segment of its own.
	var single []string
	var segment []int // by reference
	first := make([]int, len(refs))
	for i, r := range refs {
		first[i] = len(single)
		single = append(single, r...)
		for range r {
			segment = append(segment, i)
		}
	}
	prepared, err := PrepareStatistics(ctx, s, single)
	if err != nil {
		return nil, ofFlat(err, segment, first, nil)
	}
	k := &Kept{width: StatisticsWidth(s), ends: make([]int, len(hyps))}
	var at, of []int
	var texts []string
	for i, h := range hyps {
		seg := i
		if segs != nil {
			seg = segs[i]
		}
		for r := range refs[seg] {
			at = append(at, first[seg]+r)
			of = append(of, i)
			texts = append(texts, h)
		}
		k.ends[i] = len(at)
	}
	const size = 512 // so that progress is told
	for lo := 0; lo < len(at); lo += size {
		hi := min(len(at), lo+size)
		if k.stats, err = prepared.Append(ctx, k.stats, at[lo:hi], texts[lo:hi]); err != nil {
			return nil, ofFlat(err, segment, first, of[lo:hi])
		}
		ReportProgress(ctx, hi, len(at))
	}
	return k, ctx.Err()
}

// ofFlat returns an error at a reference that was a segment of its own as one at its
// segment. of has the hypotheses whose texts were in the call.
func ofFlat(err error, segment, first, of []int) error {
	var at *SegmentError
	if !errors.As(err, &at) || at.Segment < 0 || at.Segment >= len(segment) {
		return err
	}
	moved := *at
	moved.Segment = segment[at.Segment]
	switch at.Side {
	case ReferenceSide:
		moved.Index = at.Segment - first[moved.Segment]
	case HypothesisSide:
		if at.Index < 0 || at.Index >= len(of) { // a Scorer that breaks its contract
			return err
		}
		moved.Index = of[at.Index]
	}
	return &moved
}

// Len is the number of hypotheses.
func (k *Kept) Len() int { return len(k.ends) }

// Select returns the statistics of the hypotheses with these numbers, in this order.
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

// check panics if s has other statistics than were kept.
func (k *Kept) check(s Parameterised) {
	if n := StatisticsWidth(s); n != k.width {
		panic(fmt.Sprintf("mteval: %d statistics were kept, not %d", k.width, n))
	}
}

// Scores appends the score of every hypothesis by itself under the parameters of s to
// dst: the score of its row of Append, the best of those with its references. It
// allocates nothing but room in dst, one row more than there are scores.
func (k *Kept) Scores(dst []float64, s Parameterised) []float64 {
	k.check(s)
	lower := s.Info().LowerIsBetter
	reducer, reduces := s.(Reducer)
	lo := 0
	for _, hi := range k.ends {
		best := 0.0
		for r := lo; r < hi; r++ {
			row := k.stats[r*k.width : (r+1)*k.width]
			if reduces {
				n := len(dst)
				dst = reducer.AppendRow(dst, row)
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
// reference with which the score of s is best, the first of equals. s comes from the
// scorer that was kept, by WithParameters.
func (k *Kept) Append(dst []float64, s Parameterised) []float64 {
	k.check(s)
	b := NewBestReference(s)
	lo := 0
	for _, hi := range k.ends {
		dst = b.AppendRow(dst, k.stats[lo*k.width:hi*k.width])
		lo = hi
	}
	return dst
}

package mteval

import (
	"context"
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
	first := make([]int, len(refs))
	for i, r := range refs {
		first[i] = len(single)
		single = append(single, r...)
	}
	prepared, err := PrepareStatistics(ctx, s, single)
	if err != nil {
		return nil, err
	}
	k := &Kept{width: StatisticsWidth(s), ends: make([]int, len(hyps))}
	var at []int
	var texts []string
	for i, h := range hyps {
		seg := i
		if segs != nil {
			seg = segs[i]
		}
		for r := range refs[seg] {
			at = append(at, first[seg]+r)
			texts = append(texts, h)
		}
		k.ends[i] = len(at)
	}
	k.stats, err = prepared.Append(ctx, nil, at, texts)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Len is the number of hypotheses.
func (k *Kept) Len() int { return len(k.ends) }

// Append appends the row of every hypothesis under the parameters of s to dst: against the
// reference with which the score of s is best, the first of equals. s comes from the
// scorer that was kept, by WithParameters.
func (k *Kept) Append(dst []float64, s Parameterised) []float64 {
	if n := StatisticsWidth(s); n != k.width {
		panic(fmt.Sprintf("mteval: %d statistics were kept, not %d", k.width, n))
	}
	lower := s.Info().LowerIsBetter
	lo := 0
	for _, hi := range k.ends {
		start := len(dst)
		dst = AppendRow(dst, s, k.stats[lo*k.width:(lo+1)*k.width])
		end := len(dst)
		best := 0.0
		if lo+1 < hi {
			best = s.Score(dst[start:end])
		}
		for r := lo + 1; r < hi; r++ {
			dst = AppendRow(dst, s, k.stats[r*k.width:(r+1)*k.width])
			if v := s.Score(dst[end:]); lower && v < best || !lower && v > best {
				best = v
				copy(dst[start:end], dst[end:])
			}
			dst = dst[:end]
		}
		lo = hi
	}
	return dst
}

package mteval

import (
	"context"
	"fmt"
)

// Kept holds the rows of hypotheses against every reference, from which a Parameterised
// scorer's scores come under any parameters.
type Kept struct {
	width int
	ends  []int // where the rows of a hypothesis end, in rows
	rows  []float64
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
	var single [][]string
	first := make([]int, len(refs))
	for i, r := range refs {
		first[i] = len(single)
		for k := range r {
			single = append(single, r[k:k+1])
		}
	}
	prepared, err := s.Prepare(ctx, single)
	if err != nil {
		return nil, err
	}
	k := &Kept{width: s.Info().Width, ends: make([]int, len(hyps))}
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
	k.rows, err = prepared.Append(ctx, nil, at, texts)
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
func (k *Kept) Append(dst []float64, s Scorer) []float64 {
	info := s.Info()
	if info.Width != k.width {
		panic(fmt.Sprintf("mteval: rows of %d numbers were kept, not %d", k.width, info.Width))
	}
	lo := 0
	for _, hi := range k.ends {
		best, score := lo, 0.0
		for r := lo; r < hi; r++ {
			v := s.Score(k.rows[r*k.width : (r+1)*k.width])
			if r == lo || info.LowerIsBetter && v < score || !info.LowerIsBetter && v > score {
				best, score = r, v
			}
		}
		dst = append(dst, k.rows[best*k.width:(best+1)*k.width]...)
		lo = hi
	}
	return dst
}

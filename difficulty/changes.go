package difficulty

import (
	"cmp"
	"context"
	"slices"
)

// A Change is what difficulty does to the order of the outputs for a segment.
type Change struct {
	Segment int
	// Pairs of systems that difficulty puts in another order. A pair that the base metric or
	// the difficulty-aware one puts level, and the other does not, is half a pair.
	Pairs float64
	// Base has the base metric's scores of the systems' outputs, Scores the difficulty-aware ones.
	Base, Scores []float64
}

// Changes returns those of all segments, the largest first, and equal ones in the order of the
// segments. It ends as soon as ctx is cancelled.
func (p *Poll) Changes(ctx context.Context) ([]Change, error) {
	n := len(p.systems)
	var out []Change
	for s := range p.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := Change{Segment: s, Base: make([]float64, n), Scores: make([]float64, n)}
		for i := range n {
			c.Base[i], c.Scores[i] = p.BaseScore(i, s), p.Score(i, s)
		}
		c.Pairs = reordered(c.Base, c.Scores)
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(b.Pairs, a.Pairs) })
	return out, nil
}

// reordered counts the pairs that stand in another order in one list than in the other; a pair
// that ties in one only is half of one.
func reordered(x, y []float64) float64 {
	sign := func(x float64) int {
		const rounding = 1e-9 // equal outputs, summed in another order
		switch {
		case x > rounding:
			return 1
		case x < -rounding:
			return -1
		}
		return 0
	}
	sum := 0
	for i := range x {
		for j := range i {
			d := sign(x[i]-x[j]) - sign(y[i]-y[j])
			sum += max(d, -d)
		}
	}
	return float64(sum) / 2
}

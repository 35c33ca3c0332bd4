package compare

import (
	"context"
	"math"

	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/student"
)

// SegmentCounts says on how many segments system A is better, neither is, and B is.
type SegmentCounts struct{ Wins, Ties, Losses int }

// A TTest is Student's t-test of paired scores, that of SciPy's ttest_rel and of comet-compare.
// One segment shows no spread, so T is 0 and P 1; so it is for equal scores. Where the
// difference is the same on all segments, but for rounding, SciPy's t is infinite or what is left of
// rounding: here T is the number of segments, with the sign of the difference, and P 0.
type TTest struct {
	// T is above 0 where system A is better.
	T float64
	P
}

// count sets what is of the segments' scores as they are.
func (c *contest) count(ctx context.Context, r *Result, o Options) error {
	tie := c.tie(o.Tie)
	return parallel.For(ctx, len(r.Pairs), o.Workers, 1, func(i, _ int) error {
		p := &r.Pairs[i]
		differences := make([]float64, len(c.items))
		for at := range differences {
			row := c.of(at)
			d := c.up(row[p.A] - row[p.B])
			differences[at] = d
			p.SegmentCounts.add(d, tie)
		}
		p.T = pairedT(differences, c.grain())
		return ctx.Err()
	})
}

// tie is Options.Tie, but for rounding.
func (c *contest) tie(tie float64) float64 {
	if tie > 0 {
		tie += c.grain()
	}
	return tie
}

func (n *SegmentCounts) add(difference, tie float64) {
	switch {
	case math.Abs(difference) <= tie:
		n.Ties++
	case difference > 0:
		n.Wins++
	default:
		n.Losses++
	}
}

// pairedT tests whether the mean of differences is 0. Those that are no further apart than
// grain are the same.
func pairedT(d []float64, grain float64) TTest {
	n := float64(len(d))
	mean, least, most := 0.0, d[0], d[0]
	for _, v := range d {
		mean += v / n
		least, most = min(least, v), max(most, v)
	}
	if len(d) < 2 || max(-least, most) <= grain {
		return TTest{P: P{P: 1}}
	}
	if most-least <= grain {
		return TTest{T: math.Copysign(n, d[0])}
	}
	// Parts of the largest, so that squares of tiny ones do not vanish.
	scale, squares := 0.0, 0.0
	for _, v := range d {
		scale = max(scale, math.Abs(v-mean))
	}
	for _, v := range d {
		x := (v - mean) / scale
		squares += x * x
	}
	t := mean / scale / math.Sqrt(squares/(n-1)/n)
	return TTest{T: t, P: P{P: student.Tails(t, n-1)}}
}

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
// difference is the same on all segments, SciPy's t is infinite: here T is the number of segments,
// with the sign of the difference, and P 0.
type TTest struct {
	// T is above 0 where system A is better.
	T float64
	P
}

// count sets what is of the segments' scores as they are.
func (c *contest) count(ctx context.Context, r *Result, o Options) error {
	return parallel.For(ctx, len(r.Pairs), o.Workers, 1, func(i, _ int) error {
		p := &r.Pairs[i]
		differences := make([]float64, len(c.items))
		for at := range differences {
			row := c.of(at)
			d := c.up(row[p.A] - row[p.B])
			differences[at] = d
			p.SegmentCounts.add(d, o.Tie)
		}
		p.T = pairedT(differences)
		return ctx.Err()
	})
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

// pairedT tests whether the mean of differences is 0.
func pairedT(d []float64) TTest {
	n := float64(len(d))
	mean, equal := 0.0, true
	for _, v := range d {
		mean += v / n
		equal = equal && v == d[0]
	}
	if len(d) < 2 || equal && d[0] == 0 {
		return TTest{P: P{P: 1}}
	}
	if equal {
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

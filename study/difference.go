package study

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// differenceOf is the interval and the p-value of the difference of x and y, by samples on
// which both are defined. P is nil if there is none.
func differenceOf(x, y float64, xs, ys []float64) (Interval, *float64) {
	a := significance.NewAgreements([]float64{x, y}, [][]float64{xs, ys})
	n := len(a.Samples[0])
	if n == 0 {
		return Interval{Undefined: a.Undefined}, nil
	}
	_, in, p := a.Difference(0, 1)
	return Interval{in.Low, in.High, n, a.Undefined}, &p
}

// permute tests the forms' differences at the last point by PERM-INPUTS.
func (r *run) permute(ctx context.Context, curves []*Curve, of []scores) error {
	if len(curves) == 1 {
		return nil
	}
	var names []string
	k := len(of[0].scores)
	for _, s := range r.result.Systems[:k] {
		names = append(names, s.System)
	}
	people := &metaeval.Scores{Systems: names, Items: []string{""}, Values: r.best.Human[:k]}
	items := make([]string, r.result.Segments)
	for i := range items {
		items[i] = strconv.Itoa(i + 1)
	}
	metric := func(i int) metaeval.Metric {
		t := of[i].table
		s := &metaeval.Scores{Systems: names, Items: items, Values: segmentScores(t, k)}
		return metaeval.Metric{Name: curves[i].Name(), Scores: s, LowerIsBetter: t.Info.LowerIsBetter}
	}
	base := metric(0)
	for i, c := range curves[1:] {
		form := metric(i + 1)
		found := &c.Points[len(c.Points)-1].Agreements
		for j := range found {
			if found[j].Difference == nil {
				continue
			}
			m := significance.Measure{Coefficient: significance.Coefficient(j)}
			d, err := significance.PermutationTest(ctx, people, form, base, m, significance.SwapItems, r.significance())
			switch {
			case err == nil:
				found[j].Difference.Perm = &d
			case !errors.Is(err, metaeval.ErrUndefined):
				return err
			}
		}
	}
	return nil
}

// segmentScores are the first systems' scores of segments, as metaeval.Scores has them.
func segmentScores(t *mteval.Table, systems int) []float64 {
	out := make([]float64, 0, systems*t.Len())
	for k := range systems {
		for i := range t.Len() {
			out = append(out, t.SegmentScore(k, i))
		}
	}
	return out
}

// adjust corrects the p-values for the number of K.
func (r *run) adjust() error {
	for _, c := range r.result.Curves {
		for j := range correlations {
			var of []*Difference
			var p []float64
			for k := range c.Points {
				if d := c.Points[k].Agreements[j].Difference; d != nil && d.P != nil {
					of, p = append(of, d), append(p, *d.P)
				}
			}
			adjusted, err := significance.Holm(p)
			if err != nil {
				return err
			}
			for i, d := range of {
				d.Holm = &adjusted[i]
			}
		}
	}
	tests := float64(len(r.systems) - ranking.FewestK + 1)
	if r.result.HasForms() && tests/float64(r.Samples+1) > r.Alpha {
		r.result.SamplesNeeded = math.Ceil(tests / r.Alpha)
	}
	return nil
}

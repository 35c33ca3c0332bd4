package preference

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// A Choice is a metric that a calibration adds up, by its index in the evidence of each set.
type Choice struct {
	Evidence int
	Shape    Shape
}

// FitOptions of Fit and Validate.
type FitOptions struct {
	// Terms are the metrics that are added up. None are the first, Linear, and the others, Log.
	Terms []Choice
	// Note says in words what people's scores are, for Calibration.Note.
	Note string
}

// Fit fits a calibration to sets, and says what it is worth on campaigns left out, if there are
// several, or else on sets left out: see Validate. There is one weight for all terms, which is
// the one parameter, by logistic regression on the pairs that people scored differently. Each
// set counts alike, and the pairs of a set do. A normal prior of the weight, of standard
// deviation 1 for evidence of mean square 1, keeps it finite where all pairs agree. The result
// does not depend on the order of systems, and on that of sets only by rounding.
//
// One weight for all terms is a choice: weights of their own for the terms of the default
// were less accurate on campaigns left out, and less well calibrated.
//
// Sets of one name, without evidence, of different metrics or without two systems are errors,
// and so are sets in which people scored no two systems differently, if there are no others.
func Fit(ctx context.Context, sets []Set, o FitOptions) (*Calibration, error) {
	d, err := newData(ctx, sets, o)
	if err != nil {
		return nil, err
	}
	c := &Calibration{
		Note:   strings.ToValidUTF8(o.Note, "\ufffd"), // as a file has it, so that the hash is its
		Fitted: "logistic regression on pairs of systems, one weight, each set counts alike",
	}
	weight := d.fit(d.sum, nil)
	for _, t := range d.terms {
		c.Terms = append(c.Terms, Term{d.metrics[t.Evidence], t.Shape, weight})
	}
	folds := d.folds()
	c.HeldOut = d.figures(d.sum, folds)
	for m := range d.metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Records = append(c.Records, d.record(m, folds))
	}
	for i, s := range sets {
		c.Sets = append(c.Sets, Judged{strings.ToValidUTF8(s.Name, "\ufffd"), strings.ToValidUTF8(s.Campaign, "\ufffd"), len(s.Human), s.Evidence[0].Segments, d.counts[i]})
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("preference: fitted: %w", err)
	}
	return c, nil
}

// record is that of a metric alone.
func (d *data) record(m int, folds [][]bool) Record {
	r := Record{Metric: d.metrics[m], Weight: d.fit(d.alone(m), nil), Bands: newBands(), HeldOut: d.figures(d.alone(m), folds)}
	for _, p := range d.pairs {
		b := &r.Bands[bandOf(p.z[m])]
		b.Pairs++
		if p.z[m]*p.human > 0 {
			b.Agreed++
		}
	}
	return r
}

// figures are those of x on what was left out, nil if there is but one fold.
func (d *data) figures(x func(p *judgedPair) float64, folds [][]bool) *Figures {
	if len(folds) < 2 {
		return nil
	}
	f, _ := figures(d.heldOut(x, folds))
	return &f
}

// sum is what the terms add up to for a pair, before the weight.
func (d *data) sum(p *judgedPair) float64 {
	out := 0.0
	for _, t := range d.terms {
		out += t.Shape.of(p.z[t.Evidence])
	}
	return out
}

// alone is one metric's z.
func (d *data) alone(m int) func(p *judgedPair) float64 {
	return func(p *judgedPair) float64 { return p.z[m] }
}

// fit is the weight of x on the pairs of sets that are not left out, 0 if there are none.
func (d *data) fit(x func(p *judgedPair) float64, leftOut []bool) float64 {
	// By pair: what speaks for people's side, and what the pair counts.
	var agree, counts []float64
	total, squares := 0.0, 0.0
	for i := range d.pairs {
		p := &d.pairs[i]
		if leftOut != nil && leftOut[p.set] {
			continue
		}
		v, w := p.human*x(p), 1/float64(d.counts[p.set])
		agree, counts = append(agree, v), append(counts, w)
		total += w
		squares += w * v * v
	}
	if squares == 0 {
		return 0
	}
	// All sets together count as their pairs do, and x is on the scale of its mean square.
	scale, factor := math.Sqrt(squares/total), float64(len(counts))/total
	for i := range agree {
		agree[i] /= scale
		counts[i] *= factor
	}
	return mostLikely(agree, counts) / scale
}

// mostLikely is the w with the largest Σ counts·log σ(w·agree) − w²/2, agree being of mean square
// 1. Its derivative falls, so that these are Newton's steps between the bounds that it gives.
func mostLikely(agree, counts []float64) float64 {
	w := 0.0
	// The derivative at a bound is −w and at most that of all pairs.
	high := 1.0
	for _, n := range counts {
		high += n
	}
	low := -high
	for range 200 {
		slope, curvature := -w, 1.0
		for i, v := range agree {
			s := sigmoid(-w * v)
			slope += counts[i] * v * s
			curvature += counts[i] * v * v * s * (1 - s)
		}
		step := slope / curvature
		if math.Abs(step) < 1e-12 {
			return w + step
		}
		if slope > 0 {
			low = w
		} else {
			high = w
		}
		if w += step; w <= low || w >= high {
			w = (low + high) / 2
		}
	}
	return w
}

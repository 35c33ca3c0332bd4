package preference

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Set is systems that people judged, of one language pair as a rule, and what metrics say of
// them.
type Set struct {
	Name string
	// Campaign is what it was judged in, with others: their texts, systems and judges are not
	// independent, so that they are left out together. That of sets without is one, too.
	Campaign string
	// Human scores by system, in the order of the evidence, more is better; NaN: none.
	Human []float64
	// Evidence of the metrics, the same in all sets, in the same order.
	Evidence []*Evidence
}

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
		Note:   o.Note,
		Fitted: "logistic regression on pairs of systems, one weight, each set counts alike",
	}
	weight := d.fit(d.sum, nil)
	for _, t := range d.terms {
		c.Terms = append(c.Terms, Term{d.metrics[t.Evidence], t.Shape, weight})
	}
	folds := d.folds()
	c.HeldOut = d.worth(d.sum, folds)
	for m := range d.metrics {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Records = append(c.Records, d.record(m, folds))
	}
	for i, s := range sets {
		c.Sets = append(c.Sets, Judged{s.Name, s.Campaign, len(s.Human), s.Evidence[0].Segments, d.counts[i]})
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("preference: fitted: %w", err)
	}
	return c, nil
}

// record is that of a metric alone.
func (d *data) record(m int, folds [][]bool) Record {
	r := Record{Metric: d.metrics[m], Weight: d.fit(d.alone(m), nil), Bands: newBands(), HeldOut: d.worth(d.alone(m), folds)}
	for _, p := range d.pairs {
		b := &r.Bands[bandOf(p.z[m])]
		b.Pairs++
		if p.z[m]*p.human > 0 {
			b.Agreed++
		}
	}
	return r
}

// worth are the figures of x on what was left out, nil if there is but one fold.
func (d *data) worth(x func(p *judgedPair) float64, folds [][]bool) *Figures {
	if len(folds) < 2 {
		return nil
	}
	f := d.figures(d.heldOut(x, folds), every)
	return &f
}

// data are the pairs of all sets.
type data struct {
	sets    []Set
	metrics []Metric
	terms   []Choice
	pairs   []judgedPair
	counts  []int // of pairs, by set
}

// A judgedPair is one that people scored differently.
type judgedPair struct {
	set   int
	human float64   // 1 or −1
	clear bool      // their scores differ by more than a quarter of the set's standard deviation
	z     []float64 // by metric
}

// clearly is the difference from which on people's scores of two systems differ clearly, in
// standard deviations of the set's scores.
const clearly = .25

func newData(ctx context.Context, sets []Set, o FitOptions) (*data, error) {
	if len(sets) == 0 {
		return nil, errors.New("preference: no judged sets to fit to")
	}
	d := &data{sets: sets, terms: slices.Clone(o.Terms), counts: make([]int, len(sets))}
	seen := make(map[string]bool)
	for i := range sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := &sets[i]
		if seen[s.Name] {
			return nil, fmt.Errorf("preference: two sets are called %s", s.Name)
		}
		seen[s.Name] = true
		if err := d.add(i, s); err != nil {
			return nil, fmt.Errorf("preference: %s: %w", s.Name, err)
		}
	}
	if len(d.pairs) == 0 {
		return nil, errors.New("preference: no pair of systems that people scored differently")
	}
	if len(d.terms) == 0 {
		for m := range d.metrics {
			shape := Log
			if m == 0 {
				shape = Linear
			}
			d.terms = append(d.terms, Choice{m, shape})
		}
	}
	for _, t := range d.terms {
		if t.Evidence < 0 || t.Evidence >= len(d.metrics) || t.Shape < Linear || t.Shape > Log {
			return nil, fmt.Errorf("preference: no term of evidence %d and shape %v, of %d metrics", t.Evidence, t.Shape, len(d.metrics))
		}
	}
	return d, nil
}

// add adds the pairs of a set.
func (d *data) add(i int, s *Set) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := d.addMetrics(s.Evidence); err != nil {
		return err
	}
	systems := s.Evidence[0].Systems
	order := make([]int, len(systems)) // by name, so that nothing depends on how they stand
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(systems[a], systems[b]) })
	human := make([]float64, len(order))
	for place, k := range order {
		human[place] = s.Human[k]
	}
	least := clearly * deviation(human)
	for place, a := range order {
		for _, b := range order[:place] {
			h, g := s.Human[a], s.Human[b]
			if math.IsNaN(h) || math.IsNaN(g) || h == g {
				continue
			}
			p := judgedPair{set: i, human: 1, clear: math.Abs(h-g) > least, z: make([]float64, len(s.Evidence))}
			if h < g {
				p.human = -1
			}
			for m, e := range s.Evidence {
				p.z[m] = e.Z[a][b]
			}
			d.pairs = append(d.pairs, p)
			d.counts[i]++
		}
	}
	return nil
}

// check refuses what is no judged set.
func (s *Set) check() error {
	if len(s.Evidence) == 0 {
		return errors.New("no evidence")
	}
	for _, e := range s.Evidence {
		if err := e.check(s.Evidence[0]); err != nil {
			return err
		}
	}
	if systems := len(s.Evidence[0].Systems); len(s.Human) != systems {
		return fmt.Errorf("%d human scores of %d systems", len(s.Human), systems)
	}
	if len(s.Human) < 2 {
		return fmt.Errorf("%d systems, want two at least", len(s.Human))
	}
	for k, v := range s.Human {
		if !(math.Abs(v) <= maxHuman) && v == v {
			return fmt.Errorf("the human score of %s is %v, want within ±%g", s.Evidence[0].Systems[k], v, maxHuman)
		}
	}
	return nil
}

// maxHuman bounds people's scores: squares of them are finite.
const maxHuman = 1e100

// addMetrics adds what the signatures of a set are.
func (d *data) addMetrics(evidence []*Evidence) error {
	if d.metrics == nil {
		for _, e := range evidence {
			d.metrics = append(d.metrics, fitted(e))
		}
		return nil
	}
	if len(evidence) != len(d.metrics) {
		return fmt.Errorf("evidence of %d metrics, %d in the first set", len(evidence), len(d.metrics))
	}
	for m, e := range evidence {
		if !d.metrics[m].add(fitted(e)) {
			return fmt.Errorf("metric %d is %s with signature %s, and another one in the first set", m+1, e.Metric, e.Signature)
		}
	}
	return nil
}

// deviation is the standard deviation of the scores that are there.
func deviation(scores []float64) float64 {
	n, mean := 0.0, 0.0
	for _, v := range scores {
		if v == v {
			n++
			mean += (v - mean) / n
		}
	}
	if n < 2 {
		return 0
	}
	squares := 0.0
	for _, v := range scores {
		if v == v {
			squares += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(squares / (n - 1))
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

package preference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/significance"
)

// Figures say what probabilities were worth, over pairs of systems that people scored
// differently, each counted once.
type Figures struct {
	Pairs int `json:"pairs"`
	// Accuracy is the share of pairs of which people's side had more than ½, one with ½
	// counting half.
	Accuracy float64 `json:"accuracy"`
	// LogLoss is the mean of −log of the probability of people's side (natural logarithm; of 0 it
	// counts 744), and Brier that of the square of 1 less it.
	LogLoss float64 `json:"log_loss"`
	Brier   float64 `json:"brier"`
	// CalibrationError is the mean over pairs of how far the accuracy of the pairs of like
	// confidence, max(p, 1 − p) in ten bins of .05, is from their mean confidence.
	CalibrationError float64 `json:"calibration_error"`
}

// A Validation is what probabilities of a metric, or of a calibration's sum, are worth on sets
// of campaigns that they were not fitted on.
type Validation struct {
	// Metric is nil for the sum of the terms.
	Metric *Metric
	All    Part
	// Clear are the pairs whose human scores differ by more than a quarter of the standard
	// deviation of their set's.
	Clear Part
	// Campaigns are in the order of the sets.
	Campaigns []Part
	// Bands are the pairs by |z| of the first metric: below 1, 2, 4, 8, and above.
	Bands []Part
	// BelowTwo are those with |z| of the first metric below 2.
	BelowTwo Part
	Sets     []Part
}

// A Part of the pairs, with intervals of 95% by resampling its sets. Of few sets they say
// little, and of one nothing. A part without pairs is all 0 but for its
// name, and has bins without.
type Part struct {
	Name string
	Figures
	Sets     int                   // that have such pairs
	Interval significance.Interval // of the accuracy
	// Gain is how far the accuracy is above that of the first metric on the same pairs, and
	// GainInterval its interval.
	Gain         float64
	GainInterval significance.Interval
	Bins         []Bin // of the pairs by confidence, ten
}

// A Bin is of the pairs with a confidence from From to below From + .05, 1 in the last. One
// without pairs is 0 but for From.
type Bin struct {
	From       float64
	Pairs      int
	Confidence float64 // mean
	Right      float64 // share of pairs, ½ counting half
}

const bins = 10

// Validate fits probabilities by each metric alone, and by the sum of the terms, as Fit does,
// leaving one campaign out at a time, and says what they are worth on it. The sum's is the
// first Validation, then come the metrics' in their order. If all sets are of one campaign, one
// set is left out at a time; a single set is an error. Other errors are those of Fit.
func Validate(ctx context.Context, sets []Set, o FitOptions) ([]Validation, error) {
	d, err := newData(ctx, sets, o)
	if err != nil {
		return nil, err
	}
	folds := d.folds()
	if len(folds) < 2 {
		return nil, errors.New("preference: one judged set: nothing is left to fit to without it")
	}
	base := d.heldOut(d.alone(0), folds)
	var out []Validation
	for m := -1; m < len(d.metrics); m++ {
		x, metric := d.sum, (*Metric)(nil)
		if m >= 0 {
			x, metric = d.alone(m), &d.metrics[m]
		}
		v, err := d.validate(ctx, d.heldOut(x, folds), base)
		if err != nil {
			return nil, err
		}
		v.Metric = metric
		out = append(out, *v)
	}
	return out, nil
}

// campaigns are their names, in the order of the sets.
func (d *data) campaigns() []string {
	var out []string
	for _, s := range d.sets {
		if !slices.Contains(out, s.Campaign) {
			out = append(out, s.Campaign)
		}
	}
	return out
}

// folds says by fold which sets are left out.
func (d *data) folds() [][]bool {
	var out [][]bool
	campaigns := d.campaigns()
	for _, c := range campaigns {
		left := make([]bool, len(d.sets))
		for i, s := range d.sets {
			left[i] = s.Campaign == c
		}
		out = append(out, left)
	}
	if len(campaigns) > 1 {
		return out
	}
	out = nil
	for i := range d.sets {
		left := make([]bool, len(d.sets))
		left[i] = true
		out = append(out, left)
	}
	return out
}

// heldOut are the probabilities of people's side, by pair, from a weight fitted without its
// fold.
func (d *data) heldOut(x func(p *judgedPair) float64, folds [][]bool) []float64 {
	out := make([]float64, len(d.pairs))
	for _, left := range folds {
		w := d.fit(x, left)
		for i := range d.pairs {
			if p := &d.pairs[i]; left[p.set] {
				out[i] = sigmoid(w * p.human * x(p))
			}
		}
	}
	return out
}

func (d *data) validate(ctx context.Context, p, base []float64) (*Validation, error) {
	var err error
	// The first error stands, and the others are not looked at.
	part := func(name string, in func(q *judgedPair) bool) (out Part) {
		if err == nil {
			out, err = d.part(ctx, name, p, base, in)
		}
		return out
	}
	z := func(q *judgedPair) float64 { return math.Abs(q.z[0]) }
	v := &Validation{
		All:      part("all", func(*judgedPair) bool { return true }),
		Clear:    part("clear", func(q *judgedPair) bool { return q.clear }),
		BelowTwo: part("|z| below 2", func(q *judgedPair) bool { return z(q) < 2 }),
	}
	for _, name := range d.campaigns() {
		v.Campaigns = append(v.Campaigns, part(name, func(q *judgedPair) bool { return d.sets[q.set].Campaign == name }))
	}
	limits := [...]float64{0, 1, 2, 4, 8, math.Inf(1)}
	for i, to := range limits[1:] {
		from := limits[i]
		name := fmt.Sprintf("|z| %g to %g", from, to)
		if math.IsInf(to, 1) {
			name = fmt.Sprintf("|z| %g and more", from)
		}
		v.Bands = append(v.Bands, part(name, func(q *judgedPair) bool { return z(q) >= from && z(q) < to }))
	}
	for i, s := range d.sets {
		v.Sets = append(v.Sets, part(s.Name, func(q *judgedPair) bool { return q.set == i }))
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// right is 1 if a probability of people's side is above ½, and ½ if it is ½.
func right(p float64) float64 {
	switch {
	case p > .5:
		return 1
	case p == .5:
		return .5
	}
	return 0
}

// worth adds up what is known of probabilities of people's side, but for their calibration.
func worth(p []float64) Figures {
	out := Figures{Pairs: len(p)}
	if len(p) == 0 {
		return out
	}
	for _, v := range p {
		out.Accuracy += right(v)
		out.LogLoss -= math.Log(max(v, math.SmallestNonzeroFloat64))
		out.Brier += (1 - v) * (1 - v)
	}
	n := float64(len(p))
	out.Accuracy /= n
	out.LogLoss /= n
	out.Brier /= n
	return out
}

// figures are those of some probabilities of people's side, and their bins.
func figures(p []float64) (Figures, []Bin) {
	out, bins := worth(p), newBins(p)
	for _, b := range bins {
		if b.Pairs > 0 {
			out.CalibrationError += float64(b.Pairs) / float64(len(p)) * math.Abs(b.Confidence-b.Right)
		}
	}
	return out, bins
}

// part are the figures of some pairs, with intervals.
func (d *data) part(ctx context.Context, name string, p, base []float64, in func(q *judgedPair) bool) (Part, error) {
	var own []float64 // probabilities
	// By set: pairs, right ones, and those of the base.
	sums := make([][3]float64, len(d.sets))
	for i := range d.pairs {
		if q := &d.pairs[i]; in(q) {
			own = append(own, p[i])
			s := &sums[q.set]
			s[0]++
			s[1] += right(p[i])
			s[2] += right(base[i])
		}
	}
	sums = slices.DeleteFunc(sums, func(s [3]float64) bool { return s[0] == 0 })
	out := Part{Name: name, Sets: len(sums)}
	out.Figures, out.Bins = figures(own)
	if out.Pairs == 0 {
		return out, nil
	}
	gain := func(set func(i int) int) (accuracy, gain float64) {
		var t [3]float64
		for i := range sums {
			for j, v := range sums[set(i)] {
				t[j] += v
			}
		}
		return t[1] / t[0], (t[1] - t[2]) / t[0]
	}
	_, out.Gain = gain(func(i int) int { return i })
	samples, err := significance.Resample(ctx, len(sums), significance.Options{}, 2, func(draws []uint32, out []float64) error {
		out[0], out[1] = gain(func(i int) int { return int(draws[i]) })
		return nil
	})
	if err != nil {
		return out, err
	}
	out.Interval, out.GainInterval = significance.Interval95(samples[0]), significance.Interval95(samples[1])
	return out, nil
}

// newBins sorts probabilities of people's side by confidence.
func newBins(p []float64) []Bin {
	out := make([]Bin, bins)
	for i := range out {
		out[i].From = float64(bins+i) / (2 * bins)
	}
	for _, v := range p {
		confidence := max(v, 1-v)
		// Times 20 the bounds, such as .6, are whole.
		b := &out[min(int(confidence*2*bins)-bins, bins-1)]
		b.Pairs++
		b.Confidence += confidence
		b.Right += right(v)
	}
	for i := range out {
		if b := &out[i]; b.Pairs > 0 {
			b.Confidence /= float64(b.Pairs)
			b.Right /= float64(b.Pairs)
		}
	}
	return out
}

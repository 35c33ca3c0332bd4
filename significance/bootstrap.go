package significance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// A Sampling says what a bootstrap sample of scores draws with replacement (Deutsch, Dror
// and Roth, TACL 2021), and so what its intervals speak of.
type Sampling int

const (
	// SampleItems is BOOT-INPUTS, for these systems on other items.
	SampleItems Sampling = iota
	// SampleSystems is BOOT-SYS, for other systems on these items.
	SampleSystems
	// SampleBoth is BOOT-BOTH, for other systems on other items.
	SampleBoth
)

// Agreements are how far metrics agree with people on samples.
type Agreements struct {
	// Values of the metrics, on the scores as they are.
	Values []float64
	// Samples holds the values on the samples, by metric and sample: the same samples
	// for all metrics.
	Samples [][]float64
	// Undefined is how many samples are left out, as the measure of some metric does
	// not exist on them.
	Undefined int
}

// NewAgreements makes them of values by metric and samples by metric and sample. A sample
// with a NaN is left out, for all metrics. It panics unless there are the samples of each
// metric that has a value, and as many of each.
func NewAgreements(values []float64, samples [][]float64) *Agreements {
	if len(values) != len(samples) {
		panic(fmt.Sprintf("significance: values of %d metrics, samples of %d", len(values), len(samples)))
	}
	for i, v := range samples {
		if len(v) != len(samples[0]) {
			panic(fmt.Sprintf("significance: metric %d has %d samples, the first %d", i+1, len(v), len(samples[0])))
		}
	}
	a := &Agreements{Values: values, Samples: make([][]float64, len(samples))}
	if len(samples) == 0 {
		return a
	}
	for i := range samples[0] {
		if slices.ContainsFunc(samples, func(v []float64) bool { return math.IsNaN(v[i]) }) {
			a.Undefined++
			continue
		}
		for k, v := range samples {
			a.Samples[k] = append(a.Samples[k], v[i])
		}
	}
	return a
}

// Interval of a metric's agreement, by Interval95. It panics if there is no such metric.
func (a *Agreements) Interval(metric int) Interval { return Interval95(a.Samples[metric]) }

// Difference returns by how much metric x agrees better than metric y, the interval of
// that, and the probability of so large a difference, either way, if they agreed equally:
// how often it is as far from itself on a sample as it is from 0, counting the scores as
// they are for one sample more (Efron and Tibshirani 1993, section 16.4). The probability
// is above 0 and at most 1. It panics if there is no such metric.
func (a *Agreements) Difference(x, y int) (difference float64, interval Interval, p float64) {
	samples := minus(a.Samples[x], a.Samples[y])
	difference = a.Values[x] - a.Values[y]
	far := 1
	for _, v := range samples {
		if math.Abs(v-difference) >= math.Abs(difference)-tolerance {
			far++
		}
	}
	return difference, Interval95(samples), float64(far) / float64(len(samples)+1)
}

// BootstrapAgreement measures how far metrics agree with people on samples of the items,
// of the systems, or of both, 1,000 of them unless o says otherwise. It draws from the
// items and systems that the measure is taken of, as Resample does, systems first.
//
// At system level people's items may be others than the metrics', as where there is one
// score for each system; then people's scores stay as they are. Other errors are those of
// PermutationTest.
func BootstrapAgreement(ctx context.Context, human *metaeval.Scores, metrics []metaeval.Metric, m Measure, s Sampling, o Options) (*Agreements, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if s < SampleItems || s > SampleBoth {
		return nil, fmt.Errorf("significance: there is no sampling %d", s)
	}
	on, err := align(human, metrics, m)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(metrics))
	for i, scores := range on.metrics {
		if values[i], err = m.of(on, scores); err != nil {
			return nil, fmt.Errorf("significance: %s: %w", metrics[i].Name, err)
		}
	}
	d, err := newSampled(ctx, human, metrics, on, m, s)
	if err != nil {
		return nil, err
	}
	samples, err := d.resample(ctx, s, o)
	if err != nil {
		return nil, err
	}
	a := NewAgreements(values, samples)
	if len(a.Samples[0]) == 0 {
		return nil, fmt.Errorf("significance: the measure is %w on each of %d samples", metaeval.ErrUndefined, a.Undefined)
	}
	return a, nil
}

// constants returns what all values of a system are, NaN if they differ. Values are of
// outputs, and exist or not.
func (o *outputs) constants(value func(at int) (v float64, exists bool)) []float64 {
	out := make([]float64, o.systems)
	for k := range out {
		first := true
		for at := k * o.items; at < (k+1)*o.items; at++ {
			switch v, exists := value(at); {
			case !exists:
			case first:
				out[k], first = v, false
			case v != out[k]:
				out[k] = math.NaN()
			}
		}
	}
	return out
}

func pick(from []int, draws []uint32) []int {
	out := make([]int, len(draws))
	for i, d := range draws {
		out[i] = from[d]
	}
	return out
}

// sampled takes a measure of some of the systems and items, any number of times each.
type sampled struct {
	measure        Measure
	on             *outputs
	systems, items []int  // that the measure is taken of
	used           []bool // by output
	// judgements are people's scores of the outputs, at system level if they are of
	// the metrics' items; else nil.
	judgements []float64
	// What all scores of a system are that are used, NaN if they differ: by metric and
	// system, and of people. A mean of equal scores is what they are, whatever rounding
	// does to their sum.
	constant      [][]float64
	constantHuman []float64
	// fixed holds the correlation of each group, by metric, NaN where undefined, if
	// groups are sampled as a whole; else nil.
	fixed [][]float64
}

func newSampled(ctx context.Context, human *metaeval.Scores, metrics []metaeval.Metric, on *outputs, m Measure, s Sampling) (*sampled, error) {
	d := &sampled{measure: m, on: on, used: make([]bool, on.systems*on.items)}
	for _, group := range on.groups {
		for _, at := range group {
			d.used[at] = true
			d.systems = append(d.systems, at/on.items)
			d.items = append(d.items, at%on.items)
		}
	}
	slices.Sort(d.systems)
	d.systems = slices.Compact(d.systems)
	slices.Sort(d.items)
	d.items = slices.Compact(d.items)
	if !m.Segments {
		for _, scores := range on.metrics {
			d.constant = append(d.constant, on.constants(func(at int) (float64, bool) { return scores[at], d.used[at] }))
		}
		if slices.Equal(human.Items, metrics[0].Scores.Items) {
			d.judgements = on.judgements
			d.constantHuman = on.constants(func(at int) (float64, bool) { return d.judgements[at], !math.IsNaN(d.judgements[at]) })
		}
	}
	if m.byItem() && s == SampleItems || m.Grouping == metaeval.BySystem && s == SampleSystems {
		for _, scores := range on.metrics {
			r := make([]float64, len(on.groups))
			for g, group := range on.groups {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				var err error
				if r[g], err = m.Coefficient.of(on.beside(scores, group)); err != nil {
					r[g] = math.NaN()
				}
			}
			d.fixed = append(d.fixed, r)
		}
	}
	return d, nil
}

// resample returns the values on samples by metric and sample, NaN where undefined.
func (d *sampled) resample(ctx context.Context, s Sampling, o Options) ([][]float64, error) {
	var sizes []int
	if s != SampleItems {
		sizes = append(sizes, len(d.systems))
	}
	if s != SampleSystems {
		sizes = append(sizes, len(d.items))
	}
	return resample(ctx, sizes, o, len(d.on.metrics), func(draws []uint32, out []float64) error {
		systems, items := d.systems, d.items
		if s != SampleItems {
			systems = pick(systems, draws[:len(systems)])
		}
		if s != SampleSystems {
			items = pick(items, draws[len(draws)-len(items):])
		}
		for i := range out {
			var err error
			if out[i], err = d.value(i, systems, items); errors.Is(err, metaeval.ErrUndefined) {
				out[i] = math.NaN()
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// value of the measure for a metric.
func (d *sampled) value(metric int, systems, items []int) (float64, error) {
	scores := d.on.metrics[metric]
	if !d.measure.Segments {
		return d.measure.Coefficient.of(d.means(metric, systems, items))
	}
	groups, members := systems, items
	if d.measure.byItem() {
		groups, members = items, systems
	}
	var r average
	var at []int
	for n, g := range groups {
		if d.fixed != nil {
			r.add(d.fixed[metric][g], !math.IsNaN(d.fixed[metric][g]))
			continue
		}
		for _, j := range members {
			output := g*d.on.items + j
			if d.measure.byItem() {
				output = j*d.on.items + g
			}
			if d.used[output] {
				at = append(at, output)
			}
		}
		if d.measure.together() && n < len(groups)-1 {
			continue // all systems are one group
		}
		v, err := d.measure.Coefficient.of(d.on.beside(scores, at))
		if err != nil && !errors.Is(err, metaeval.ErrUndefined) {
			return 0, err
		}
		r.add(v, err == nil)
		at = at[:0]
	}
	if r.n == 0 {
		return 0, metaeval.ErrUndefined
	}
	return r.value(), nil
}

// means returns those of a metric's and of people's scores of systems over items. A
// system for which there are none is left out.
func (d *sampled) means(number int, systems, items []int) (x, human []float64) {
	scores := d.on.metrics[number]
	for _, k := range systems {
		var metric, people average
		for _, i := range items {
			at := k*d.on.items + i
			metric.add(scores[at], d.used[at])
			if d.judgements != nil {
				people.add(d.judgements[at], !math.IsNaN(d.judgements[at]))
			}
		}
		if d.judgements == nil {
			people.add(d.on.human[k], true)
		}
		if metric.n > 0 && people.n > 0 {
			a, b := metric.value(), people.value()
			if c := d.constant[number][k]; c == c {
				a = c
			}
			if d.judgements != nil && d.constantHuman[k] == d.constantHuman[k] {
				b = d.constantHuman[k]
			}
			x, human = append(x, a), append(human, b)
		}
	}
	return x, human
}

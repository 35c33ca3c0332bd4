package significance

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/metaeval"
)

// A Coefficient of correlation, as package metaeval has them.
type Coefficient int

// Kendall is tau-b.
const (
	Pearson Coefficient = iota
	Spearman
	Kendall
)

func (c Coefficient) of(x, y []float64) (float64, error) {
	switch c {
	case Spearman:
		return metaeval.Spearman(x, y)
	case Kendall:
		return metaeval.Kendall(x, y)
	}
	return metaeval.Pearson(x, y)
}

// A Measure of how far a metric's scores agree with people's. The zero value is Pearson's
// correlation at system level. From the means by item and by system those are left out
// for which the correlation is undefined, as where all scores are equal.
//
// It is taken of the outputs that people judged, at system level of all outputs of the
// systems that they judged, less those that no metric has a score for. Where one metric
// has a score and another has not, the error wraps ErrMissing. The scores of an error
// metric are negated.
type Measure struct {
	Coefficient Coefficient
	// Segments says that scores of segments are correlated, as metaeval.SegmentLevel does.
	// Else it is the means of the systems, as metaeval.SystemLevel does.
	Segments bool
	// Grouping of the segments. At system level there is none.
	Grouping metaeval.Grouping
}

func (m Measure) check() error {
	if m.Coefficient < Pearson || m.Coefficient > Kendall {
		return fmt.Errorf("significance: there is no coefficient %d", m.Coefficient)
	}
	if m.Grouping < metaeval.NoGrouping || m.Grouping > metaeval.BySystem {
		return fmt.Errorf("significance: there is no grouping %d", m.Grouping)
	}
	if !m.Segments && m.Grouping != metaeval.NoGrouping {
		return fmt.Errorf("significance: grouping by %s is of segments, and the measure is at system level", m.Grouping)
	}
	return nil
}

// together says whether all scores of segments are one group.
func (m Measure) together() bool { return m.Segments && m.Grouping == metaeval.NoGrouping }

// byItem says whether the systems are compared on each item.
func (m Measure) byItem() bool { return m.Segments && m.Grouping == metaeval.ByItem }

// ErrMissing is returned where one metric has no score for what another has one for.
var ErrMissing = errors.New("a metric has no score")

// outputs are the scores of metrics, more is better, and of people on the same outputs.
// Those of system k are numbers k·items to (k+1)·items−1.
type outputs struct {
	systems, items int
	metrics        [][]float64
	// groups are the outputs that are correlated with each other, at system level
	// those of each system.
	groups [][]int
	// human is what people gave to each output, at system level to each system.
	human []float64
	// judgements are people's scores of outputs: of other items, perhaps, at system level.
	judgements []float64
}

// align checks that scores fit each other, and finds what is to be correlated.
func align(human *metaeval.Scores, metrics []metaeval.Metric, m Measure) (*outputs, error) {
	if len(metrics) == 0 {
		return nil, errors.New("significance: no metric")
	}
	if err := human.Check(); err != nil {
		return nil, fmt.Errorf("significance: people's scores: %w", err)
	}
	if err := metrics[0].Scores.Check(); err != nil {
		return nil, fmt.Errorf("significance: %s: %w", metrics[0].Name, err)
	}
	// Correlations do not change by a factor: scores can have any size.
	human = &metaeval.Scores{Systems: human.Systems, Items: human.Items, Values: moments.Tame(human.Values)}
	systems, items := human.Systems, metrics[0].Scores.Items
	o := &outputs{systems: len(systems), items: len(items), judgements: human.Values}
	for _, metric := range metrics {
		if err := metric.Scores.Check(); err != nil {
			return nil, fmt.Errorf("significance: %s: %w", metric.Name, err)
		}
		if !slices.Equal(metric.Scores.Systems, systems) || !slices.Equal(metric.Scores.Items, items) ||
			m.Segments && !slices.Equal(human.Items, items) {
			return nil, fmt.Errorf("significance: %s: %w", metric.Name, metaeval.ErrMismatch)
		}
		o.metrics = append(o.metrics, upward(metric))
	}
	o.human = human.Values
	groups := o.systems
	switch {
	case !m.Segments:
		o.human = human.SystemMeans()
	case m.together():
		groups = 1
	case m.byItem():
		groups = o.items
	}
	o.groups = make([][]int, groups)
	if err := o.collect(human, metrics, m); err != nil {
		return nil, err
	}
	return o, nil
}

// collect finds the outputs of each group.
func (o *outputs) collect(human *metaeval.Scores, metrics []metaeval.Metric, m Measure) error {
	systems, items := human.Systems, metrics[0].Scores.Items
	for k, system := range systems {
		for i, item := range items {
			at := k*o.items + i
			group, judgement := k, at
			switch {
			case !m.Segments:
				judgement = k
			case m.together():
				group = 0
			case m.byItem():
				group = i
			}
			if math.IsNaN(o.human[judgement]) {
				continue
			}
			has := !math.IsNaN(o.metrics[0][at])
			for metric, scores := range o.metrics {
				if !math.IsNaN(scores[at]) != has {
					without := metrics[metric]
					if !has {
						without = metrics[0]
					}
					return fmt.Errorf("significance: %w: %s for system %s on item %s", ErrMissing, without.Name, system, item)
				}
			}
			if has {
				o.groups[group] = append(o.groups[group], at)
			}
		}
	}
	return nil
}

// upward returns the scores of a metric such that more is better, times a power of two if
// they are so large or small that sums of them would be wrong.
func upward(m metaeval.Metric) []float64 {
	return metaeval.Oriented(moments.Tame(m.Scores.Values), m.LowerIsBetter)
}

// of is how far scores agree with people's.
func (m Measure) of(o *outputs, scores []float64) (float64, error) {
	if !m.Segments {
		var x, human []float64
		for k, group := range o.groups {
			if len(group) > 0 {
				x = append(x, meanOf(scores, group))
				human = append(human, o.human[k])
			}
		}
		return m.Coefficient.of(x, human)
	}
	var r average
	for _, group := range o.groups {
		v, err := m.Coefficient.of(o.beside(scores, group))
		if err != nil && (len(o.groups) == 1 || !errors.Is(err, metaeval.ErrUndefined)) {
			return 0, err
		}
		r.add(v, err == nil)
	}
	if r.n == 0 {
		return 0, fmt.Errorf("the measure is %w in each of %d groups", metaeval.ErrUndefined, len(o.groups))
	}
	return r.value(), nil
}

// beside returns a metric's and people's scores of some outputs.
func (o *outputs) beside(scores []float64, at []int) (x, human []float64) {
	x, human = make([]float64, len(at)), make([]float64, len(at))
	for i, output := range at {
		x[i], human[i] = scores[output], o.human[output]
	}
	return x, human
}

// An average is the mean of the values that exist.
type average struct {
	sum float64
	n   int
}

func (a *average) add(v float64, exists bool) {
	if exists {
		a.sum += v
		a.n++
	}
}

// value is 0 where there are none.
func (a *average) value() float64 { return a.sum / float64(max(1, a.n)) }

// meanOf is the mean of the scores in these places: of equal ones what they are, whatever
// rounding does to their sum.
func meanOf(scores []float64, at []int) float64 {
	var mean average
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range at {
		mean.add(scores[i], true)
		low, high = min(low, scores[i]), max(high, scores[i])
	}
	return moments.Within(mean.value(), low, high)
}

// standardized returns scores less their mean, in standard deviations, over the outputs
// that are correlated; 0 for others.
func (o *outputs) standardized(scores []float64) ([]float64, error) {
	used := slices.Concat(o.groups...)
	z := make([]float64, len(used))
	for i, at := range used {
		z[i] = scores[at]
	}
	if !centre(z) {
		return nil, fmt.Errorf("the measure is %w: all %d scores are equal", metaeval.ErrUndefined, len(used))
	}
	out := make([]float64, len(scores))
	scale := math.Sqrt(float64(len(used)))
	for i, at := range used {
		out[at] = z[i] * scale
	}
	return out, nil
}

// centre takes the mean off v and scales it to length 1. It returns false where all
// values are equal. Sums and differences of them must be finite.
func centre(v []float64) bool {
	if len(v) == 0 {
		return false
	}
	low, high := v[0], v[0]
	for _, x := range v {
		low, high = min(low, x), max(high, x)
	}
	if low == high {
		return false
	}
	// Of a group next to 0, among others that are not, neither the mean nor the
	// differences could be told from 0.
	if high-low < 1e-290 {
		for i := range v {
			v[i] *= 0x1p600
		}
		low, high = low*0x1p600, high*0x1p600
	}
	mean := 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	squares := 0.0
	for i := range v {
		v[i] = (v[i] - mean) / (high - low) // so that squares do not overflow
		squares += v[i] * v[i]
	}
	length := math.Sqrt(squares)
	for i := range v {
		v[i] /= length
	}
	return true
}

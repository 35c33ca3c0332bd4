// Package compare compares systems by scores of their segments alone, without people: whether
// one system's mean is better than another's by more than chance, where it is, and on which
// segments that hangs.
//
// The scores are of any metric, ours or a neural one's that another program wrote, as
// files.OpenMetricFiles reads them and files.Directions knows which are error metrics. Compare
// ranks the systems and tests all pairs of them; Buckets does it by groups of segments, which
// Words, RarestWords and Ranges make of texts;
// Decide finds the segments that decide between two systems.
//
// # Missing scores
//
// Systems are compared on the same segments: one counts for a metric only if the metric has
// scores of all systems on it. Each metric is taken alone, so that its results do not depend
// on what stands beside it.
//
// # Reproducibility
//
// Results depend on the seed, and neither on the order of the systems nor on the number of
// workers. What takes long stops when its context is cancelled, and reports to
// mteval.WithProgress.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A Test is one of those of a Pair.
type Test int

const (
	// Randomization is approximate randomization.
	Randomization Test = iota
	// Bootstrap is the paired bootstrap.
	Bootstrap
	// Student is the paired t-test.
	Student
)

// Options of Compare.
type Options struct {
	// Samples of the bootstrap and of approximate randomization; 0 is 1,000 and 10,000, as
	// sacreBLEU has them.
	Samples int
	// Seed of the generator; 0 is 12345.
	Seed uint64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
	// Test that clusters are of.
	Test Test
	// Alpha is the level at which a p-value, after Holm's adjustment, separates clusters;
	// 0 is .05.
	Alpha float64
	// Tie is how far apart two scores of a segment may be and count as equal. It is not
	// below 0. Where it is above, scores that are so far apart but for rounding tie: .8 and .7
	// do up to .1.
	Tie float64
}

func (o *Options) significance() significance.Options {
	return significance.Options{Samples: o.Samples, Seed: o.Seed, Workers: o.Workers}
}

// A Result is of one metric.
type Result struct {
	Metric        string
	LowerIsBetter bool
	// Segments is how many the systems are compared on, Missing how many are left out as
	// some system has no score.
	Segments, Missing int
	// TooFewSamples says that all systems are in one cluster whatever their scores, as the
	// least p-value of Options.Test, adjusted for so many pairs, is above Options.Alpha: the
	// bootstrap's 1,000 samples are enough for 10 systems, 10,000 are for 32. More of them
	// help, unless there are too few segments for more ways to swap.
	TooFewSamples bool
	// Systems, the best mean first; those with equal means by name.
	Systems []System
	// Pairs of systems: the first with the second, the third and so on, then the second
	// with the third.
	Pairs []Pair
}

// A System and its place among the others.
type System struct {
	Name     string
	Mean     float64
	Interval significance.Interval // of the mean, by bootstrap
	// Cluster from 1 for the best, as significance.Clusters has them.
	Cluster int
}

// A Pair of systems, A before B in the ranking. P-values are of a difference as large as
// this, either way, if the systems were equal.
type Pair struct {
	A, B int // in Result.Systems
	// Difference of the means, above 0 where A is better, for an error metric too.
	Difference float64
	// Interval of the difference, by bootstrap.
	Interval significance.Interval
	// Bootstrap, Randomization and T are the paired tests.
	Bootstrap, Randomization P
	T                        TTest
	SegmentCounts
}

// P is a p-value, as it is and as Holm adjusts it over all pairs of a metric.
type P struct{ P, Holm float64 }

// of returns a test's p-value.
func (p *Pair) of(t Test) *P {
	return []*P{&p.Randomization, &p.Bootstrap, &p.T.P}[t]
}

// Compare compares the systems of each metric. Metrics may be of different systems and
// segments. A metric with fewer than two systems or without a segment that all systems have
// scores of is an error, the latter one that wraps significance.ErrNoSegments.
//
// The p-value of the bootstrap is that of significance.PairedBootstrap, which is sacreBLEU's. It
// looks at one tail of the samples, and so is about half of what the two other tests give: of
// few segments, or of a close call, those are to be believed.
// That of approximate randomization is significance.PairedRandomization's, but that a
// difference as large as the real one counts, as it does in SciPy; and where there are no more
// ways to swap than samples, all are looked at and the p-value is exact.
func Compare(ctx context.Context, metrics []metaeval.Metric, o Options) ([]Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	out := make([]Result, len(metrics))
	for i, m := range metrics {
		within := mteval.WithProgress(ctx, func(done, total int) {
			mteval.ReportProgress(ctx, i*steps+int(int64(done)*steps/int64(total)), len(metrics)*steps)
		})
		r, err := compareOne(within, m, o)
		if err != nil {
			return nil, err
		}
		out[i] = *r
	}
	return out, nil
}

// A metric has two stages, sampling and swapping, and its progress is told in so many steps.
const stages, steps = 2, 2000

func (o *Options) check() error {
	if o.Alpha == 0 {
		o.Alpha = .05
	}
	if !(o.Alpha > 0 && o.Alpha <= 1) {
		return fmt.Errorf("compare: a level of %v: give one above 0 and at most 1", o.Alpha)
	}
	if !(o.Tie >= 0) {
		return fmt.Errorf("compare: scores that are %v apart can't be ties: give 0 or more", o.Tie)
	}
	if o.Test < Randomization || o.Test > Student {
		return fmt.Errorf("compare: there is no test %d", o.Test)
	}
	return nil
}

func compareOne(ctx context.Context, m metaeval.Metric, o Options) (*Result, error) {
	c, err := newContest(m)
	if err != nil {
		return nil, err
	}
	r := &Result{Metric: m.Name, LowerIsBetter: m.LowerIsBetter, Segments: len(c.items), Missing: len(m.Scores.Items) - len(c.items)}
	for k, name := range c.systems {
		r.Systems = append(r.Systems, System{Name: name, Mean: c.means[k]})
	}
	for a := range c.systems {
		for b := a + 1; b < len(c.systems); b++ {
			r.Pairs = append(r.Pairs, Pair{A: a, B: b, Difference: c.ahead(a, b)})
		}
	}
	if err := c.bootstrap(ctx, r, o.significance()); err != nil {
		return nil, err
	}
	if err := c.randomize(ctx, r, o); err != nil {
		return nil, err
	}
	if err := c.count(ctx, r, o); err != nil {
		return nil, err
	}
	r.TooFewSamples = c.leastP(o)*float64(len(r.Pairs)) > o.Alpha
	return r, r.conclude(o)
}

// leastP is the least p-value that Options.Test can give.
func (c *contest) leastP(o Options) float64 {
	switch o.Test {
	case Student:
		if len(c.items) == 1 {
			return 1
		}
		return 0
	case Bootstrap:
		return 1 / float64(cmp.Or(o.Samples, 1000)+1)
	}
	t := newTosses(len(c.items), o)
	if t.exact {
		return t.p(min(2, t.n)) // none swapped, and all
	}
	return t.p(0)
}

// conclude adjusts the p-values and makes the clusters.
func (r *Result) conclude(o Options) error {
	for t := Randomization; t <= Student; t++ {
		p := make([]float64, len(r.Pairs))
		for i := range p {
			p[i] = r.Pairs[i].of(t).P
		}
		holm, err := significance.Holm(p)
		if err != nil {
			return err
		}
		for i := range holm {
			r.Pairs[i].of(t).Holm = holm[i]
		}
	}
	order, better := make([]int, len(r.Systems)), make([][]float64, len(r.Systems))
	for k := range order {
		order[k] = k
		better[k] = slices.Repeat([]float64{1}, len(order))
	}
	for i := range r.Pairs {
		// Systems with equal means have an order, but none is better.
		if p := &r.Pairs[i]; p.Difference > 0 {
			better[p.A][p.B] = p.of(o.Test).Holm
		}
	}
	clusters, err := significance.Clusters(order, better, o.Alpha)
	for k := range clusters {
		r.Systems[k].Cluster = clusters[k]
	}
	return err
}

// A contest is what is compared of a metric: systems from the best to the worst, and the
// segments that all have scores of.
type contest struct {
	metaeval.Metric
	systems []string
	items   []int     // in Scores.Items
	values  []float64 // [item*len(systems)+system], as they are
	means   []float64
	sizes   []float64 // the sum of each system's scores without their signs
	most    float64   // the largest score without its sign
}

// largest is a score whose sums and squares of millions are finite.
const largest = 1e140

func newContest(m metaeval.Metric) (*contest, error) {
	if m.Scores == nil {
		return nil, fmt.Errorf("compare: metric %q has no scores", m.Name)
	}
	if err := m.Scores.Check(); err != nil {
		return nil, fmt.Errorf("compare: metric %q: %w", m.Name, err)
	}
	if len(m.Scores.Systems) < 2 {
		return nil, fmt.Errorf("compare: metric %q has scores of %d systems: two or more can be compared", m.Name, len(m.Scores.Systems))
	}
	c := &contest{Metric: m}
	if err := c.choose(); err != nil {
		return nil, err
	}
	c.rank()
	return c, nil
}

// choose finds the segments that all systems have scores of.
func (c *contest) choose() error {
	s := c.Scores
	present := make([]int, len(s.Systems))
	for i := range s.Items {
		all := true
		for k := range s.Systems {
			v := s.At(k, i)
			if math.Abs(v) > largest {
				return fmt.Errorf("compare: metric %q: the score %v of %s on segment %s is too large to be added up", c.Name, v, s.Systems[k], s.Items[i])
			}
			if math.IsNaN(v) {
				all = false
			} else {
				present[k]++
			}
		}
		if all {
			c.items = append(c.items, i)
		}
	}
	if k := slices.Index(present, 0); k >= 0 && len(s.Items) > 0 {
		return fmt.Errorf("compare: metric %q has no score of %s: leave that system out (%w)", c.Name, s.Systems[k], significance.ErrNoSegments)
	}
	if len(c.items) == 0 {
		return fmt.Errorf("compare: metric %q has no segment with scores of all systems (%w)", c.Name, significance.ErrNoSegments)
	}
	return nil
}

// rank puts the systems in order and the scores by segment.
func (c *contest) rank() {
	s, n := c.Scores, len(c.Scores.Systems)
	sums, sizes := make([]float64, n), make([]float64, n)
	for k := range n {
		for _, i := range c.items {
			v := s.At(k, i)
			sums[k] += v
			sizes[k] += math.Abs(v)
			c.most = max(c.most, math.Abs(v))
		}
	}
	order := c.order(sums, sizes)
	for _, k := range order {
		c.systems = append(c.systems, s.Systems[k])
		c.means = append(c.means, sums[k]/float64(len(c.items)))
		c.sizes = append(c.sizes, sizes[k])
	}
	c.values = make([]float64, 0, n*len(c.items))
	for _, i := range c.items {
		for _, k := range order {
			c.values = append(c.values, s.At(k, i))
		}
	}
}

// order are the systems from the best sum to the worst, those that are equal but for rounding by
// name.
func (c *contest) order(sums, sizes []float64) []int {
	order := make([]int, len(sums))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.up(sums[b]), c.up(sums[a])) })
	for lo := 0; lo < len(order); {
		first, hi := order[lo], lo+1
		for hi < len(order) && math.Abs(sums[first]-sums[order[hi]]) <= rounding(sizes[first], sizes[order[hi]]) {
			hi++
		}
		slices.SortFunc(order[lo:hi], func(a, b int) int { return cmp.Compare(c.Scores.Systems[a], c.Scores.Systems[b]) })
		lo = hi
	}
	return order
}

// rounding is how far apart two systems' sums may be that are equal before they are rounded, as
// those of .1 .2 .3 and .3 .2 .1 are.
func rounding(a, b float64) float64 { return 1e-13 * (a + b) }

// grain is how far two differences of scores may be apart by rounding: .8 and .7 are not .1 apart in
// binary.
func (c *contest) grain() float64 { return 1e-15 * c.most }

// ahead is how far the mean of one system is ahead of another's.
func (c *contest) ahead(a, b int) float64 {
	d := c.up(c.means[a] - c.means[b])
	if math.Abs(d)*float64(len(c.items)) <= rounding(c.sizes[a], c.sizes[b]) {
		return 0
	}
	return d
}

// of returns all systems' scores on an item of c.items.
func (c *contest) of(item int) []float64 {
	return c.values[item*len(c.systems) : (item+1)*len(c.systems)]
}

// up turns a difference so that better is above 0.
func (c *contest) up(difference float64) float64 {
	if c.LowerIsBetter {
		return 0 - difference // no negative 0
	}
	return difference
}

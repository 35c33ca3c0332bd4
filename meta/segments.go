package meta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// SegmentOptions are those of Segments. The zero value is WMT's threshold, all forms of
// Kendall's tau, and no grouping.
type SegmentOptions struct {
	Options
	// Threshold below which a difference of people's scores of a segment is a tie; nil is
	// metaeval.DARRThreshold. Where people gave pairs, it must be nil.
	Threshold *float64
	// Forms of Kendall's tau, each with a name of its own; none: metaeval.KendallForms.
	Forms []metaeval.KendallForm
	// Grouping of acc_eq and correlations, which need people's scores.
	Grouping metaeval.Grouping
	// Sweep has thresholds to find pairs and taus for, where people gave scores.
	Sweep []float64
}

func (o *SegmentOptions) set(people *People) error {
	if err := o.Options.set(); err != nil {
		return err
	}
	if people.Pairs != nil && (o.Threshold != nil || len(o.Sweep) > 0) {
		return errors.New("meta: thresholds make pairs of scores, and people gave pairs")
	}
	if o.Threshold == nil {
		threshold := float64(metaeval.DARRThreshold)
		o.Threshold = &threshold
	}
	if len(o.Forms) == 0 {
		o.Forms = metaeval.KendallForms()
	}
	for i, f := range o.Forms {
		if f.Name == "" {
			return fmt.Errorf("meta: form %d of Kendall's tau has no name", i+1)
		}
		if f.Accuracy == (metaeval.Matrix{}) && f.Error == (metaeval.Matrix{}) {
			return fmt.Errorf("meta: form %q of Kendall's tau counts no pair", f.Name)
		}
		if slices.ContainsFunc(o.Forms[:i], func(g metaeval.KendallForm) bool { return g.Name == f.Name }) {
			return fmt.Errorf("meta: two forms of Kendall's tau are called %q", f.Name)
		}
	}
	if o.Grouping < metaeval.NoGrouping || o.Grouping > metaeval.BySystem {
		return fmt.Errorf("meta: there is no grouping %d", o.Grouping)
	}
	return nil
}

// Segments compares metrics' scores of segments with people's scores, or with pairs that
// people gave. It takes WMT's Kendall of pairs of systems on each segment, whose intervals
// and tests are of the bootstrap over segments; and, of scores, acc_eq and correlations, of
// which Pearson's has intervals of the bootstrap over segments and is tested by PERM-BOTH
// (Deutsch et al. 2021).
//
// It ends as soon as ctx is cancelled, and reports tests to mteval.WithProgress.
func Segments(ctx context.Context, people People, metrics []Candidate, o SegmentOptions) (*Result, error) {
	if err := o.set(&people); err != nil {
		return nil, err
	}
	people, metrics, err := take(ctx, people, metrics, o.Exclude)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(metrics, func(m Candidate) bool { return m.SystemsOnly }); i >= 0 {
		return nil, fmt.Errorf("meta: %s has scores of systems, not of segments", metrics[i].Name)
	}
	j := &segments{judging: judging{options: o.Options}, o: o}
	switch {
	case people.Pairs != nil:
		err = j.takePairs(people.Pairs, metrics)
	case people.Scores != nil:
		err = j.makePairs(&people, metrics)
	default:
		err = errors.New("meta: people have scores of systems, not of segments")
	}
	if err != nil {
		return nil, err
	}
	j.warnHumans()
	j.chooseMeasures()
	if err := j.measure(ctx); err != nil {
		return nil, err
	}
	if err := j.sweep(ctx); err != nil {
		return nil, err
	}
	j.Signature = mteval.Signature{{Key: "level", Value: "segment"}}
	if j.human != nil {
		j.Signature = append(j.Signature, mteval.Field{Key: "threshold", Value: decimal.Format(*o.Threshold)}, mteval.Field{Key: "group", Value: o.Grouping.String()})
	}
	if err := j.test(ctx); err != nil {
		return nil, err
	}
	j.sortByTau()
	return &j.Result, nil
}

// segments is a judging at segment level: people's judgements and metrics' scores of the
// same outputs.
type segments struct {
	judging
	o              SegmentOptions
	systems, items []string
	// human is nil where people gave pairs.
	human   *metaeval.Scores
	pairs   []metaeval.Pair // people's ties too, by segment
	metrics []metaeval.Metric
	// byItem holds a metric's counts on each segment that has pairs.
	byItem [][]metaeval.Counts
	room   room
}

// mostAccPairs bounds the pairs that acc_eq compares, of all metrics that are calibrated at a
// time: each takes up to 32 bytes, and 10 million of them a second.
const mostAccPairs = 1 << 24

func (j *segments) chooseMeasures() {
	for _, f := range j.o.Forms {
		j.Measures = append(j.Measures, Measure{"kendall_" + f.Name, true})
	}
	if j.human == nil {
		return
	}
	if n := accPairs(j.human, j.o.Grouping); n > mostAccPairs {
		j.Warnings = append(j.Warnings, Warning{Kind: ManyPairs, Text: fmt.Sprintf(
			"no acc_eq: grouping %s compares %.0f pairs of scores, more than the %d there is room for", j.o.Grouping, n, mostAccPairs)})
	} else {
		j.Measures = append(j.Measures, Measure{"acc_eq", false}, Measure{"tau_eq", false})
	}
	for _, key := range []string{"acc_eq_0", "pearson", "spearman", "kendall", "tau_c", "pairwise_difference_pearson"} {
		j.Measures = append(j.Measures, Measure{key, key == "pearson"})
	}
}

// accPairs is how many pairs of scores acc_eq compares.
func accPairs(human *metaeval.Scores, g metaeval.Grouping) float64 {
	sizes := make(map[int]float64)
	n := len(human.Items)
	for at, v := range human.Values {
		if math.IsNaN(v) {
			continue
		}
		switch g {
		case metaeval.ByItem:
			sizes[at%n]++
		case metaeval.BySystem:
			sizes[at/n]++
		default:
			sizes[0]++
		}
	}
	pairs := 0.0
	for _, k := range sizes {
		pairs += k * (k - 1) / 2
	}
	return pairs
}

// measure finds what does not need samples.
func (j *segments) measure(ctx context.Context) error {
	j.Metrics = make([]MetricResult, len(j.metrics))
	j.byItem = make([][]metaeval.Counts, len(j.metrics))
	_, err := parallel.Await(ctx, func() (struct{}, error) {
		return struct{}{}, parallel.For(ctx, len(j.metrics), j.options.Workers, 1, func(m, _ int) error {
			j.Metrics[m] = MetricResult{Metric: j.metrics[m], Values: make(map[string]*Value), Counts: &metaeval.Counts{}}
			return j.measureMetric(ctx, m)
		})
	})
	if err != nil {
		return err
	}
	for _, m := range j.Metrics {
		if ties := m.Counts[0][1] + m.Counts[1][1] + m.Counts[2][1]; ties == j.Pairs.Ranked+j.Pairs.Ties {
			j.note("%s ties every pair: it says nothing", m.Name)
		}
	}
	return nil
}

func (j *segments) measureMetric(ctx context.Context, at int) (err error) {
	m, r := j.metrics[at], &j.Metrics[at]
	if j.byItem[at], err = countsByItem(j.pairs, m.Scores); err != nil {
		return fmt.Errorf("meta: %s: %w", m.Name, err)
	}
	for _, c := range j.byItem[at] {
		*r.Counts = r.Counts.Plus(c)
	}
	for _, form := range j.o.Forms {
		tau, err := form.Tau(*r.Counts, m.LowerIsBetter)
		if err := r.add("kendall_"+form.Name, tau, err); err != nil {
			return err
		}
	}
	if j.human == nil {
		return nil
	}
	r.Systems = m.Scores.SystemMeans()
	for _, c := range correlations {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := metaeval.SegmentLevel(j.human, m, j.o.Grouping, c.of)
		if err := r.addMean(c.key, a, err); err != nil {
			return err
		}
	}
	a, err := metaeval.PairwiseDifferencePearson(j.human, m)
	if err := r.add("pairwise_difference_pearson", a.Value, err); err != nil {
		return err
	}
	a, err = metaeval.AccEq(j.human, m, j.o.Grouping, 0)
	if err := r.addMean("acc_eq_0", a, err); err != nil {
		return err
	}
	if !slices.Contains(j.Measures, Measure{"acc_eq", false}) {
		return nil
	}
	return j.calibrate(ctx, r)
}

// calibrate finds acc_eq and tau_eq, which is 2·acc_eq − 1 and best at the same epsilon. By
// item that is calibrated for itself: rounding of the mean may prefer another of those that
// are equally good, and mt-metrics-eval's does.
func (j *segments) calibrate(ctx context.Context, r *MetricResult) error {
	n := accPairs(j.human, j.o.Grouping)
	j.room.take(n)
	defer j.room.giveBack(n)
	if err := ctx.Err(); err != nil {
		return err
	}
	epsilon, a, err := metaeval.CalibrateTies(j.human, r.Metric, j.o.Grouping)
	if err == nil {
		r.Epsilon, r.TauEpsilon = &epsilon, &epsilon
	}
	if err := r.addMean("acc_eq", a, err); err != nil {
		return err
	}
	a.Value = 2*a.Value - 1
	if j.o.Grouping == metaeval.ByItem && err == nil {
		var own float64
		if own, a, err = metaeval.CalibrateTiesTau(j.human, r.Metric, j.o.Grouping); err == nil {
			r.TauEpsilon = &own
		}
	}
	return r.addMean("tau_eq", a, err)
}

// A room bounds the pairs that are calibrated on at a time, and so their memory.
type room struct {
	mu    sync.Mutex
	less  sync.Cond
	pairs float64
}

// take waits until there is room for n pairs.
func (r *room) take(n float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.less.L = &r.mu
	for r.pairs > 0 && r.pairs+n > mostAccPairs {
		r.less.Wait()
	}
	r.pairs += n
}

func (r *room) giveBack(n float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pairs -= n
	r.less.Broadcast()
}

// countsByItem returns the counts of each segment that has pairs, which come one segment
// after the other.
func countsByItem(pairs []metaeval.Pair, scores *metaeval.Scores) ([]metaeval.Counts, error) {
	var out []metaeval.Counts
	var of []metaeval.Pair
	one := metaeval.NewScores(scores.Systems, []string{""})
	for lo := 0; lo < len(pairs); {
		item := pairs[lo].Item
		of = of[:0]
		for ; lo < len(pairs) && pairs[lo].Item == item; lo++ {
			p := pairs[lo]
			p.Item = 0
			of = append(of, p)
		}
		for k := range scores.Systems {
			one.Set(k, 0, scores.At(k, item))
		}
		c, _, err := metaeval.CountPairs(of, one, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// sweep finds the taus at other thresholds.
func (j *segments) sweep(ctx context.Context) (err error) {
	if j.human == nil || len(j.o.Sweep) == 0 {
		return nil
	}
	var metrics []metaeval.SweepMetric
	for _, m := range j.metrics {
		metrics = append(metrics, metaeval.SweepMetric{Metric: m})
	}
	j.Sweep, err = parallel.Await(ctx, func() ([]metaeval.SweepPoint, error) {
		return metaeval.Sweep(j.human, j.o.Sweep, metrics, j.o.Forms, metaeval.DARROptions{})
	})
	return err
}

// sortByTau puts the metrics in order of Kendall's tau, if it was asked for in one form.
func (j *segments) sortByTau() {
	if len(j.o.Forms) != 1 {
		return
	}
	j.sort(func(m *MetricResult) (float64, bool) {
		v, err := agreement(j.o.Forms[0], *m.Counts, m.LowerIsBetter)
		return v, err == nil
	})
}

// test finds what needs samples, and signs.
func (j *segments) test(ctx context.Context) error {
	if j.options.NoTests {
		j.sign()
		return nil
	}
	n := len(j.metrics)
	tests := n * (n - 1) / 2
	j.progress = progress{ctx: ctx, total: n + len(j.o.Forms)*tests}
	if j.human != nil {
		j.progress.total += n + tests
	}
	j.warnSamples("samples")
	if err := j.testForms(); err != nil {
		return err
	}
	fields := []mteval.Field{{Key: "interval", Value: "boot-items"}, {Key: "test-kendall", Value: "boot-items"}}
	if j.human != nil {
		measure := significance.Measure{Segments: true, Grouping: j.o.Grouping}
		if err := j.pearsonIntervals(j.human, measure, significance.SampleItems, func(*MetricResult, significance.Interval) {}); err != nil {
			return err
		}
		if err := j.compare("pearson", j.pearson, j.pearsonTest(j.human, measure)); err != nil {
			return err
		}
		fields = append(fields, mteval.Field{Key: "test-pearson", Value: "perm-both"})
	}
	j.sign(fields...)
	return nil
}

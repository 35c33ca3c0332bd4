package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// segmentScores are people's judgements and metrics' scores of the same outputs.
type segmentScores struct {
	systems, items []string
	// human is nil where people gave pairs.
	human   *metaeval.Scores
	pairs   []metaeval.Pair // people's ties too
	metrics []metaeval.Metric
	// byItem holds a metric's counts on each segment that has pairs.
	byItem [][]metaeval.Counts
}

// metaSegments compares scores of segments.
func (a *app) metaSegments(ctx context.Context, start time.Time, s *study, ms []scored) error {
	var d *segmentScores
	var err error
	if s.people.pairs != nil {
		d, err = s.givenPairs(ms)
	} else {
		d, err = s.scoredPairs(ms)
	}
	if err != nil {
		return err
	}
	s.warnHumans()
	for _, f := range s.options.forms {
		s.measures = append(s.measures, measure{"kendall_" + f.Name, f.Name, true})
	}
	if d.human != nil {
		if n := accPairs(d.human, s.options.grouping); n > mostAccPairs {
			s.warn("no acc_eq: --group %s compares %.0f pairs of scores, more than the %d there is room for; --group item has fewer", s.options.group, n, mostAccPairs)
		} else {
			s.measures = append(s.measures, measure{"acc_eq", "acc_eq", false})
		}
		s.measures = append(s.measures, measure{"pearson", "Pearson", true}, measure{"spearman", "Spearman", false}, measure{"kendall", "tau-b", false})
	}
	s.metrics = make([]*studied, len(d.metrics))
	d.byItem = make([][]metaeval.Counts, len(d.metrics))
	_, err = await(ctx, func() (struct{}, error) {
		return struct{}{}, parallel.For(ctx, len(d.metrics), 0, 1, func(m, _ int) (err error) {
			s.metrics[m], d.byItem[m], err = s.segmentMetric(d, d.metrics[m])
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, m := range s.metrics {
		if ties := m.counts[0][1] + m.counts[1][1] + m.counts[2][1]; ties == s.pairs.ranked+s.pairs.ties {
			s.warn("%s ties every pair: it says nothing", m.Name)
		}
	}
	if d.human != nil && len(s.options.sweep) > 0 {
		s.sweep, err = await(ctx, func() ([]metaeval.SweepPoint, error) {
			var metrics []metaeval.SweepMetric
			for _, m := range d.metrics {
				metrics = append(metrics, metaeval.SweepMetric{Metric: m})
			}
			return metaeval.Sweep(d.human, s.options.sweep, metrics, s.options.forms, metaeval.DARROptions{})
		})
		if err != nil {
			return err
		}
	}
	s.tests = mteval.Signature{{Key: "level", Value: "segment"}}
	if d.human != nil {
		s.tests = append(s.tests, mteval.Field{Key: "threshold", Value: mteval.FormatFloat(s.options.threshold)}, mteval.Field{Key: "group", Value: s.options.group})
	}
	if s.options.samples == 0 {
		s.signature()
		s.sortByTau()
		return nil
	}
	s.warnSamples("samples")
	if err := a.testForms(ctx, start, s, d); err != nil {
		return err
	}
	fields := []mteval.Field{{Key: "interval", Value: "boot-items"}, {Key: "test-kendall", Value: "boot-items"}}
	if d.human != nil {
		if err := a.testPearson(ctx, start, s, d); err != nil {
			return err
		}
		fields = append(fields, mteval.Field{Key: "test-pearson", Value: "perm-both"})
	}
	s.signature(fields...)
	s.sortByTau()
	return nil
}

// scoredPairs makes pairs of scores of segments.
func (s *study) scoredPairs(ms []scored) (*segmentScores, error) {
	p := s.people
	d := &segmentScores{systems: p.scores.Systems, items: p.scores.Items, human: p.scores}
	judged := present(d.human)
	n := len(d.items)
	metrics, lost, all, err := align(ms, d.systems, d.items, func(system, item int) bool { return !math.IsNaN(d.human.At(system, item)) })
	if err != nil {
		return nil, err
	}
	if all == judged {
		return nil, notTheSame(p.scores, ms)
	}
	d.metrics = metrics
	s.warnLost("outputs", ms, lost, all, judged)
	known := p.judgements
	for at := range d.human.Values {
		if math.IsNaN(d.metrics[0].Scores.Values[at]) {
			d.human.Values[at] = math.NaN()
		}
		if known != nil && math.IsNaN(d.human.Values[at]) {
			known.Values[at] = math.NaN()
		}
	}
	if known != nil {
		j, err := metaeval.CountJudgements(known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
		if w := j.Warning(); w != "" {
			s.warn("%s", w)
		}
	}
	r, err := metaeval.DARR(d.human, s.options.threshold, metaeval.DARROptions{KeepTies: true})
	if err != nil {
		return nil, err
	}
	d.pairs = r.Pairs
	if len(d.pairs) == 0 {
		return nil, fmt.Errorf("%s: no two systems have scores of the same segment", p.path)
	}
	if r.Ranked == 0 {
		s.warn("no two scores of a segment differ by %v or more: give a --threshold that suits their scale", s.options.threshold)
	}
	s.pairs = &pairCount{ranked: r.Ranked, ties: r.Ties, threshold: &s.options.threshold}
	s.systems, s.human = d.systems, d.human.SystemMeans()
	s.humanAxis = "people's mean score"
	if p.column != "" {
		s.humanAxis += " (" + p.column + ")"
	}
	s.warnUnpaired(d)
	alone := 0
	for i := range n {
		has := 0
		for k := range d.systems {
			if !math.IsNaN(d.human.At(k, i)) {
				has++
			}
		}
		if has < 2 {
			alone++
		}
	}
	if alone > 0 {
		s.warn("%d of %d segments have scores of fewer than two systems, and so no pairs", alone, n)
	}
	return d, nil
}

// notTheSame is the error for scores of which none is of what people judged.
func notTheSame(human *metaeval.Scores, ms []scored) error {
	for _, m := range ms {
		scores, err := m.scores.Select(human.Systems, human.Items)
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		if present(scores) == 0 {
			return fmt.Errorf("%s has no score of what people judged: theirs is such as system %s, segment %s, and %s's system %s, segment %s",
				m.path, human.Systems[0], human.Items[0], m.name, m.scores.Systems[0], m.scores.Items[0])
		}
	}
	return errors.New("no output that people judged has scores by every metric")
}

// givenPairs takes people's pairs.
func (s *study) givenPairs(ms []scored) (*segmentScores, error) {
	p := s.people.pairs
	if s.options.set.Changed("threshold") || len(s.options.sweep) > 0 {
		return nil, errors.New("--threshold and --sweep make pairs of scores, and people gave pairs")
	}
	if s.options.set.Changed("group") {
		return nil, errors.New("--group is of correlations, which need people's scores, and people gave pairs")
	}
	d := &segmentScores{systems: p.Systems, items: p.Items}
	var out []scored
	for _, m := range ms {
		scores, err := m.scores.Select(p.Systems, p.Items)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.path, err)
		}
		d.metrics = append(d.metrics, m.metric(scores))
		m.scores = scores
		out = append(out, m)
	}
	lost := make([]int, len(out))
	all := 0
	s.pairs = &pairCount{}
	for _, c := range p.Pairs {
		some := false
		for m := range out {
			if math.IsNaN(out[m].scores.At(c.A, c.Item)) || math.IsNaN(out[m].scores.At(c.B, c.Item)) {
				lost[m]++
				some = true
			}
		}
		if some {
			all++
			continue
		}
		d.pairs = append(d.pairs, c)
		if c.Human == 0 {
			s.pairs.ties++
		} else {
			s.pairs.ranked++
		}
	}
	if len(d.pairs) == 0 {
		return nil, fmt.Errorf("no pair of people's has scores by every metric: theirs is such as system %s, segment %s, and %s's system %s, segment %s",
			p.Systems[0], p.Items[0], ms[0].name, ms[0].scores.Systems[0], ms[0].scores.Items[0])
	}
	s.warnLost("pairs", ms, lost, all, len(p.Pairs))
	// By segment, for counts by segment.
	slices.SortStableFunc(d.pairs, func(a, b metaeval.Pair) int { return a.Item - b.Item })
	in := make([]bool, len(p.Systems))
	for _, c := range d.pairs {
		in[c.A], in[c.B] = true, true
	}
	for k, name := range p.Systems {
		if in[k] {
			s.systems = append(s.systems, name)
		}
	}
	s.warnUnpaired(d)
	return d, nil
}

// warnUnpaired says which systems people did not compare.
func (s *study) warnUnpaired(d *segmentScores) {
	at := make(map[string]int)
	for k, name := range d.systems {
		at[name] = k
	}
	compared := make(map[[2]int]bool)
	for _, p := range d.pairs {
		compared[[2]int{min(p.A, p.B), max(p.A, p.B)}] = true
	}
	var missing []string
	all := 0
	for i, a := range s.systems {
		for _, b := range s.systems[i+1:] {
			all++
			if x, y := at[a], at[b]; !compared[[2]int{min(x, y), max(x, y)}] {
				missing = append(missing, a+" and "+b)
			}
		}
	}
	if len(missing) > 0 {
		s.warn("%d of %d pairs of systems have no segment on which both were judged: %s", len(missing), all, few(missing))
	}
}

// mostAccPairs bounds the pairs that acc_eq compares, as each takes up to 64 bytes for its
// calibration.
const mostAccPairs = 1 << 24

// segmentMetric finds what does not need samples.
func (s *study) segmentMetric(d *segmentScores, m metaeval.Metric) (*studied, []metaeval.Counts, error) {
	f := &studied{Metric: m, found: make(map[string]*finding), counts: &metaeval.Counts{}}
	byItem, err := countsByItem(d.pairs, m.Scores)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	for _, c := range byItem {
		*f.counts = f.counts.Plus(c)
	}
	for _, form := range s.options.forms {
		tau, err := form.Tau(*f.counts, m.LowerIsBetter)
		if err := f.find("kendall_"+form.Name, tau, err); err != nil {
			return nil, nil, err
		}
	}
	if d.human == nil {
		return f, byItem, nil
	}
	f.systems = m.Scores.SystemMeans()
	for key, correlation := range map[string]metaeval.Correlation{"pearson": metaeval.Pearson, "spearman": metaeval.Spearman, "kendall": metaeval.Kendall} {
		r, err := metaeval.SegmentLevel(d.human, m, s.options.grouping, correlation)
		if err := f.find(key, r.Value, err); err != nil {
			return nil, nil, err
		}
	}
	if !slices.ContainsFunc(s.measures, func(m measure) bool { return m.key == "acc_eq" }) {
		return f, byItem, nil
	}
	epsilon, r, err := metaeval.CalibrateTies(d.human, m, s.options.grouping)
	if err == nil {
		f.epsilon = &epsilon
	}
	return f, byItem, f.find("acc_eq", r.Value, err)
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

// agreement is tau such that more is better, for error metrics too.
func agreement(f metaeval.KendallForm, c metaeval.Counts, lower bool) (float64, error) {
	if lower {
		c = c.Negated()
	}
	return f.Tau(c, false)
}

// testForms finds intervals and clusters of Kendall's tau, by the bootstrap over
// segments.
func (a *app) testForms(ctx context.Context, start time.Time, s *study, d *segmentScores) error {
	forms := s.options.forms
	boot, done := a.withProgress(ctx, start, "bootstrap")
	defer done()
	samples, err := significance.Resample(boot, len(d.byItem[0]), s.options.significance(), len(d.metrics)*len(forms), func(draws []uint32, out []float64) error {
		for m, counts := range d.byItem {
			var sum metaeval.Counts
			for _, i := range draws {
				for h, row := range &counts[i] {
					for k, n := range row {
						sum[h][k] += n
					}
				}
			}
			for f, form := range forms {
				tau, err := agreement(form, sum, d.metrics[m].LowerIsBetter)
				if errors.Is(err, metaeval.ErrUndefined) {
					tau = math.NaN()
				} else if err != nil {
					return err
				}
				out[m*len(forms)+f] = tau
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for f, form := range forms {
		key := "kendall_" + form.Name
		// Of the metrics that have a tau, and the samples on which all of these have.
		var in []int
		place := make([]int, len(s.metrics))
		of := &significance.Agreements{}
		var rows [][]float64
		for m, x := range s.metrics {
			if x.found[key] == nil {
				continue
			}
			place[m] = len(in)
			in = append(in, m)
			v, err := agreement(form, *x.counts, x.LowerIsBetter)
			if err != nil {
				return err
			}
			of.Values = append(of.Values, v)
			rows = append(rows, samples[m*len(forms)+f])
		}
		of.Samples = make([][]float64, len(rows))
		for i := range s.options.samples {
			if slices.ContainsFunc(rows, func(r []float64) bool { return math.IsNaN(r[i]) }) {
				of.Undefined++
				continue
			}
			for k, r := range rows {
				of.Samples[k] = append(of.Samples[k], r[i])
			}
		}
		if len(in) == 0 || len(of.Samples[0]) == 0 {
			continue
		}
		// Table 5 is negative where an error metric agrees.
		turned := form.Error != form.Accuracy.Negated()
		for k, m := range in {
			x, interval := s.metrics[m], of.Interval(k)
			if f == 0 {
				s.warnDirection(x, interval)
			}
			if x.LowerIsBetter && turned {
				interval = significance.Interval{Mean: -interval.Mean, Low: -interval.High, High: -interval.Low}
			}
			x.found[key].interval = &interval
		}
		err := s.compare(ctx, key, func(m int) float64 { return of.Values[place[m]] }, func(_ context.Context, x, y int) (float64, error) {
			_, _, p := of.Difference(place[x], place[y])
			return p, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sortByTau puts the metrics in order of Kendall's tau, if it was asked for in one form.
func (s *study) sortByTau() {
	if len(s.options.forms) == 1 {
		s.sort(func(m *studied) (float64, bool) {
			v, err := agreement(s.options.forms[0], *m.counts, m.LowerIsBetter)
			return v, err == nil
		})
	}
}

// testPearson finds intervals and clusters of Pearson's correlation.
func (a *app) testPearson(ctx context.Context, start time.Time, s *study, d *segmentScores) error {
	level := map[metaeval.Grouping]significance.Level{
		metaeval.NoGrouping: significance.Segment, metaeval.ByItem: significance.SegmentByItem, metaeval.BySystem: significance.SegmentBySystem,
	}[s.options.grouping]
	err := a.pearsonIntervals(ctx, start, s, d.human, level, significance.SampleItems, func(*studied, significance.Interval) {})
	if err != nil {
		return err
	}
	ctx, done := a.withProgress(ctx, start, "tests")
	defer done()
	return s.compare(ctx, "pearson", s.pearson, func(ctx context.Context, x, y int) (float64, error) {
		t, err := significance.PermutationTest(ctx, d.human, s.metrics[x].Metric, s.metrics[y].Metric,
			significance.Measure{Level: level}, significance.SwapOutputs, s.options.significance())
		return t.P, err
	})
}

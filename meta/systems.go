package meta

import (
	"context"
	"errors"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// SystemOptions are those of Systems. The zero value keeps all systems.
type SystemOptions struct {
	Options
	// Outliers leaves out systems whose score by people is one (Mathur et al. 2020).
	Outliers bool
}

// Systems compares metrics' scores of systems with people's: with people.Systems, or the
// means of people.Scores, or the expected wins in people.Pairs. A metric's are the means of
// its segments', where people's are too of the outputs that people judged. Two systems at
// least must have scores by people and by every metric.
//
// Pearson's correlation has intervals of bootstrap samples of systems and segments, and is
// tested by PERM-BOTH (Deutsch et al. 2021); where a metric has scores of systems only, the
// samples are of systems, and the test is Williams'.
//
// An error that wraps metaeval.ErrUndefined says that a system has no expected wins. Tests
// end as soon as ctx is cancelled, and are reported to mteval.WithProgress.
func Systems(ctx context.Context, people People, metrics []Candidate, o SystemOptions) (*Result, error) {
	if err := o.set(); err != nil {
		return nil, err
	}
	people, metrics, err := take(ctx, people, metrics, o.Exclude)
	if err != nil {
		return nil, err
	}
	j := &systems{judging: judging{options: o.Options}, people: &people, given: metrics}
	if err := j.choose(o.Outliers); err != nil {
		return nil, err
	}
	aligned, err := j.align()
	if err != nil {
		return nil, err
	}
	j.Human = j.scores.SystemMeans()
	if err := j.measure(aligned); err != nil {
		return nil, err
	}
	j.sort(func(m *MetricResult) (float64, bool) {
		v := m.Values["pearson"]
		if v == nil {
			return 0, false
		}
		return v.Value, true
	})
	j.Signature = mteval.Signature{{Key: "level", Value: "system"}}
	if o.NoTests {
		j.progress = progress{ctx: ctx, total: len(j.Metrics) + 1}
		if err := j.softAccuracy(); err != nil {
			return nil, err
		}
		j.sign()
		return &j.Result, nil
	}
	if err := j.test(ctx); err != nil {
		return nil, err
	}
	return &j.Result, nil
}

// systems is a judging at system level.
type systems struct {
	judging
	people *People
	given  []Candidate
	scores *metaeval.Scores // people's, of Systems
	// segmental says that all metrics have scores of the same segments; else each has one
	// item, its mean.
	segmental bool
}

// byMeans says whether people's scores of systems are means of segments'.
func (j *systems) byMeans() bool { return j.people.Systems == nil && j.people.Scores != nil }

// measure finds what needs no samples.
func (j *systems) measure(metrics []metaeval.Metric) error {
	j.Measures = []Measure{{"pearson", true}, {"spearman", false}, {"kendall", false}, {"tau_c", false}, {"pairwise_accuracy", false}}
	for _, m := range metrics {
		r := MetricResult{Metric: m, Values: make(map[string]*Value), Systems: m.Scores.SystemMeans()}
		if err := j.correlate(&r); err != nil {
			return err
		}
		accuracy, err := metaeval.PairwiseAccuracy(j.scores, m, nil)
		if err != nil {
			return err
		}
		r.Accuracy = &accuracy
		v, err := accuracy.Value()
		if err := r.add("pairwise_accuracy", v, err); err != nil {
			return err
		}
		if slices.Min(r.Systems) == slices.Max(r.Systems) {
			j.note("%s gives every system the same score, which says nothing", m.Name)
		}
		j.Metrics = append(j.Metrics, r)
	}
	return nil
}

// correlate finds a metric's correlations, and how probable they are by chance.
func (j *systems) correlate(r *MetricResult) error {
	for _, c := range correlations {
		a, err := metaeval.SystemLevel(j.scores, r.Metric, c.of)
		if err := r.add(c.key, a.Value, err); err != nil {
			return err
		}
		v := r.Values[c.key]
		if v == nil {
			continue
		}
		t, err := c.test(j.Human, metaeval.Oriented(r.Systems, r.LowerIsBetter))
		switch {
		case err == nil:
			v.P = &t.P
		case !errors.Is(err, metaeval.ErrUndefined):
			return err
		}
	}
	return nil
}

// test finds what needs samples.
func (j *systems) test(ctx context.Context) error {
	n := len(j.Metrics)
	j.progress = progress{ctx: ctx, total: 2*n + 1 + n*(n-1)/2}
	if err := j.softAccuracy(); err != nil {
		return err
	}
	sampling, interval, name := significance.SampleSystems, "boot-systems", "williams"
	if j.segmental {
		sampling, interval, name = significance.SampleBoth, "boot-both", "perm-both"
		j.warnSamples("permutations")
	}
	var measure significance.Measure
	if err := j.pearsonIntervals(j.scores, measure, sampling, j.warnDirection); err != nil {
		return err
	}
	test := j.pearsonTest(j.scores, measure)
	if !j.segmental {
		test = j.williams
	}
	if err := j.compare("pearson", j.pearson, test); err != nil {
		return err
	}
	j.sign(mteval.Field{Key: "interval", Value: interval}, mteval.Field{Key: "test", Value: name})
	return nil
}

// williams is Williams' test of two metrics' correlations.
func (j *systems) williams(_ context.Context, x, y int) (float64, error) {
	mx, my := j.Metrics[x], j.Metrics[y]
	rxy, err := metaeval.Pearson(metaeval.Oriented(mx.Systems, mx.LowerIsBetter), metaeval.Oriented(my.Systems, my.LowerIsBetter))
	if err != nil {
		return 0, err
	}
	t, err := significance.Williams(j.pearson(x), j.pearson(y), rxy, len(j.Systems))
	return t.P, err
}

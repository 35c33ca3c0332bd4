package meta

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A pairTest returns the two-sided p-value of the difference of metrics x and y.
type pairTest func(ctx context.Context, x, y int) (float64, error)

// compare tests the metrics that have a measure against each other, all pairs, and finds
// the clusters. Agreement is the metric's value such that more is better.
func (j *judging) compare(key string, agreement func(m int) float64, test pairTest) error {
	var in []int
	for m := range j.Metrics {
		if j.Metrics[m].Values[key] != nil {
			in = append(in, m)
		}
	}
	tests := len(in) * (len(in) - 1) / 2
	ctx := j.progress.next(len(j.Metrics) * (len(j.Metrics) - 1) / 2)
	var cs []Comparison
	var p []float64
	for b := range in {
		for a := range b {
			x, y := in[a], in[b]
			at := len(p)
			one := mteval.WithProgress(ctx, func(done, total int) { mteval.ReportProgress(ctx, at*total+done, tests*total) })
			v, err := test(one, x, y)
			if errors.Is(err, metaeval.ErrUndefined) {
				v, err = 1, nil // they can't be told apart
			}
			if err != nil {
				return err
			}
			p = append(p, v)
			mteval.ReportProgress(ctx, len(p), tests)
			cs = append(cs, Comparison{Measure: key, X: j.Metrics[x].Name, Y: j.Metrics[y].Name, Difference: agreement(x) - agreement(y), P: v})
		}
	}
	adjusted, err := significance.Holm(p)
	if err != nil {
		return err
	}
	for i := range cs {
		cs[i].Adjusted = adjusted[i]
	}
	j.Comparisons = append(j.Comparisons, cs...)
	return j.cluster(key, in, agreement, adjusted)
}

// cluster finds the clusters of some of the metrics, of which p has the p-values of all
// pairs, each metric with those before it.
func (j *judging) cluster(key string, in []int, agreement func(m int) float64, p []float64) error {
	better := make([][]float64, len(in))
	for a := range better {
		better[a] = make([]float64, len(in))
	}
	order := make([]int, len(in))
	for b := range in {
		order[b] = b
		for a := range b {
			better[a][b], better[b][a] = p[0], p[0]
			p = p[1:]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(agreement(in[b]), agreement(in[a])) })
	clusters, err := significance.RankClusters(order, better, j.options.Alpha)
	if err != nil {
		return err
	}
	for i, m := range in {
		j.Metrics[m].Values[key].Cluster = clusters[i]
	}
	return nil
}

// pearson is a metric's correlation.
func (j *judging) pearson(m int) float64 { return j.Metrics[m].Values["pearson"].Value }

// pearsonIntervals finds the intervals of Pearson's correlation, of the metrics that have
// one, and calls do with each.
func (j *judging) pearsonIntervals(people *metaeval.Scores, measure significance.Measure, sampling significance.Sampling, do func(*MetricResult, significance.Interval)) error {
	ctx := j.progress.next(len(j.Metrics))
	var defined []*MetricResult
	var metrics []metaeval.Metric
	for i := range j.Metrics {
		if m := &j.Metrics[i]; m.Values["pearson"] != nil {
			defined, metrics = append(defined, m), append(metrics, m.Metric)
		}
	}
	if len(metrics) == 0 {
		return nil
	}
	agreements, err := significance.BootstrapAgreement(ctx, people, metrics, measure, sampling, j.options.significance())
	if errors.Is(err, metaeval.ErrUndefined) { // on each of the samples
		return nil
	}
	if err != nil {
		return err
	}
	for i, m := range defined {
		in := agreements.Interval(i)
		m.Values["pearson"].Interval = &in
		do(m, in)
	}
	return nil
}

// pearsonTest is PERM-BOTH of Pearson's correlation.
func (j *judging) pearsonTest(people *metaeval.Scores, measure significance.Measure) pairTest {
	return func(ctx context.Context, x, y int) (float64, error) {
		d, err := significance.PermutationTest(ctx, people, j.Metrics[x].Metric, j.Metrics[y].Metric, measure, significance.SwapOutputs, j.options.significance())
		return d.P, err
	}
}

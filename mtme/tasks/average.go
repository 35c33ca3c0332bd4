package tasks

import (
	"cmp"
	"context"
	"slices"
)

// average takes that of the metrics which all tasks have.
func (r *Result) average(ctx context.Context, o *Options) error {
	// Their places in each task.
	var places [][]int
	for _, m := range r.Tasks[0].Metrics {
		a, at := Average{Metric: m.Metric}, make([]int, len(r.Tasks))
		for i, t := range r.Tasks {
			at[i] = slices.IndexFunc(t.Metrics, func(v Value) bool { return v.Metric == m.Metric })
			if at[i] >= 0 {
				a.Average += t.Weight * t.Task.Measure.share(t.Metrics[at[i]].Value)
				a.MeanRank += t.Weight * float64(t.Metrics[at[i]].Rank)
			}
		}
		if !slices.Contains(at, -1) {
			r.Metrics, places = append(r.Metrics, a), append(places, at)
		}
	}
	order := make([]int, len(r.Metrics))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Metrics[b].Average, r.Metrics[a].Average) })
	metrics, sorted := make([]Average, len(order)), make([][]int, len(order))
	for i, from := range order {
		metrics[i], sorted[i] = r.Metrics[from], places[from]
	}
	r.Metrics = metrics
	if slices.ContainsFunc(r.Tasks, func(t TaskResult) bool { return t.P == nil }) {
		for i := range r.Metrics {
			r.Metrics[i].MeanRank = 0
		}
		return nil
	}
	return r.testAverages(ctx, sorted, o)
}

// testAverages tests the differences of averages by the permutations of the tasks: those of a
// task that stopped before others are taken again from the first.
func (r *Result) testAverages(ctx context.Context, places [][]int, o *Options) error {
	n := len(r.Metrics)
	r.P = square[float64](n)
	for a := range n {
		for b := a + 1; b < n; b++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			sums := r.swapped(places[a], places[b])
			hits := 0
			for _, d := range sums {
				if d >= r.Metrics[a].Average-r.Metrics[b].Average {
					hits++
				}
			}
			r.P[a][b] = float64(hits) / float64(len(sums))
		}
	}
	all, err := ranks(r.P, o.alpha())
	for i, rank := range all {
		r.Metrics[i].Rank = rank
	}
	return err
}

// swapped returns the differences of the averages of two metrics, with their scores swapped.
func (r *Result) swapped(a, b []int) []float64 {
	most := 0
	for i, t := range r.Tasks {
		most = max(most, t.Permutations[min(a[i], b[i])][max(a[i], b[i])])
	}
	sums := make([]float64, most)
	for i, t := range r.Tasks {
		draws, weight := t.draws[min(a[i], b[i])][max(a[i], b[i])], t.Weight
		if a[i] > b[i] {
			weight = -weight
		}
		for k := range sums {
			sums[k] += weight * draws[k%len(draws)]
		}
	}
	return sums
}

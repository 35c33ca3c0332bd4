package tasks

import (
	"math"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/metaeval"
)

// A sample is what the coins of a test are tossed for, in the order of mt-metrics-eval.
type sample struct {
	human   []float64
	ends    []int // of groups that are compared apart
	metrics [][]float64
}

// newSample puts the scores of metrics, by name in each comparison, one after the other.
func newSample(all []*comparison, g metaeval.Grouping, names []string) *sample {
	s := &sample{metrics: make([][]float64, len(names))}
	for _, c := range all {
		order, ends := inOrder(c.human, g)
		before := len(s.human)
		for _, at := range order {
			s.human = append(s.human, c.human.Values[at])
		}
		for _, end := range ends {
			s.ends = append(s.ends, before+end)
		}
		for k, name := range names {
			values := c.metric(name).Scores.Values
			for _, at := range order {
				s.metrics[k] = append(s.metrics[k], values[at])
			}
		}
	}
	return s
}

// inOrder returns where the scores that people gave stand, by group, and where groups end.
func inOrder(human *metaeval.Scores, g metaeval.Grouping) (order, ends []int) {
	n := len(human.Items)
	add := func(at int) {
		if !math.IsNaN(human.Values[at]) {
			order = append(order, at)
		}
	}
	if g == metaeval.ByItem {
		for i := range n {
			for k := range human.Systems {
				add(k*n + i)
			}
			ends = append(ends, len(order))
		}
		return order, ends
	}
	for k := range human.Systems {
		for i := range n {
			add(k*n + i)
		}
		if g == metaeval.BySystem {
			ends = append(ends, len(order))
		}
	}
	if g == metaeval.NoGrouping {
		ends = append(ends, len(order))
	}
	return order, ends
}

func (c *comparison) metric(name string) metaeval.Metric {
	for _, m := range c.metrics {
		if m.Name == name {
			return m
		}
	}
	return metaeval.Metric{}
}

// standardized returns scores of mean 0 and variance 1, zeros for equal ones.
func standardized(x []float64) []float64 {
	x = moments.Tame(x)
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	variance /= float64(len(x))
	out := make([]float64, len(x))
	if variance == 0 {
		return out
	}
	for i, v := range x {
		out[i] = (v - mean) / math.Sqrt(variance)
	}
	return out
}

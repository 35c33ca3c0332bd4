package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A study is what meta finds.
type study struct {
	options *metaOptions
	people  *people
	// systems that are compared, and people's scores of them, NaN where there is none.
	systems []string
	human   []float64
	// humanAxis says what these are.
	humanAxis string
	pairs     *pairCount // at segment level
	measures  []measure
	metrics   []*studied
	// comparisons of metrics, by measure.
	comparisons []comparison
	sweep       []metaeval.SweepPoint
	tests       mteval.Signature
	warnings    []string
}

// pairCount is how many pairs there are: such that people ranked, and ties.
type pairCount struct {
	ranked, ties int64
	// threshold below which a difference is a tie; nil: the pairs were given.
	threshold *float64
}

// A measure of agreement with people.
type measure struct {
	key   string // in JSON and TSV
	title string
	// tested: it has intervals and clusters, if there are samples.
	tested bool
}

// studied is what was found of a metric.
type studied struct {
	metaeval.Metric
	found map[string]*finding // by the key of the measure; nil: it is undefined
	// systems has its scores of the systems.
	systems  []float64
	accuracy *metaeval.PairAccuracy
	counts   *metaeval.Counts
	epsilon  *float64
}

type finding struct {
	value    float64
	interval *significance.Interval
	cluster  int // 0: not tested
}

// comparison of metrics x and y by a measure. P is two-sided, adjusted that for all pairs
// of metrics.
type comparison struct {
	measure, x, y           string
	difference, p, adjusted float64
}

func (s *study) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// find notes a value, unless it is undefined.
func (m *studied) find(key string, v float64, err error) error {
	switch {
	case err == nil:
		m.found[key] = &finding{value: v}
	case !errors.Is(err, metaeval.ErrUndefined):
		return err
	}
	return nil
}

// compare tests the metrics that have a measure against each other, all pairs, and finds
// the clusters. Agreement is the metric's value such that more is better, and test
// returns the two-sided p-value of two of the metrics.
func (s *study) compare(ctx context.Context, key string, agreement func(m int) float64, test func(ctx context.Context, x, y int) (float64, error)) error {
	var in []int
	for m := range s.metrics {
		if s.metrics[m].found[key] != nil {
			in = append(in, m)
		}
	}
	tests := len(in) * (len(in) - 1) / 2
	var cs []comparison
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
			cs = append(cs, comparison{measure: key, x: s.metrics[x].Name, y: s.metrics[y].Name, difference: agreement(x) - agreement(y), p: v})
		}
	}
	adjusted, err := significance.Holm(p)
	if err != nil {
		return err
	}
	better := make([][]float64, len(in))
	for a := range better {
		better[a] = make([]float64, len(in))
	}
	order := make([]int, len(in))
	at := 0
	for b := range in {
		order[b] = b
		for a := range b {
			cs[at].adjusted = adjusted[at]
			better[a][b], better[b][a] = adjusted[at], adjusted[at]
			at++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(agreement(in[b]), agreement(in[a])) })
	clusters, err := significance.RankClusters(order, better, s.options.alpha)
	if err != nil {
		return err
	}
	for i, m := range in {
		s.metrics[m].found[key].cluster = clusters[i]
	}
	s.comparisons = append(s.comparisons, cs...)
	return nil
}

// warnSamples says if no difference can be significant.
func (s *study) warnSamples(what string) {
	n := len(s.metrics)
	tests := n * (n - 1) / 2
	if least := float64(tests) / float64(s.options.samples+1); least > s.options.alpha {
		s.warn("%d %s are too few: after Holm's correction for %d pairs of metrics no difference can be significant at %v; --samples %v would do",
			s.options.samples, what, tests, s.options.alpha, math.Ceil(float64(tests)/s.options.alpha))
	}
}

// warnDirection says if a metric looks as if it had the other direction than it was said to
// have, by the interval of its agreement.
func (s *study) warnDirection(m *studied, agreement significance.Interval) {
	switch {
	case agreement.High >= 0:
	case m.LowerIsBetter:
		s.warn("%s is high where people's scores are high, but was said to be an error metric: --lower-is-better %s", m.Name, m.Name)
	default:
		s.warn("%s is high where people's scores are low: if less is better, --lower-is-better %s", m.Name, m.Name)
	}
}

// warnHumans says which systems look like human translations.
func (s *study) warnHumans() {
	var names []string
	for _, name := range s.systems {
		if metaeval.IsHuman(name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		s.warn("%s: human translations, by their names, which WMT leaves out: --exclude 'Human*'", few(names))
	}
}

// sort puts the metrics in order of a measure, best first, those without it last.
func (s *study) sort(value func(*studied) (float64, bool)) {
	slices.SortStableFunc(s.metrics, func(a, b *studied) int {
		x, okX := value(a)
		y, okY := value(b)
		switch {
		case okX && okY:
			return cmp.Compare(y, x)
		case okX:
			return -1
		case okY:
			return 1
		}
		return 0
	})
}

// signature tells the options of the tests.
func (s *study) signature(fields ...mteval.Field) {
	s.tests = append(s.tests, fields...)
	if s.options.samples > 0 {
		s.tests = append(s.tests,
			mteval.Field{Key: "samples", Value: strconv.Itoa(s.options.samples)},
			mteval.Field{Key: "seed", Value: strconv.FormatUint(s.options.seed, 10)},
			mteval.Field{Key: "correction", Value: "holm"},
			mteval.Field{Key: "alpha", Value: mteval.FormatFloat(s.options.alpha)})
	}
	s.tests = append(s.tests, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}

// few lists names, but not too many of them.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// align brings metrics' scores into the order of the systems and of the items. What one
// has no score for is made missing for all, of what is judged: lost is how many of the
// judged ones have no score by each metric, and all how many by any.
func align(ms []scored, systems, items []string, judged func(system, item int) bool) (out []metaeval.Metric, lost []int, all int, err error) {
	for _, m := range ms {
		scores, err := m.scores.Select(systems, items)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s: %w", m.path, err)
		}
		out = append(out, m.metric(scores))
	}
	lost = make([]int, len(ms))
	n := len(items)
	for at := range len(systems) * n {
		some := false
		for m := range out {
			if math.IsNaN(out[m].Scores.Values[at]) && judged(at/n, at%n) {
				lost[m]++
				some = true
			}
		}
		if some {
			all++
			for m := range out {
				out[m].Scores.Values[at] = math.NaN()
			}
		}
	}
	return out, lost, all, nil
}

// warnLost says how much was left out for all metrics.
func (s *study) warnLost(what string, ms []scored, lost []int, all, judged int) {
	if all == 0 {
		return
	}
	var by []string
	for m, n := range lost {
		if n > 0 {
			by = append(by, fmt.Sprintf("%s %d", ms[m].name, n))
		}
	}
	s.warn("%d of %d %s have no score by some metric (%s): left out for all metrics", all, judged, what, few(by))
}

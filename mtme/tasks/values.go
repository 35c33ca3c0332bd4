package tasks

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
)

// values computes those of a task, and returns what its tests are of, nil if it has none.
func (r *reader) values(ctx context.Context, t Task, out *TaskResult) (*sample, error) {
	out.Task = t
	var all []*comparison
	for _, lp := range t.LanguagePairs {
		c, err := r.compare(ctx, t, lp)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		out.Systems = append(out.Systems, c.human.Systems)
		out.Scores += c.human.Present()
		out.Human = c.kind
	}
	if err := out.measure(ctx, all, r.options.Workers); err != nil {
		return nil, err
	}
	if r.options.NoTests || !t.Measure.tested() {
		return nil, nil
	}
	var names []string
	for _, m := range out.Metrics {
		names = append(names, m.Metric)
	}
	return newSample(all, t.Grouping, names), nil
}

// measure computes the values of the metrics that all language pairs have, best first.
func (t *TaskResult) measure(ctx context.Context, all []*comparison, workers int) error {
	var names []string
	for _, m := range all[0].metrics {
		if !slices.ContainsFunc(all, func(c *comparison) bool { return c.metric(m.Name).Scores == nil }) {
			names = append(names, m.Name)
		}
	}
	values, undefined := make([]Value, len(names)), make([]error, len(names))
	of := t.Task.measure(ctx, all)
	err := parallel.For(ctx, len(names), workers, 1, func(k, _ int) error {
		v, err := parallel.Await(ctx, func() (Value, error) { return of(names[k]) })
		if err != nil && !errors.Is(err, metaeval.ErrUndefined) {
			return err
		}
		v.Metric = names[k]
		values[k], undefined[k] = v, err
		return nil
	})
	if err != nil {
		return err
	}
	for k, name := range names {
		if undefined[k] != nil {
			t.Undefined = append(t.Undefined, name)
		} else {
			t.Metrics = append(t.Metrics, values[k])
		}
	}
	if len(t.Metrics) == 0 {
		return cmp.Or(errors.Join(undefined...), errors.New("no metric has scores of all its language pairs"))
	}
	slices.SortStableFunc(t.Metrics, func(a, b Value) int { return cmp.Compare(b.Value, a.Value) })
	return nil
}

// measure returns what computes a metric's value.
func (t Task) measure(ctx context.Context, all []*comparison) func(metric string) (Value, error) {
	c := all[0]
	of := func(f func(m metaeval.Metric) (metaeval.Agreement, error)) func(string) (Value, error) {
		return func(name string) (Value, error) {
			a, err := f(c.metric(name))
			return Value{Value: a.Value}, err
		}
	}
	switch t.Measure {
	case PairwiseAccuracy:
		return func(name string) (Value, error) { return accuracy(all, name) }
	case SoftPairwiseAccuracy:
		p := sync.OnceValues(func() ([][]float64, error) { return pValues(ctx, c.human) })
		return func(name string) (Value, error) { return soft(ctx, p, c.metric(name)) }
	case AccEq:
		return func(name string) (Value, error) {
			epsilon, a, err := metaeval.CalibrateTies(c.human, c.metric(name), t.Grouping)
			return Value{Value: a.Value, Epsilon: &epsilon}, err
		}
	case AccEqExact:
		return of(func(m metaeval.Metric) (metaeval.Agreement, error) { return metaeval.AccEq(c.human, m, t.Grouping, 0) })
	case DifferencePearson:
		return of(func(m metaeval.Metric) (metaeval.Agreement, error) {
			return metaeval.PairwiseDifferencePearson(c.human, m)
		})
	}
	f := t.Measure.correlation()
	if t.Level == System {
		return of(func(m metaeval.Metric) (metaeval.Agreement, error) { return metaeval.SystemLevel(c.human, m, f) })
	}
	return of(func(m metaeval.Metric) (metaeval.Agreement, error) {
		return metaeval.SegmentLevel(c.human, m, t.Grouping, f)
	})
}

func accuracy(all []*comparison, metric string) (Value, error) {
	var sum metaeval.PairAccuracy
	for _, c := range all {
		a, err := metaeval.PairwiseAccuracy(c.human, c.metric(metric), nil)
		if err != nil {
			return Value{}, err
		}
		sum = sum.Plus(a)
	}
	v, err := sum.Value()
	return Value{Value: v}, err
}

func pValues(ctx context.Context, s *metaeval.Scores) ([][]float64, error) {
	return metaeval.PermutationPValues(ctx, s, metaeval.StandardPermutations, metaeval.StandardSeed)
}

func soft(ctx context.Context, human func() ([][]float64, error), m metaeval.Metric) (Value, error) {
	h, err := human()
	if err != nil {
		return Value{}, err
	}
	p, err := pValues(ctx, m.Scores)
	if err != nil {
		return Value{}, err
	}
	v, err := metaeval.SoftPairwiseAccuracy(h, p)
	return Value{Value: v}, err
}

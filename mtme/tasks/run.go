package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/significance"
)

// Options of Run. The zero value is WMT's.
type Options struct {
	// Judged says which metrics of a test set are judged, of those that used the standard
	// reference or none; it is asked about one at a time. Nil: those of mtme.Primary, or all
	// where it has none.
	Judged func(set, metric string) bool
	// NoTests leaves out tests, and so ranks.
	NoTests bool
	// Permutations are the most of a test; 0 is 1,000.
	Permutations int
	// Seed of the coins, which are tossed for one task after the other.
	Seed uint32
	// Alpha is the level of significance; 0 is 0.05.
	Alpha float64
	// Workers are how many goroutines work; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

func (o *Options) permutations() int { return cmp.Or(o.Permutations, 1000) }

func (o *Options) judged(set, metric string) bool {
	if o.Judged != nil {
		return o.Judged(set, metric)
	}
	primary := mtme.Primary(set)
	return primary == nil || slices.Contains(primary, metric)
}

// maxDraws is how many differences of swapped scores may be kept, of 8 bytes each.
const maxDraws = 1 << 26

func (o *Options) check() error {
	switch {
	case o.Permutations < 0:
		return fmt.Errorf("tasks: %d permutations", o.Permutations)
	case !(o.Alpha >= 0 && o.Alpha <= 1):
		return fmt.Errorf("tasks: level of significance %v, which is 0 to 1", o.Alpha)
	}
	return nil
}

// Run judges the metrics of a tree on tasks. A metric without scores for a task is not in its
// result, and not in the average. The error of a task names it. A long run reports
// permutations to mteval.WithProgress.
func Run(ctx context.Context, tree *mtme.Tree, tasks []Task, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(tasks) == 0 {
		return nil, errors.New("tasks: there are none")
	}
	for i, t := range tasks {
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("tasks: task %d, %v: %w", i+1, t, err)
		}
	}
	out := &Result{Tasks: make([]TaskResult, len(tasks))}
	samples, weight := make([]*sample, len(tasks)), weights(tasks)
	r := newReader(tree, &o)
	for i, t := range tasks {
		var err error
		if samples[i], err = r.values(ctx, t, &out.Tasks[i]); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("tasks: task %d, %v: %w", i+1, t, err)
		}
		out.Tasks[i].Weight = weight[i]
	}
	if !o.NoTests {
		if err := out.test(ctx, samples, &o); err != nil {
			return nil, err
		}
	}
	return out, out.average(ctx, &o)
}

// test tests the tasks, one after the other, as their coins are.
func (r *Result) test(ctx context.Context, samples []*sample, o *Options) error {
	order, total := make([]int, 0, len(samples)), 0
	for i, s := range samples {
		if s != nil {
			order = append(order, i)
			total += len(s.metrics) * (len(s.metrics) - 1) / 2 * o.permutations()
		}
	}
	if total > maxDraws {
		return fmt.Errorf("tasks: %d permutations of %d tasks, %d in all: %d are the most; take fewer permutations or metrics",
			o.permutations(), len(order), total, maxDraws)
	}
	var done atomic.Int64
	coins := numpyrand.NewCoins(o.Seed)
	return watch(ctx, &done, total, func() error {
		for _, i := range order {
			t := &r.Tasks[i]
			p := newPermuter(newArena(t.Task, samples[i], t.epsilons()), t.Task, o, coins)
			p.done = &done
			if err := t.test(ctx, p, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// epsilons are those of AccEq, by metric.
func (t *TaskResult) epsilons() (out []float64) {
	for _, m := range t.Metrics {
		if m.Epsilon != nil {
			out = append(out, *m.Epsilon)
		}
	}
	return out
}

// watch reports how much of work is done, from this goroutine, while it runs.
func watch(ctx context.Context, done *atomic.Int64, total int, work func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- work() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil && total > 0 {
				mteval.ReportProgress(ctx, total, total)
			}
			return err
		case <-tick.C:
			mteval.ReportProgress(ctx, int(done.Load()), total)
		}
	}
}

// test tests all pairs of metrics.
func (t *TaskResult) test(ctx context.Context, p *permuter, o *Options) error {
	n := len(t.Metrics)
	t.P, t.Permutations, t.draws = square[float64](n), square[int](n), square[[]float64](n)
	for a := range n {
		for b := a + 1; b < n; b++ {
			got, err := p.test(ctx, b, a)
			if err != nil {
				return err
			}
			t.P[a][b], t.Permutations[a][b] = got.p, got.used
			draws := make([]float64, len(got.draws))
			for i, d := range got.draws {
				draws[i] = t.Task.Measure.share(d[1]) - t.Task.Measure.share(d[0])
			}
			t.draws[a][b] = draws
		}
	}
	all, err := ranks(t.P, o.alpha())
	for i, rank := range all {
		t.Metrics[i].Rank = rank
	}
	return err
}

func square[T any](n int) [][]T {
	out := make([][]T, n)
	for i := range out {
		out[i] = make([]T, n)
	}
	return out
}

func (o *Options) alpha() float64 { return cmp.Or(o.Alpha, .05) }

// ranks are those of metrics, best first, from 1: one begins a new rank if one of the present
// rank is significantly better.
func ranks(p [][]float64, alpha float64) ([]int, error) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	return significance.RankClusters(order, p, alpha)
}

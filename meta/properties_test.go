package meta

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/metaeval"
)

// values are those of the measures of all metrics, by metric and measure.
func values(r *Result) map[string]map[string]float64 {
	out := make(map[string]map[string]float64)
	for _, m := range r.Metrics {
		out[m.Name] = make(map[string]float64)
		for key, v := range m.Values {
			out[m.Name][key] = v.Value
		}
	}
	return out
}

// shuffled returns scores with their systems and items in another order.
func shuffled(t *rapid.T, s *metaeval.Scores) *metaeval.Scores {
	out, err := s.Select(rapid.Permutation(s.Systems).Draw(t, "systems"), rapid.Permutation(s.Items).Draw(t, "items"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The order of systems, of segments and of metrics, each in its own table, changes no value.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		people, ms := sample(rapid.IntRange(3, 6).Draw(t, "systems"), rapid.IntRange(2, 9).Draw(t, "items"), rapid.Uint64().Draw(t, "seed"))
		for at := range people.Scores.Values {
			if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
				people.Scores.Values[at] = nan
			}
		}
		other := People{Scores: shuffled(t, people.Scores)}
		var mixed []Candidate
		for _, m := range rapid.Permutation(ms).Draw(t, "metrics") {
			m.Scores = shuffled(t, m.Scores)
			mixed = append(mixed, m)
		}
		o := Options{NoTests: true}
		near := cmpopts.EquateApprox(0, 1e-9)
		same := func(a, b *Result, errA, errB error) {
			if (errA == nil) != (errB == nil) {
				t.Fatalf("%v, in another order %v", errA, errB)
			}
			if errA != nil {
				return
			}
			of := func(r *Result) map[string]map[string]float64 {
				out := values(r)
				for _, v := range out { // whose permutations are drawn item by item
					delete(v, "soft_pairwise_accuracy")
				}
				return out
			}
			if d := cmp.Diff(of(a), of(b), near); d != "" {
				t.Fatalf("(-in order +in another):\n%s", d)
			}
			if d := cmp.Diff(a.Pairs, b.Pairs); d != "" {
				t.Fatalf("pairs (-in order +in another):\n%s", d)
			}
		}
		a, errA := Systems(ctx, people, ms, SystemOptions{Options: o})
		b, errB := Systems(ctx, other, mixed, SystemOptions{Options: o})
		same(a, b, errA, errB)
		for g := metaeval.NoGrouping; g <= metaeval.BySystem; g++ {
			a, errA := Segments(ctx, people, ms, SegmentOptions{Options: o, Grouping: g})
			b, errB := Segments(ctx, other, mixed, SegmentOptions{Options: o, Grouping: g})
			same(a, b, errA, errB)
		}
	})
}

// In another order of the metrics all have the same intervals, p-values and clusters.
func TestOrderOfMetrics(t *testing.T) {
	people, ms := sample(5, 30, 4)
	back := slices.Clone(ms)
	slices.Reverse(back)
	wants, gots := ways(t, people, ms, Options{Samples: 60}), ways(t, people, back, Options{Samples: 60})
	for name := range wants {
		want, err := wants[name](ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := gots[name](ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, r := range []*Result{want, got} {
			slices.SortFunc(r.Metrics, func(a, b MetricResult) int { return strings.Compare(a.Name, b.Name) })
			for i, c := range r.Comparisons {
				if c.X > c.Y {
					c.X, c.Y, c.Difference = c.Y, c.X, -c.Difference
					r.Comparisons[i] = c
				}
			}
			slices.SortFunc(r.Comparisons, func(a, b Comparison) int {
				return strings.Compare(a.Measure+" "+a.X+" "+a.Y, b.Measure+" "+b.X+" "+b.Y)
			})
			for _, p := range r.Sweep {
				slices.SortFunc(p.Metrics, func(a, b metaeval.SweepResult) int { return strings.Compare(a.Name, b.Name) })
			}
		}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s (-in order +backwards):\n%s", name, d)
		}
	}
}

// Results do not depend on the number of workers, nor on whether someone looks at the
// progress, which ends at its total and never falls.
func TestWorkers(t *testing.T) {
	people, ms := sample(5, 40, 1)
	one, seven := ways(t, people, ms, Options{Samples: 50, Workers: 1}), ways(t, people, ms, Options{Samples: 50, Workers: 7})
	for name := range one {
		want, err := one[name](ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		last, end := 0, -1
		got, err := seven[name](mteval.WithProgress(ctx, func(done, total int) {
			if done < last || done > total || end >= 0 && total != end {
				t.Errorf("%s: %d of %d after %d of %d", name, done, total, last, end)
			}
			last, end = done, total
		}))
		if err != nil {
			t.Fatal(name, err)
		}
		if last != end {
			t.Errorf("%s: progress ended at %d of %d", name, last, end)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-1 worker +7):\n%s", name, d)
		}
	}
}

// What is given stays as it is.
func TestInputsStay(t *testing.T) {
	people, ms := sample(4, 20, 2)
	people.Scores.Set(1, 3, nan)
	ms[0].Scores.Set(0, 0, nan)
	people.Judgements = metaeval.NewScores(people.Scores.Systems, people.Scores.Items)
	for i := range people.Judgements.Values {
		people.Judgements.Values[i] = 3
	}
	clone := func(s *metaeval.Scores) *metaeval.Scores {
		return &metaeval.Scores{Systems: slices.Clone(s.Systems), Items: slices.Clone(s.Items), Values: slices.Clone(s.Values)}
	}
	before := People{Scores: clone(people.Scores), Judgements: clone(people.Judgements)}
	var was []Candidate
	for _, m := range ms {
		m.Scores = clone(m.Scores)
		was = append(was, m)
	}
	for name, judge := range ways(t, people, ms, Options{Samples: 10}) {
		if _, err := judge(ctx); err != nil {
			t.Fatal(name, err)
		}
		if d := cmp.Diff(before, people, cmpopts.EquateNaNs()) + cmp.Diff(was, ms, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s (-before +after):\n%s", name, d)
		}
	}
}

// Cancelled before, and in the middle.
func TestCancelled(t *testing.T) {
	people, ms := sample(5, 200, 3)
	all := ways(t, people, ms, Options{Samples: 500_000})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, calls := range []int64{0, 1, 5, 40} {
			if name == "systems alone" && calls == 40 {
				continue // it may be done by then
			}
			if r, err := all[name](kit.NewCountdown(calls)); r != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s after %d looks: %v, %v", name, calls, r, err)
			}
		}
	}
}

// A metric and its negation, given as an error metric, have opposite tau under Table 5 and
// agree in all else.
func TestNegated(t *testing.T) {
	people, ms := sample(5, 30, 5)
	down := metric("down", metaeval.NewScores(ms[2].Scores.Systems, ms[2].Scores.Items))
	down.LowerIsBetter = true
	for at, v := range ms[2].Scores.Values {
		down.Scores.Values[at] = -v
	}
	for name, judge := range ways(t, people, []Candidate{ms[2], down}, Options{Samples: 100}) {
		r, err := judge(ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		a, b := r.metric(t, "ties"), r.metric(t, "down")
		if five := b.Values["kendall_5"]; five != nil {
			five.Value = -five.Value
			five.Interval.Mean, five.Interval.Low, five.Interval.High = -five.Interval.Mean, -five.Interval.High, -five.Interval.Low
		}
		if d := cmp.Diff(a.Values, b.Values, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s (-metric +negated):\n%s", name, d)
		}
		for _, c := range r.Comparisons {
			if math.Abs(c.Difference) > 1e-12 || c.P != 1 {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// Results of segments do not depend on what else is compared, but for the correction. (A
// sample of systems counts where all metrics have a correlation on it.)
func TestSubset(t *testing.T) {
	people, ms := sample(5, 30, 6)
	alls, ones := ways(t, people, ms, Options{Samples: 50}), ways(t, people, ms[1:2], Options{Samples: 50})
	ignore := cmpopts.IgnoreFields(Value{}, "Cluster")
	for name := range alls {
		if strings.HasPrefix(name, "systems") {
			continue
		}
		all, err := alls[name](ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		one, err := ones[name](ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		if d := cmp.Diff(one.metric(t, "errors"), all.metric(t, "errors"), ignore); d != "" {
			t.Errorf("%s (-alone +among others):\n%s", name, d)
		}
	}
}

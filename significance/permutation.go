package significance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
)

// A Swap says what a permutation swaps between two metrics by the toss of a coin
// (Deutsch, Dror and Roth, TACL 2021), and so what the test speaks of.
type Swap int

const (
	// SwapOutputs is PERM-BOTH: a coin for each output. It speaks of other systems and
	// other items.
	SwapOutputs Swap = iota
	// SwapItems is PERM-INPUTS: a coin for each item, for all systems. It speaks of
	// these systems and other items.
	SwapItems
	// SwapSystems is PERM-SYS: a coin for each system, for all items. It speaks of
	// other systems and these items.
	SwapSystems
)

// A Difference compares two metrics, X and Y.
type Difference struct {
	X, Y float64 // their agreement with people, or what else was compared
	// P is the probability of a difference as large as X − Y, either way, if the
	// two metrics were equal, above 0 and at most 1.
	P float64
	// Greater and Less are the probabilities of one as far above or below 0.
	Greater, Less float64
	// Permutations is how many were looked at. If they are all there are, Exact is
	// true and so are the probabilities. Otherwise they count the scores as given
	// for one permutation more.
	Permutations int
	Exact        bool
}

// PermutationTest tests whether metric x agrees better with people than metric y does.
// Both metrics' scores are standardized, to mean 0 and variance 1, over what the measure
// is taken of; then they are swapped at random, and the difference of the measures is
// looked at again.
//
// A measure that is undefined of the scores as they are is an error that wraps
// metaeval.ErrUndefined; after swapping it counts as 0. Means of systems that are equal
// but for rounding have equal ranks.
//
// There are 1,000 permutations unless o says otherwise, or all of them where those are
// not more. The coins of permutation i are the bits of the 64-bit words of NumPy's
// default_rng(w), lowest first, set where scores are swapped, w being word i of
// default_rng(seed); the coins of each system begin with a new word.
func PermutationTest(ctx context.Context, human *metaeval.Scores, x, y metaeval.Metric, m Measure, swap Swap, o Options) (Difference, error) {
	if err := m.check(); err != nil {
		return Difference{}, err
	}
	on, zx, zy, err := standardize(human, x, y, m)
	if err != nil {
		return Difference{}, err
	}
	var d Difference
	if d.X, err = m.of(on, on.metrics[0]); err != nil {
		return Difference{}, fmt.Errorf("significance: %s: %w", x.Name, err)
	}
	if d.Y, err = m.of(on, on.metrics[1]); err != nil {
		return Difference{}, fmt.Errorf("significance: %s: %w", y.Name, err)
	}
	return permute(ctx, d, swap, on, o, func(p *permutations) differences { return m.differences(ctx, on, zx, zy, p) })
}

func (m Measure) differences(ctx context.Context, on *outputs, x, y []float64, p *permutations) differences {
	switch {
	case !m.Segments:
		return newMeanDifferences(on, m.Coefficient, x, y)
	case m.Coefficient == Pearson:
		return newPearsonDifferences(on, m, x, y, p)
	}
	return newRankDifferences(ctx, on, m, x, y, p)
}

func standardize(human *metaeval.Scores, x, y metaeval.Metric, m Measure) (on *outputs, zx, zy []float64, err error) {
	if on, err = align(human, []metaeval.Metric{x, y}, m); err != nil {
		return nil, nil, nil, err
	}
	if zx, err = on.standardized(on.metrics[0]); err != nil {
		return nil, nil, nil, fmt.Errorf("significance: %s: %w", x.Name, err)
	}
	if zy, err = on.standardized(on.metrics[1]); err != nil {
		return nil, nil, nil, fmt.Errorf("significance: %s: %w", y.Name, err)
	}
	return on, zx, zy, nil
}

// PermutationTestOf is PermutationTest for anything that is computed from a metric's
// scores, such as one of WMT's forms of Kendall's tau, or an accuracy. It calls of with x
// and y and with mixtures of them, standardized over all their scores, more being better,
// and missing where neither has a score. Calls come from several goroutines at once, and
// must not keep or change the scores. Their error ends the test, but for one that wraps
// metaeval.ErrUndefined, which counts as 0 after swapping.
func PermutationTestOf(ctx context.Context, x, y metaeval.Metric, of func(metaeval.Metric) (float64, error), swap Swap, o Options) (Difference, error) {
	// All that there are scores for: as if people had judged each system.
	if of == nil {
		return Difference{}, errors.New("significance: nothing to compute of scores: of is nil")
	}
	if err := x.Scores.Check(); err != nil {
		return Difference{}, fmt.Errorf("significance: %s: %w", x.Name, err)
	}
	human := metaeval.NewScores(x.Scores.Systems, []string{""})
	clear(human.Values)
	on, zx, zy, err := standardize(human, x, y, Measure{})
	if err != nil {
		return Difference{}, err
	}
	for at, v := range x.Scores.Values {
		if math.IsNaN(v) {
			zx[at], zy[at] = v, v
		}
	}
	all := &anyDifferences{on, of, [2]metaeval.Metric{x, y}, [2][]float64{zx, zy}}
	var d Difference
	if d.X, err = of(all.metric(0, zx)); err != nil {
		return Difference{}, fmt.Errorf("significance: %s: %w", x.Name, err)
	}
	if d.Y, err = of(all.metric(1, zy)); err != nil {
		return Difference{}, fmt.Errorf("significance: %s: %w", y.Name, err)
	}
	return permute(ctx, d, swap, on, o, func(*permutations) differences { return all })
}

// differences are those between two metrics whose scores are swapped.
type differences interface {
	// of returns the difference for each permutation. What comes nowhere near given,
	// or its negative, need only be on the same side of them.
	of(ctx context.Context, f *flips, given float64, workers int) ([]float64, error)
}

// tolerance is how far a difference may be below another and still be as large: sums of
// the same numbers in another order differ by as much.
const tolerance = 1e-12

// permute counts the differences that are as large as that of the scores as they are.
func permute(ctx context.Context, d Difference, swap Swap, on *outputs, o Options, prepare func(*permutations) differences) (Difference, error) {
	if swap < SwapOutputs || swap > SwapSystems {
		return Difference{}, fmt.Errorf("significance: there is no swap %d", swap)
	}
	if err := o.set(1000); err != nil {
		return Difference{}, err
	}
	p := newPermutations(swap, on.systems, on.items, o)
	all := prepare(p)
	none, err := all.of(ctx, p.none(), math.NaN(), o.Workers)
	if err != nil {
		return Difference{}, err
	}
	given := none[0]
	var either, greater, less int
	for lo := 0; lo < p.n; lo += p.step() {
		hi := min(p.n, lo+p.step())
		f, err := p.draw(ctx, lo, hi, o.Workers)
		if err != nil {
			return Difference{}, err
		}
		swapped, err := all.of(ctx, f, given, o.Workers)
		if err != nil {
			return Difference{}, err
		}
		for _, v := range swapped {
			if math.Abs(v) >= math.Abs(given)-tolerance {
				either++
			}
			if v >= given-tolerance {
				greater++
			}
			if v <= given+tolerance {
				less++
			}
		}
		mteval.ReportProgress(ctx, hi, p.n)
	}
	share := func(count int) float64 {
		if p.exact {
			return float64(count) / float64(p.n)
		}
		return float64(count+1) / float64(p.n+1)
	}
	d.P, d.Greater, d.Less = share(either), share(greater), share(less)
	d.Permutations, d.Exact = p.n, p.exact
	return d, nil
}

// meanDifferences are of correlations at system level. Their means come from sums.
type meanDifferences struct {
	coefficient Coefficient
	swing       []float64 // of each output, by how much x's score is above y's
	systems     []int     // that people judged
	x, y        []float64 // their sums
	n           []float64 // their numbers of scores
	human       []float64
}

func newMeanDifferences(o *outputs, c Coefficient, x, y []float64) *meanDifferences {
	d := &meanDifferences{coefficient: c, swing: minus(x, y)}
	for k, group := range o.groups {
		if len(group) == 0 {
			continue
		}
		n := float64(len(group))
		d.systems = append(d.systems, k)
		d.x = append(d.x, n*meanOf(x, group))
		d.y = append(d.y, n*meanOf(y, group))
		d.n = append(d.n, n)
		d.human = append(d.human, o.human[k])
	}
	return d
}

func (d *meanDifferences) of(ctx context.Context, f *flips, _ float64, workers int) ([]float64, error) {
	sums, err := f.sums(ctx, d.swing, workers)
	if err != nil {
		return nil, err
	}
	out := make([]float64, f.n)
	return out, parallel.For(ctx, f.n, workers, 16, func(lo, hi int) error {
		x, y := make([]float64, len(d.systems)), make([]float64, len(d.systems))
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			for at, k := range d.systems {
				swapped := sums[i*f.systems+k]
				x[at] = (d.x[at] - swapped) / d.n[at]
				y[at] = (d.y[at] + swapped) / d.n[at]
			}
			rx, err := d.correlation(x)
			if err != nil {
				return err
			}
			ry, err := d.correlation(y)
			if err != nil {
				return err
			}
			out[i] = rx - ry
		}
		return nil
	})
}

// correlation of means, which it changes, with people's; 0 where all are equal, but for
// rounding.
func (d *meanDifferences) correlation(means []float64) (float64, error) {
	if d.coefficient != Pearson {
		settle(means)
	} else if slices.Max(means)-slices.Min(means) <= tolerance {
		return 0, nil
	}
	return orZero(d.coefficient.of(means, d.human))
}

// settle makes equal what is so but for rounding, of values of about 1, so that ranks do
// not depend on it.
func settle(x []float64) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	for i := 1; i < len(order); i++ {
		if x[order[i]]-x[order[i-1]] <= tolerance {
			x[order[i]] = x[order[i-1]]
		}
	}
}

// orZero makes 0 of a correlation that is undefined.
func orZero(r float64, err error) (float64, error) {
	if errors.Is(err, metaeval.ErrUndefined) {
		return 0, nil
	}
	return r, err
}

func minus(x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] - y[i]
	}
	return out
}

// anyDifferences are of whatever a function computes.
type anyDifferences struct {
	*outputs
	compute func(metaeval.Metric) (float64, error)
	given   [2]metaeval.Metric
	scores  [2][]float64 // standardized
}

// metric returns a metric with other scores.
func (d *anyDifferences) metric(m int, scores []float64) metaeval.Metric {
	of := d.given[m]
	return metaeval.Metric{Name: of.Name, Scores: &metaeval.Scores{Systems: of.Scores.Systems, Items: of.Scores.Items, Values: scores}}
}

func (d *anyDifferences) of(ctx context.Context, f *flips, _ float64, workers int) ([]float64, error) {
	out := make([]float64, f.n)
	return out, parallel.For(ctx, f.n, workers, 1, func(i, _ int) error {
		bits := f.of(i)
		var r [2]float64
		for m := range r {
			mixed := make([]float64, len(d.scores[m]))
			for at := range mixed {
				from := uint64(m) ^ flipped(bits, f.coin(at/d.items, at%d.items))
				mixed[at] = d.scores[from][at]
			}
			var err error
			if r[m], err = orZero(d.compute(d.metric(m, mixed))); err != nil {
				return err
			}
		}
		out[i] = r[0] - r[1]
		return nil
	})
}

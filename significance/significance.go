// Package significance says how sure a score, a difference of scores, or an agreement with
// people is.
//
// # Systems
//
// From the rows of a mteval.Table, where a sample is a sum of rows and costs no scoring:
// Bootstrap resamples segments with replacement (Koehn, EMNLP 2004). PairedBootstrap and
// PairedRandomization test whether a system differs from a baseline; they are the paired
// tests of sacreBLEU 2.6, which follow Moses and multeval (Riezler and Maxwell 2005; Clark
// et al. 2011): the samples are those of NumPy's generator, so with the same seed the
// p-values and intervals are sacreBLEU's.
//
// From scores of segments, people's or a metric's, PairwiseP tests all pairs of systems;
// from pairwise judgements, SignTest tests one. Clusters makes of p-values the clusters of
// a ranking. Resample is the bootstrap of anything else.
//
// # Metrics
//
// BootstrapAgreement and PermutationTest say how sure metrics' correlations with people,
// and their differences, are (Deutsch, Dror and Roth, TACL 2021), PermutationTestOf how sure
// a difference of anything else is. Williams tests correlations that are known,
// but not what they are of. RankClusters makes clusters of metrics.
//
// Holm adjusts the p-values of many tests.
//
// # Reproducibility
//
// All work is done in a fixed order: results depend on the seed and not on the number of
// workers. Functions are safe for concurrent use. What takes long stops when its context is
// cancelled, and reports samples or permutations to mteval.WithProgress.
package significance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
)

// Options of the tests. The zero value is sacreBLEU's default.
type Options struct {
	// Samples is the number of samples or permutations; 0 is 1,000, and 10,000 for
	// PairedRandomization. A thousand million are the most, and of what is kept of each
	// sample, as the scores of all systems, 2²⁷ numbers, a gibibyte.
	Samples int
	// Seed of the generator; 0 is 12345.
	Seed uint64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on
	// it.
	Workers int
}

func (o *Options) set(samples int) error {
	if o.Samples == 0 {
		o.Samples = samples
	}
	if o.Samples < 1 || o.Samples > maxSamples {
		return fmt.Errorf("significance: %d samples: 1 to %d can be drawn", o.Samples, maxSamples)
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	return nil
}

// ErrNoSegments is returned where there are no segments, or nothing else, to draw samples
// from.
var ErrNoSegments = errors.New("significance: no segments to draw samples from")

const (
	maxSamples = 1_000_000_000
	maxKept    = 1 << 27 // numbers
	// block is how many samples are drawn at a time, and maxDraws of how many draws at
	// most if they are more than one, which bounds memory.
	block    = 64
	maxDraws = 1 << 24
)

// atOnce is how many samples of n draws are drawn at a time.
func atOnce(n int) int { return max(1, min(block, maxDraws/max(1, n))) }

// Bootstrap returns the scores of every system on samples of the segments, drawn with
// replacement, the same for all systems: Bootstrap(…)[k][i] is the score of system k on
// sample i.
func Bootstrap(ctx context.Context, t *mteval.Table, o Options) ([][]float64, error) {
	if t == nil {
		return nil, ErrNoSegments
	}
	rows, err := bySegment(ctx, t)
	if err != nil {
		return nil, err
	}
	return Resample(ctx, t.Len(), o, len(t.Systems), func(draws []uint32, out []float64) error {
		sum, err := rows.sum(ctx, draws)
		if err != nil {
			return err
		}
		for k := range out {
			out[k] = t.Score(rows.system(sum, k))
		}
		return nil
	})
}

// An Interval is the middle 95% of the scores of samples.
type Interval struct {
	Mean      float64 // of the samples
	Low, High float64
}

// Half is half the width, what sacreBLEU prints after ±.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// Interval95 returns the interval of samples, which are not changed, leaving out the
// 1/40 at either end, rounded down, as sacreBLEU does. It is zero for no samples. They must
// be finite.
func Interval95(samples []float64) Interval {
	n := len(samples)
	if n == 0 {
		return Interval{}
	}
	sorted := slices.Sorted(slices.Values(samples))
	return Interval{moments.Mean(samples), sorted[n/40], sorted[n-n/40-1]}
}

func mean(x []float64) float64 { return sum(x) / float64(len(x)) }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// A PairedTest compares a system with the baseline.
type PairedTest struct {
	System string
	Score  float64
	// P is the probability of a difference as large as this one, either way, if
	// the two systems were equal. It is above 0 and at most 1; 1 for the baseline
	// itself, which is compared with nothing, and for a system that differs from
	// it in no sample (for which sacreBLEU has the least p that there is).
	P float64
	// Interval of the score; zero from PairedRandomization.
	Interval Interval
}

// PairedBootstrap compares every system of t with the baseline by bootstrap: how often
// the difference on a sample is further from the mean difference than the difference
// on all segments is from 0.
func PairedBootstrap(ctx context.Context, t *mteval.Table, baseline int, o Options) ([]PairedTest, error) {
	if err := checkBaseline(t, baseline); err != nil {
		return nil, err
	}
	samples, err := Bootstrap(ctx, t, o)
	if err != nil {
		return nil, err
	}
	scores := t.Scores()
	out := make([]PairedTest, len(scores))
	for k := range out {
		out[k] = PairedTest{System: t.Systems[k], Score: scores[k], P: 1, Interval: Interval95(samples[k])}
		if k == baseline {
			continue
		}
		diffs := make([]float64, len(samples[k]))
		equal := true
		for i := range diffs {
			diffs[i] = math.Abs(samples[k][i] - samples[baseline][i])
			equal = equal && diffs[i] == 0
		}
		if equal {
			continue
		}
		m := mean(diffs)
		real := math.Abs(scores[k] - scores[baseline])
		above := 0
		for _, d := range diffs {
			if d-m > real {
				above++
			}
		}
		out[k].P = float64(above+1) / float64(len(diffs)+1)
	}
	return out, nil
}

// PairedRandomization compares every system of t with the baseline by approximate
// randomization: how often the difference is larger where each segment's outputs are
// swapped by the toss of a coin.
func PairedRandomization(ctx context.Context, t *mteval.Table, baseline int, o Options) ([]PairedTest, error) {
	if err := checkBaseline(t, baseline); err != nil {
		return nil, err
	}
	if err := o.set(10000); err != nil {
		return nil, err
	}
	n, systems := t.Len(), len(t.Systems)
	if n == 0 {
		return nil, ErrNoSegments
	}
	rows, err := bySegment(ctx, t)
	if err != nil {
		return nil, err
	}
	scores, totals := t.Scores(), sums(t)
	above, differs := make([]int, systems), make([]bool, systems)
	// By sample and system the difference.
	step := atOnce(n)
	diffs := make([]float64, step*systems)
	coins := make([]bool, step*n)
	stream := numpyrand.New(o.Seed).Bools()
	for lo := 0; lo < o.Samples; lo += step {
		hi := min(o.Samples, lo+step)
		if err := toss(ctx, stream, coins[:(hi-lo)*n]); err != nil {
			return nil, err
		}
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			heads, err := rows.heads(ctx, coins[s*n:(s+1)*n])
			if err != nil {
				return err
			}
			rows.swapped(t, totals, baseline, heads, diffs[s*systems:(s+1)*systems])
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, d := range diffs[:(hi-lo)*systems] {
			k := i % systems
			differs[k] = differs[k] || d != 0
			if d > math.Abs(scores[k]-scores[baseline]) {
				above[k]++
			}
		}
		mteval.ReportProgress(ctx, hi, o.Samples)
	}
	out := make([]PairedTest, systems)
	for k := range out {
		out[k] = PairedTest{System: t.Systems[k], Score: scores[k], P: 1}
		if k != baseline && differs[k] {
			out[k].P = float64(above[k]+1) / float64(o.Samples+1)
		}
	}
	return out, nil
}

// sums returns the sum of each system's rows.
func sums(t *mteval.Table) [][]float64 {
	out := make([][]float64, len(t.Systems))
	for k := range out {
		out[k] = t.Sum(k)
	}
	return out
}

// toss fills coins with the next ones.
func toss(ctx context.Context, stream *numpyrand.Bools, coins []bool) error {
	for len(coins) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := coins[:min(len(coins), stretch)]
		for i := range part {
			part[i] = stream.Next()
		}
		coins = coins[len(part):]
	}
	return nil
}

// heads is what every system has on the segments where the coin says heads; the rest is
// the total less that.
func (s *segments) heads(ctx context.Context, coins []bool) ([]float64, error) {
	heads := make([]float64, s.width)
	for i, coin := range coins {
		if i&s.look == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if coin {
			for j, x := range s.of(i) {
				heads[j] += x
			}
		}
	}
	return heads, nil
}

// swapped sets out to how far each system is from the baseline, either way, if the outputs
// on the segments of heads are swapped.
func (s *segments) swapped(t *mteval.Table, totals [][]float64, baseline int, heads, out []float64) {
	a, b := make([]float64, s.inner), make([]float64, s.inner)
	base := s.system(heads, baseline)
	for k := range out {
		mine := s.system(heads, k)
		for j := range a {
			a[j] = base[j] + (totals[k][j] - mine[j])
			b[j] = mine[j] + (totals[baseline][j] - base[j])
		}
		out[k] = math.Abs(t.Score(a) - t.Score(b))
	}
}

func checkBaseline(t *mteval.Table, baseline int) error {
	if t == nil {
		return ErrNoSegments
	}
	if baseline < 0 || baseline >= len(t.Systems) {
		return fmt.Errorf("significance: no baseline %d among %d systems", baseline, len(t.Systems))
	}
	return nil
}

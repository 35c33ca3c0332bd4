// Package significance says how sure a score, or a difference of scores, is, from the
// rows of a mteval.Table: a sample is a sum of rows, and costs no scoring.
//
// Bootstrap resamples segments with replacement (Koehn, EMNLP 2004). PairedBootstrap
// and PairedRandomization test whether a system differs from a baseline; they are the
// paired tests of sacreBLEU 2.6, which follow Moses and multeval (Riezler and Maxwell
// 2005; Clark et al. 2011): the samples are those of NumPy's generator, so with the
// same seed the p-values and intervals are sacreBLEU's.
//
// All work is exact arithmetic in a fixed order: results depend on the seed and not
// on the number of workers.
package significance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
)

// Options of the tests. The zero value is sacreBLEU's default.
type Options struct {
	// Samples is the number of samples; 0 is 1,000 for the bootstrap and 10,000
	// for the randomization.
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
	if o.Samples < 1 {
		return fmt.Errorf("significance: %d samples", o.Samples)
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	return nil
}

// ErrNoSegments is returned for a table without segments.
var ErrNoSegments = errors.New("significance: no segments to draw samples from")

// block is how many samples are drawn at a time, which bounds memory.
const block = 64

// Bootstrap returns the scores of every system on samples of the segments, drawn with
// replacement, the same for all systems: Bootstrap(…)[k][i] is the score of system k on
// sample i.
func Bootstrap(ctx context.Context, t *mteval.Table, o Options) ([][]float64, error) {
	if err := o.set(1000); err != nil {
		return nil, err
	}
	n, systems := t.Len(), len(t.Systems)
	if n == 0 {
		return nil, ErrNoSegments
	}
	if systems == 0 {
		return nil, nil
	}
	if uint64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("significance: %d segments", n)
	}
	out := make([][]float64, systems)
	for k := range out {
		out[k] = make([]float64, o.Samples)
	}
	rows := bySegment(t)
	g := numpyrand.New(o.Seed)
	draws := make([]uint32, block*n)
	for lo := 0; lo < o.Samples; lo += block {
		hi := min(o.Samples, lo+block)
		g.Fill(draws[:(hi-lo)*n], uint32(n))
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			sum := rows.sum(draws[s*n : (s+1)*n])
			for k := range out {
				out[k][lo+s] = t.Score(rows.system(sum, k))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// An Interval is the middle 95% of the scores of samples.
type Interval struct {
	Mean      float64 // of the samples
	Low, High float64
}

// Half is half the width, what sacreBLEU prints after ±.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// Interval95 returns the interval of samples, which are not changed, leaving out the
// 1/40 at either end, rounded down, as sacreBLEU does. It is zero for no samples.
func Interval95(samples []float64) Interval {
	n := len(samples)
	if n == 0 {
		return Interval{}
	}
	sorted := slices.Sorted(slices.Values(samples))
	return Interval{mean(samples), sorted[n/40], sorted[n-n/40-1]}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// A Paired result compares a system with the baseline.
type Paired struct {
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
func PairedBootstrap(ctx context.Context, t *mteval.Table, baseline int, o Options) ([]Paired, error) {
	if err := checkBaseline(t, baseline); err != nil {
		return nil, err
	}
	samples, err := Bootstrap(ctx, t, o)
	if err != nil {
		return nil, err
	}
	scores := t.Scores()
	out := make([]Paired, len(scores))
	for k := range out {
		out[k] = Paired{System: t.Systems[k], Score: scores[k], P: 1, Interval: Interval95(samples[k])}
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
func PairedRandomization(ctx context.Context, t *mteval.Table, baseline int, o Options) ([]Paired, error) {
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
	rows := bySegment(t)
	scores := t.Scores()
	totals := make([][]float64, systems)
	for k := range totals {
		totals[k] = t.Sum(k)
	}
	above, differs := make([]int, systems), make([]bool, systems)
	// By sample and system the difference.
	diffs := make([]float64, block*systems)
	coins := make([]bool, block*n)
	stream := numpyrand.New(o.Seed).Bools()
	for lo := 0; lo < o.Samples; lo += block {
		hi := min(o.Samples, lo+block)
		for i := range coins[:(hi-lo)*n] {
			coins[i] = stream.Next()
		}
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			// What every system has on the segments where the coin says heads;
			// the rest is the total less that.
			heads := make([]float64, rows.width)
			for i, coin := range coins[s*n : (s+1)*n] {
				if coin {
					for j, x := range rows.of(i) {
						heads[j] += x
					}
				}
			}
			a, b := make([]float64, rows.inner), make([]float64, rows.inner)
			base := rows.system(heads, baseline)
			for k := range systems {
				mine := rows.system(heads, k)
				for j := range a {
					a[j] = base[j] + (totals[k][j] - mine[j])
					b[j] = mine[j] + (totals[baseline][j] - base[j])
				}
				diffs[s*systems+k] = math.Abs(t.Score(a) - t.Score(b))
			}
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
	}
	out := make([]Paired, systems)
	for k := range out {
		out[k] = Paired{System: t.Systems[k], Score: scores[k], P: 1}
		if k != baseline && differs[k] {
			out[k].P = float64(above[k]+1) / float64(o.Samples+1)
		}
	}
	return out, nil
}

func checkBaseline(t *mteval.Table, baseline int) error {
	if baseline < 0 || baseline >= len(t.Systems) {
		return fmt.Errorf("significance: no baseline %d among %d systems", baseline, len(t.Systems))
	}
	return nil
}

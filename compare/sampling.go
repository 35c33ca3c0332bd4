package compare

import (
	"context"
	"math"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/significance"
)

// part returns a context that reports the work of one stage of a metric.
func part(ctx context.Context, at int) context.Context {
	return mteval.WithProgress(ctx, func(done, total int) {
		mteval.ReportProgress(ctx, at*total+done, stages*total)
	})
}

// bootstrap sets what is of samples of the segments.
func (c *contest) bootstrap(ctx context.Context, r *Result, o significance.Options) error {
	samples, err := significance.Resample(part(ctx, 0), len(c.items), o, len(c.systems), func(draws []uint32, means []float64) error {
		for at, i := range draws {
			if at&1023 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			for k, v := range c.of(int(i)) {
				means[k] += v
			}
		}
		for k := range means {
			means[k] /= float64(len(draws))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k := range r.Systems {
		r.Systems[k].Interval = significance.Interval95(samples[k])
	}
	return parallel.For(ctx, len(r.Pairs), o.Workers, 1, func(i, _ int) error {
		p := &r.Pairs[i]
		differences := make([]float64, len(samples[p.A]))
		for s := range differences {
			differences[s] = c.up(samples[p.A][s] - samples[p.B][s])
		}
		p.Interval = significance.Interval95(differences)
		p.Bootstrap.P = bootstrapP(p.Difference, differences)
		return nil
	})
}

// bootstrapP is how often a difference is further from the mean one than the real one from 0,
// as sacreBLEU has it; 1 where there is none in any sample.
func bootstrapP(real float64, differences []float64) float64 {
	sum, equal := 0.0, true
	for _, d := range differences {
		sum += math.Abs(d)
		equal = equal && d == 0
	}
	if equal {
		return 1
	}
	mean, above := sum/float64(len(differences)), 1
	for _, d := range differences {
		if math.Abs(d)-mean > math.Abs(real) {
			above++
		}
	}
	return float64(above) / float64(len(differences)+1)
}

// swaps is how many permutations are looked at together.
const swaps = 64

// randomize sets the p-values of approximate randomization. All pairs share the coins, which
// say on which segments scores are swapped.
func (c *contest) randomize(ctx context.Context, r *Result, o significance.Options) error {
	n, systems, exact := o.Samples, len(c.systems), false
	if n == 0 {
		n = 10000
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	items := len(c.items)
	if items < strconv.IntSize-2 && 1<<items <= n {
		n, exact = 1<<items, true
	}
	ctx = part(ctx, 1)
	stream := numpyrand.New(o.Seed).Bools()
	coins := make([]bool, swaps*items)
	kept := make([]float64, swaps*systems)
	above := make([]int, len(r.Pairs))
	for lo := 0; lo < n; lo += swaps {
		hi := min(n, lo+swaps)
		if err := ctx.Err(); err != nil {
			return err
		}
		for at := range coins[:(hi-lo)*items] {
			if exact {
				coins[at] = (lo+at/items)>>(at%items)&1 == 1
			} else {
				coins[at] = stream.Next()
			}
		}
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			c.turn(coins[s*items:(s+1)*items], kept[s*systems:(s+1)*systems])
			return nil
		})
		if err != nil {
			return err
		}
		for s := range hi - lo {
			c.exceed(r.Pairs, kept[s*systems:(s+1)*systems], above)
		}
		mteval.ReportProgress(ctx, hi, n)
	}
	for i := range r.Pairs {
		p := &r.Pairs[i].Randomization.P
		if exact {
			*p = float64(above[i]) / float64(n)
		} else {
			*p = float64(above[i]+1) / float64(n+1)
		}
	}
	return nil
}

// turn sets out to each system's sum with the signs of the scores turned where a coin says so:
// the difference of two of them is that of the systems with the scores swapped there.
func (c *contest) turn(coins []bool, out []float64) {
	clear(out)
	for i, coin := range coins {
		if coin {
			for k, v := range c.of(i) {
				out[k] += v
			}
		}
	}
	for k := range out {
		out[k] = c.means[k]*float64(len(coins)) - 2*out[k]
	}
}

// exceed counts for each pair whether the difference of the turned sums is as large as that of
// the sums. Sums that are equal but for rounding are.
func (c *contest) exceed(pairs []Pair, turned []float64, above []int) {
	for i := range pairs {
		p := &pairs[i]
		real := math.Abs(p.Difference) * float64(len(c.items))
		if math.Abs(turned[p.A]-turned[p.B]) >= real-1e-13*(c.sizes[p.A]+c.sizes[p.B]) {
			above[i]++
		}
	}
}

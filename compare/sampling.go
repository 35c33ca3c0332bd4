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

// Of swaps, so many are looked at together, and of coins at most so many if that is more than
// one, which bounds memory.
const swapsAtOnce, coinsAtOnce = 64, 1 << 24

// randomize sets the p-values of approximate randomization. All pairs share the coins, which
// say on which segments scores are swapped.
func (c *contest) randomize(ctx context.Context, r *Result, o Options) error {
	items, systems := len(c.items), len(c.systems)
	tosses := newTosses(items, o)
	swaps := max(1, min(swapsAtOnce, coinsAtOnce/items))
	coins := make([]bool, swaps*items)
	turned := make([]float64, swaps*systems)
	above := make([]int, len(r.Pairs))
	ctx = part(ctx, 1)
	for lo := 0; lo < tosses.n; lo += swaps {
		hi := min(tosses.n, lo+swaps)
		if err := ctx.Err(); err != nil {
			return err
		}
		tosses.fill(coins[:(hi-lo)*items], lo)
		err := parallel.For(ctx, hi-lo, o.Workers, 1, func(s, _ int) error {
			c.turn(coins[s*items:(s+1)*items], turned[s*systems:(s+1)*systems])
			return nil
		})
		if err != nil {
			return err
		}
		for s := range hi - lo {
			c.exceed(r.Pairs, turned[s*systems:(s+1)*systems], above)
		}
		mteval.ReportProgress(ctx, hi, tosses.n)
	}
	for i := range r.Pairs {
		r.Pairs[i].Randomization.P = tosses.p(above[i])
	}
	return nil
}

// tosses are the ways in which the scores of segments are swapped: n of them, or all.
type tosses struct {
	items, n int
	exact    bool
	stream   *numpyrand.Bools
}

func newTosses(items int, o Options) *tosses {
	t := &tosses{items: items, n: o.Samples}
	if t.n == 0 {
		t.n = 10000
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	if items < strconv.IntSize-2 && 1<<items <= t.n {
		t.n, t.exact = 1<<items, true
	}
	t.stream = numpyrand.New(o.Seed).Bools()
	return t
}

// fill sets the coins of the swaps from number lo on. Calls come in order.
func (t *tosses) fill(coins []bool, lo int) {
	for at := range coins {
		if t.exact {
			coins[at] = (lo+at/t.items)>>(at%t.items)&1 == 1
		} else {
			coins[at] = t.stream.Next()
		}
	}
}

// p is the p-value where so many differences are as large as the real one, which is one of
// all, and is counted beside those that are drawn.
func (t *tosses) p(above int) float64 {
	if t.exact {
		return float64(above) / float64(t.n)
	}
	return float64(above+1) / float64(t.n+1)
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
		if math.Abs(turned[p.A]-turned[p.B]) >= real-rounding(c.sizes[p.A], c.sizes[p.B]) {
			above[i]++
		}
	}
}

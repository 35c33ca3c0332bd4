package significance

import (
	"context"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/metaeval"
)

// PairwiseP tests for all pairs of systems whether the one is better, by a paired
// permutation test: PairwiseP(…)[a][b] is how often the mean of system a is at least as
// far above that of system b as it is, where the scores of both on an item are swapped by
// the toss of a coin. It is the one-sided p-value of a being better than b, 0 to 1, and 1
// for a system and itself. metaeval.SoftPairwiseAccuracy is of these p-values.
//
// They are those of Thompson et al. (WMT 2024) with the same seed, but for rounding; their
// program's is 4. All pairs share the coins, so that one sum for each system and
// permutation serves all. There are 1,000 permutations unless o says otherwise; where
// there are no more at all, these are counted, and the p-values are exact.
//
// The scores of an error metric are negated. Two systems are compared on the items that
// both have scores for; if there is none, the error wraps metaeval.ErrUndefined.
func PairwiseP(ctx context.Context, m metaeval.Metric, o Options) ([][]float64, error) {
	if err := m.Scores.Check(); err != nil {
		return nil, fmt.Errorf("significance: %s: %w", m.Name, err)
	}
	if err := o.set(1000); err != nil {
		return nil, err
	}
	c, err := newContests(ctx, m)
	if err != nil {
		return nil, err
	}
	n := len(m.Scores.Systems)
	p := make([][]float64, n)
	for a := range p {
		p[a] = make([]float64, n)
	}
	if n < 2 {
		for a := range p {
			p[a][a] = 1
		}
		return p, nil
	}
	coins := newPermutations(SwapItems, len(c.values)/max(1, c.items), c.items, o)
	floats := numpyrand.New(o.Seed)
	for lo := 0; lo < coins.n; lo += coins.step() {
		hi := min(coins.n, lo+coins.step())
		f, err := coins.fill(ctx, lo, hi, floats)
		if err != nil {
			return nil, err
		}
		sums, err := f.sums(ctx, c.values, o.Workers)
		if err != nil {
			return nil, err
		}
		for i := range f.n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.count(p, sums[i*f.systems:(i+1)*f.systems])
		}
		mteval.ReportProgress(ctx, hi, coins.n)
	}
	for a := range p {
		for b := range p {
			p[a][b] /= float64(coins.n)
		}
		p[a][a] = 1
	}
	return p, nil
}

// count adds a permutation to p, of which sums are those of what is swapped.
func (c *contests) count(p [][]float64, sums []float64) {
	for b := range p {
		for a := range b {
			// a stays as far above b unless it was better, on balance, on what is swapped.
			swapped, rounding := c.difference(sums, a, b)
			if swapped <= rounding {
				p[a][b]++
			}
			if swapped >= -rounding {
				p[b][a]++
			}
		}
	}
}

// contests are all pairs of systems.
type contests struct {
	items int
	// values of each item: of each system, or, where some are missing, of each pair
	// the differences on the items that both have.
	values   []float64
	paired   bool
	rounding []float64 // of the sums of each system or pair
}

func newContests(ctx context.Context, m metaeval.Metric) (*contests, error) {
	systems := m.Scores.Systems
	c := &contests{items: len(m.Scores.Items), values: upward(m)}
	for k := range systems {
		total := 0.0
		for _, v := range m.Scores.Values[k*c.items : (k+1)*c.items] {
			if v == v {
				total += math.Abs(v)
			}
		}
		if math.IsInf(total, 0) {
			return nil, fmt.Errorf("significance: %s: scores of %s are too large to be added up", m.Name, systems[k])
		}
	}
	for _, v := range c.values {
		c.paired = c.paired || math.IsNaN(v)
	}
	if c.paired || c.items == 0 {
		scores := c.values
		c.values = nil
		for b := range systems {
			for a := range b {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				both := 0
				for i := range c.items {
					v := scores[a*c.items+i] - scores[b*c.items+i]
					if math.IsNaN(v) {
						v = 0
					} else {
						both++
					}
					c.values = append(c.values, v)
				}
				if both == 0 {
					return nil, fmt.Errorf("significance: the test is %w: %s has no item with scores of both %s and %s", metaeval.ErrUndefined, m.Name, systems[a], systems[b])
				}
			}
		}
	}
	for row := c.values; len(row) > 0; row = row[c.items:] {
		total := 0.0
		for _, v := range row[:c.items] {
			total += math.Abs(v)
		}
		c.rounding = append(c.rounding, 1e-13*total)
	}
	return c, nil
}

// difference between systems a and b, a < b, of sums by system or pair, and what it may
// differ by from rounding.
func (c *contests) difference(sums []float64, a, b int) (difference, rounding float64) {
	if c.paired {
		pair := b*(b-1)/2 + a
		return sums[pair], c.rounding[pair]
	}
	return sums[a] - sums[b], c.rounding[a] + c.rounding[b]
}

// fill is draw with the coins that numpy.random.default_rng(seed).random(…, float32)
// rounds to: what is 0 is swapped.
func (p *permutations) fill(ctx context.Context, lo, hi int, floats *numpyrand.Generator) (*flips, error) {
	f := &flips{p, hi - lo, make([]uint64, (hi-lo)*p.each())}
	for i := range f.n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		bits := f.of(i)
		if p.exact {
			p.count(bits, lo+i)
			continue
		}
		for w := range bits {
			word := uint64(0)
			for j := range min(64, p.items-64*w) {
				// A float has 24 bits, and rounds to 0 up to a half. It is less
				// than the next one if the difference is negative: a branch would
				// be guessed wrong half the time.
				below := uint64(floats.Uint32()>>8) - (1<<23 + 1)
				word |= below >> 63 << j
			}
			bits[w] = word
		}
	}
	return f, nil
}

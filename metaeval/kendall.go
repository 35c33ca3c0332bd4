package metaeval

import (
	"math"
	"math/bits"
)

// Kendall is tau-b of x and y (Kendall 1945), −1 to 1,
//
//	τ = (C − D) / √((n₀ − n₁)(n₀ − n₂))
//
// with C and D the pairs in the same and in opposite order, n₀ all pairs, n₁ and n₂
// the pairs that are tied in x and in y. Errors are Pearson's. It takes O(n log n), as
// KendallA and KendallC do.
func Kendall(x, y []float64) (float64, error) {
	c, err := countOrders(x, y)
	if err != nil {
		return 0, err
	}
	return c.tauB(), nil
}

// KendallA is tau-a of x and y (Kendall 1938), (C − D) / n₀: ties count against it,
// so it reaches ±1 only where there are none. Errors are Pearson's: constant values
// wrap ErrUndefined here too.
func KendallA(x, y []float64) (float64, error) {
	c, err := countOrders(x, y)
	if err != nil {
		return 0, err
	}
	return float64(c.difference()) / float64(c.all()), nil
}

// KendallC is tau-c of x and y (Stuart 1953), −1 to 1,
//
//	τ = 2(C − D) / (n² (m − 1)/m)
//
// with m the smaller of the numbers of distinct values in x and in y. Errors are
// Pearson's.
func KendallC(x, y []float64) (float64, error) {
	c, err := countOrders(x, y)
	if err != nil {
		return 0, err
	}
	n, m := float64(c.n), float64(min(c.x.distinct, c.y.distinct))
	return max(-1, min(1, 2*float64(c.difference())/(n*n*(m-1)/m))), nil
}

// orders counts the pairs of n pairs of values by how the two orders compare. The
// counts can't overflow: n is at most maxValues.
type orders struct {
	n          int64
	discordant int64
	x, y       ties
	both       int64 // pairs that are tied in x and in y
}

// ties describes the runs of equal values.
type ties struct {
	pairs    int64 // pairs that are tied
	distinct int64
	// Σ t(t−1)(t−2) and Σ t(t−1)(2t+5) over runs of t equal values, for the variance.
	// In float64, as they grow with n³.
	cubic, linear float64
}

func (t *ties) add(run int64) {
	t.pairs += run * (run - 1) / 2
	t.distinct++
	f := float64(run)
	t.cubic += f * (f - 1) * (f - 2)
	t.linear += f * (f - 1) * (2*f + 5)
}

func (c *orders) all() int64 { return c.n * (c.n - 1) / 2 }

func (c *orders) concordant() int64 {
	return c.all() - c.x.pairs - c.y.pairs + c.both - c.discordant
}

func (c *orders) difference() int64 { return c.concordant() - c.discordant }

func (c *orders) tauB() float64 {
	// In float64, as the product of the counts can pass 2⁶³.
	tau := float64(c.difference()) / math.Sqrt(float64(c.all()-c.x.pairs)*float64(c.all()-c.y.pairs))
	return max(-1, min(1, tau))
}

func countOrders(x, y []float64) (orders, error) {
	if err := check(x, y); err != nil {
		return orders{}, err
	}
	return counted(x, y), nil
}

// counted counts by a table where there are few values, by sorting else.
func counted(x, y []float64) orders {
	if len(x) < contingencyFrom {
		return countSorted(x, y)
	}
	c, ok, fewerX := countTable(x, y)
	switch {
	case ok:
		return c
	case fewerX: // inversions is faster for few
		c = countSorted(y, x)
		c.x, c.y = c.y, c.x
		return c
	}
	return countSorted(x, y)
}

// countSorted puts the values of y, as ranks, into the order of x, equal x in the order
// of y. The pairs in opposite order are then those to be swapped to sort these ranks.
func countSorted(x, y []float64) orders {
	c := orders{n: int64(len(x))}
	v, tmp := make([]keyed, len(x)), make([]keyed, len(x))
	for i := range v {
		v[i] = keyed{orderedKey(y[i]), orderedKey(x[i])}
	}
	v, tmp = sortKeyed(v, tmp)
	last, rank, run := v[0].key, uint64(0), int64(0)
	for i, e := range v {
		if e.key != last {
			c.y.add(run)
			last, rank, run = e.key, rank+1, 0
		}
		run++
		v[i] = keyed{e.value, rank}
	}
	c.y.add(run)
	v, _ = sortKeyed(v, tmp)
	ranks := make([]uint32, len(x))
	run = 0
	both := int64(0) // before this one, equal to it in x and y
	var before keyed
	for i, e := range v {
		ranks[i] = uint32(e.value)
		if i > 0 && e.key != before.key {
			c.x.add(run)
			run = 0
		}
		if run > 0 && e.value == before.value {
			both++
		} else {
			both = 0
		}
		c.both += both
		run++
		before = e
	}
	c.x.add(run)
	c.discordant = inversions(ranks, make([]uint32, len(x)), int(c.y.distinct))
	return c
}

// inversions returns how many pairs of v, whose values are below limit, are in the wrong
// order. It takes tmp, of v's length, as scratch, and changes both.
//
// Bit by bit from the highest, it moves the values with a 0 before those with a 1. Of
// two values that agree in the bits above, which lie together, the pair is in the wrong
// order where the first has the 1 (as in a wavelet matrix, Claude and Navarro 2012). It
// takes O(n log limit), and no branch depends on a value.
func inversions(v, tmp []uint32, limit int) int64 {
	n := uint64(0)
	tmp = tmp[:len(v)]
	for bit := bits.Len(uint(limit-1)) - 1; bit >= 0; bit-- {
		shift := uint(bit) & 31
		zeros := 0
		before, ones := uint32(0), uint32(0)
		for i, x := range v {
			if (x^before)>>shift > 1 { // the bits above have changed
				ones = 0
			}
			before = x
			b := x >> shift & 1
			n += uint64(ones & (b - 1))
			ones += b
			v[zeros] = x
			tmp[i-zeros] = x
			zeros += int(b ^ 1)
		}
		copy(v[zeros:], tmp)
	}
	return int64(n)
}

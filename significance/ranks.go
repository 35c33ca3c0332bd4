package significance

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/parallel"
)

// rankDifferences are of the mean of Spearman's or Kendall's correlations over groups of
// outputs. The scores of both metrics are sorted once, together: those that a permutation
// gives to a metric are then in order too.
//
// Most permutations do without even that. Both coefficients are N/d, where d depends on
// ties only, and N is the sum over all pairs of outputs of
//
//	w(i, j) · sgn(score of i − score of j)
//
// with w the sign of the difference of people's scores for Kendall, and half the difference
// of their ranks for Spearman. Let s_i be 1 where output i has its scores as they were, and
// −1 where they are swapped. A term of N of x is some a + b s_i + c s_j + e s_i s_j, and y
// has the same one with the other signs, so that the difference of both N, L, has no terms
// of two s left: it is a sum over the outputs. Of their mean, P, we know that |P| is at most
// (dx + dy)/2, as no correlation is above 1. The difference of the correlations is
//
//	L/2 · (1/dx + 1/dy) + P · (1/dx − 1/dy)
//
// Without ties dx is dy; with them, the second part is small. Only where the first comes so
// close to what it is compared with that the second could matter are the pairs counted.
type rankDifferences struct {
	coefficient Coefficient
	groups      []ranked
	largest     int // outputs of a group
	// Of each output, by how much L falls where it is swapped; nil for groups by item.
	swings []float64
}

// ranked is a group of outputs.
type ranked struct {
	scores []score // of both metrics, from the lowest up, equal ones in people's order
	// human is the centred mean rank that people give to the output in a place,
	// scaled to length 1.
	human  []float64
	tied   float64 // pairs of outputs that people find equal
	lo, hi int     // systems
	// For groups that are not by item: the coins of the scores that equal others, where
	// their runs end, and L before swapping.
	coins     []uint32
	runs      []int
	numerator float64
}

// A score of one of two metrics.
type score struct {
	rank        uint32 // among those of both metrics, shared by equal ones
	first, past uint32 // places in people's order of the outputs they find as good
	place       uint32 // of the output
	coin        uint32 // which decides who gets it, times 2, plus 1 if it is y's
}

// newRankDifferences ends as soon as ctx is cancelled; the differences are of no use then.
func newRankDifferences(ctx context.Context, o *outputs, m Measure, x, y []float64, p *permutations) *rankDifferences {
	d := &rankDifferences{coefficient: m.Coefficient}
	if !m.byItem() {
		d.swings = make([]float64, len(x))
	}
	for k, group := range o.groups {
		if ctx.Err() != nil {
			break
		}
		g := ranked{lo: k, hi: k + 1}
		if m.together() {
			g.lo, g.hi = 0, o.systems
		}
		order := slices.Clone(group)
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(o.human[a], o.human[b]) })
		var values []float64
		for lo := 0; lo < len(order); {
			hi := lo + 1
			for hi < len(order) && o.human[order[hi]] == o.human[order[lo]] {
				hi++
			}
			g.tied += pairs(hi - lo)
			for place := lo; place < hi; place++ {
				at := order[place]
				g.human = append(g.human, float64(lo+hi))
				coin := uint32(p.coin(at/o.items, at%o.items)) << 1
				s := score{first: uint32(lo), past: uint32(hi), place: uint32(place), coin: coin}
				g.scores = append(g.scores, s)
				s.coin++
				g.scores = append(g.scores, s)
				values = append(values, x[at], y[at])
			}
			lo = hi
		}
		if !centre(g.human) || ctx.Err() != nil {
			continue
		}
		g.sort(values)
		d.largest = max(d.largest, len(group))
		if d.swings != nil {
			g.linear(ctx, d.coefficient, order, d.swings)
		}
		d.groups = append(d.groups, g)
	}
	return d
}

// sort sorts the scores, which are in people's order, by their values.
func (g *ranked) sort(values []float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	scores := make([]score, len(order))
	rank := uint32(0)
	for i, at := range order {
		if i > 0 && values[at] != values[order[i-1]] {
			rank++
		}
		scores[i] = g.scores[at]
		scores[i].rank = rank
	}
	g.scores = scores
}

// run returns where the run of equal scores ends that begins at lo.
func run(scores []score, lo int) int {
	hi := lo + 1
	for hi < len(scores) && scores[hi].rank == scores[lo].rank {
		hi++
	}
	return hi
}

// lookAfter is after how many scores to look at a context.
const lookAfter = 1 << 13

// linear finds L, and by how much it falls where the scores of an output are swapped; and
// which scores equal others. The output in a place is number order[place]. It ends as soon
// as ctx is cancelled.
func (g *ranked) linear(ctx context.Context, c Coefficient, order []int, swings []float64) {
	n := len(g.human)
	seen := make(counts, n)
	before := 0.0 // people's ranks of scores that are lower
	for lo, look := 0, lookAfter; lo < len(g.scores); {
		if lo >= look {
			if ctx.Err() != nil {
				return
			}
			look = lo + lookAfter
		}
		hi := run(g.scores, lo)
		if hi-lo > 1 {
			for _, s := range g.scores[lo:hi] {
				g.coins = append(g.coins, s.coin)
			}
			g.runs = append(g.runs, len(g.coins))
		}
		add := func(s score, v float64) {
			if s.coin&1 == 1 {
				v = -v
			}
			swings[order[s.place]] += v
			g.numerator += v / 2
		}
		switch c {
		case Spearman:
			within := 0.0
			for _, s := range g.scores[lo:hi] {
				within += g.human[s.place]
			}
			// Those above have −before − within, as all have the sum 0.
			for _, s := range g.scores[lo:hi] {
				add(s, (g.human[s.place]*float64(lo-(len(g.scores)-hi))-(2*before+within))/2)
			}
			before += within
		case Kendall:
			// Of the scores counted: how many people find worse less how many better.
			worse := func(s score, counted int) int {
				return seen.below(s.first) + seen.below(s.past) - counted
			}
			for _, s := range g.scores[lo:hi] {
				add(s, float64(worse(s, lo)))
			}
			for _, s := range g.scores[lo:hi] {
				seen.add(s.place)
			}
			for _, s := range g.scores[lo:hi] {
				all := 2*int(s.first) + 2*int(s.past) - 2*n
				add(s, float64(worse(s, hi)-all))
			}
		}
		lo = hi
	}
}

func pairs(n int) float64 { return float64(n) * float64(n-1) / 2 }

func (d *rankDifferences) of(ctx context.Context, f *flips, given float64, workers int) ([]float64, error) {
	var sums []float64
	if d.swings != nil {
		var err error
		if sums, err = f.sums(ctx, d.swings, workers); err != nil {
			return nil, err
		}
	}
	out := make([]float64, f.n)
	return out, parallel.For(ctx, f.n, workers, 16, func(lo, hi int) error {
		x, y := make([]score, d.largest), make([]score, d.largest)
		seen := make(counts, d.largest)
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if sums != nil {
				about, off := d.estimate(f.of(i), sums[i*f.systems:(i+1)*f.systems])
				if math.Abs(math.Abs(about)-math.Abs(given)) > off+2*tolerance {
					out[i] = about
					continue
				}
			}
			var rx, ry average
			for g := range d.groups {
				group := &d.groups[g]
				n := len(group.human)
				group.deal(x[:n], y[:n], f.of(i))
				rx.add(group.correlation(ctx, d.coefficient, x[:n], seen[:n]))
				ry.add(group.correlation(ctx, d.coefficient, y[:n], seen[:n]))
			}
			out[i] = rx.value() - ry.value()
		}
		return nil
	})
}

// estimate returns what a difference is about, and by how much it may be off: infinity
// where a correlation is undefined.
func (d *rankDifferences) estimate(bits []uint64, sums []float64) (about, off float64) {
	for i := range d.groups {
		g := &d.groups[i]
		x, y := g.ties(d.coefficient, bits)
		dx, dy := g.denominator(d.coefficient, x), g.denominator(d.coefficient, y)
		if dx == 0 || dy == 0 {
			return 0, math.Inf(1)
		}
		numerator := g.numerator
		for _, s := range sums[g.lo:g.hi] {
			numerator -= s
		}
		about += numerator / 2 * (1/dx + 1/dy)
		off += (dx + dy) / 2 * math.Abs(1/dx-1/dy)
	}
	n := float64(len(d.groups))
	return about / n, off / n
}

// ties returns what denominator wants to know of the ties of both metrics.
func (g *ranked) ties(c Coefficient, bits []uint64) (x, y float64) {
	lo := 0
	for _, hi := range g.runs {
		swapped := 0
		for _, coin := range g.coins[lo:hi] {
			swapped += int((uint64(coin) ^ flipped(bits, int(coin>>1))) & 1)
		}
		x += c.ties(hi - lo - swapped)
		y += c.ties(swapped)
		lo = hi
	}
	return x, y
}

// ties is what n equal scores count for: the pairs of them for Kendall, n³ − n for
// Spearman.
func (c Coefficient) ties(n int) float64 {
	if c == Kendall {
		return pairs(n)
	}
	return 2 * pairs(n) * float64(n+1)
}

// denominator is d, given the ties of the scores: for Kendall, the geometric mean of the
// pairs that are not tied in the scores and by people; for Spearman, the length of the
// centred ranks of the scores, as people's is 1.
func (g *ranked) denominator(c Coefficient, ties float64) float64 {
	n := len(g.human)
	if c == Kendall {
		return math.Sqrt((pairs(n) - ties) * (pairs(n) - g.tied))
	}
	return math.Sqrt(max(0, c.ties(n)-ties) / 12) // cubes are rounded for n above 200,000
}

// deal gives each score to one of the metrics, in order.
func (g *ranked) deal(x, y []score, bits []uint64) {
	got := [2][]score{x, y}
	var n [2]int
	for _, s := range g.scores {
		to := (uint64(s.coin) ^ flipped(bits, int(s.coin>>1))) & 1
		got[to][n[to]] = s
		n[to]++
	}
}

// correlation of scores, which are in order, with people's. It returns false where all
// are equal, and as soon as ctx is cancelled.
func (g *ranked) correlation(ctx context.Context, c Coefficient, scores []score, seen counts) (float64, bool) {
	clear(seen)
	numerator, ties := 0.0, 0.0
	for lo, look := 0, lookAfter; lo < len(scores); {
		if lo >= look {
			if ctx.Err() != nil {
				return 0, false
			}
			look = lo + lookAfter
		}
		hi := run(scores, lo)
		ties += c.ties(hi - lo)
		switch c {
		case Spearman:
			human := 0.0
			for _, s := range scores[lo:hi] {
				human += g.human[s.place]
			}
			// The ranks need not be centred, as people's are.
			numerator += float64(lo+hi) / 2 * human
		case Kendall:
			difference := 0
			for _, s := range scores[lo:hi] {
				difference += seen.below(s.first) + seen.below(s.past) - lo
			}
			numerator += float64(difference)
			for _, s := range scores[lo:hi] {
				seen.add(s.place)
			}
		}
		lo = hi
	}
	d := g.denominator(c, ties)
	return numerator / d, d > 0
}

// counts of things at places, which can say how many are below a place (Fenwick 1994).
type counts []uint32

func (c counts) add(place uint32) {
	for k := int(place); k < len(c); k |= k + 1 {
		c[k]++
	}
}

func (c counts) below(place uint32) int {
	n := 0
	for k := int(place); k > 0; k &= k - 1 {
		n += int(c[k-1])
	}
	return n
}

package significance

import (
	"context"
	"math"

	"github.com/mteval/mteval/internal/parallel"
)

// pearsonDifferences are of the mean of Pearson's correlations over groups of outputs.
// Where groups are of whole systems, what correlations are made of comes from sums.
type pearsonDifferences struct {
	groups  []pearsonGroup
	largest int // outputs of a group
	// Of each output, the cross sums of x less those of y; none for groups by item.
	swings [][]float64
}

type pearsonGroup struct {
	lo, hi int // systems
	x, y   []float64
	human  []float64 // of mean 0 and length 1
	coins  []int
	// Before swapping.
	sumsX, sumsY crossSums
}

// crossSums are those of scores, of their squares, and of their products with people's.
type crossSums [3]float64

func crossSumsOf(v, human float64) crossSums { return crossSums{v, v * v, v * human} }

func newPearsonDifferences(o *outputs, m Measure, x, y []float64, p *permutations) *pearsonDifferences {
	d := &pearsonDifferences{}
	if !m.byItem() {
		for range len(crossSums{}) {
			d.swings = append(d.swings, make([]float64, len(x)))
		}
	}
	for k, group := range o.groups {
		g := pearsonGroup{lo: k, hi: k + 1}
		if m.together() {
			g.lo, g.hi = 0, o.systems
		}
		for _, at := range group {
			g.x = append(g.x, x[at])
			g.y = append(g.y, y[at])
			g.human = append(g.human, o.human[at])
			g.coins = append(g.coins, p.coin(at/o.items, at%o.items))
		}
		if !centre(g.human) {
			continue
		}
		for i, at := range group {
			a, b := crossSumsOf(g.x[i], g.human[i]), crossSumsOf(g.y[i], g.human[i])
			for j, swing := range d.swings {
				swing[at] = a[j] - b[j]
				g.sumsX[j] += a[j]
				g.sumsY[j] += b[j]
			}
		}
		d.groups = append(d.groups, g)
		d.largest = max(d.largest, len(group))
	}
	return d
}

func (d *pearsonDifferences) of(ctx context.Context, f *flips, _ float64, workers int) ([]float64, error) {
	sums := make([][]float64, len(d.swings))
	for j, swing := range d.swings {
		var err error
		if sums[j], err = f.sums(ctx, swing, workers); err != nil {
			return nil, err
		}
	}
	out := make([]float64, f.n)
	return out, parallel.For(ctx, f.n, workers, 16, func(lo, hi int) error {
		x, y := make([]float64, d.largest), make([]float64, d.largest)
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			var rx, ry average
			for j := range d.groups {
				g := &d.groups[j]
				if len(sums) > 0 && g.fromSums(sums, i*f.systems, &rx, &ry) {
					continue
				}
				x, y := x[:len(g.x)], y[:len(g.x)]
				g.mix(x, y, f.of(i))
				rx.add(g.correlation(x))
				ry.add(g.correlation(y))
			}
			out[i] = rx.value() - ry.value()
		}
		return nil
	})
}

// fromSums adds the correlations of both metrics to rx and ry, from the sums of a
// permutation that begin at a place. It returns false, and adds none, where so little is
// left of a variance that it would be of rounding.
func (g *pearsonGroup) fromSums(sums [][]float64, at int, rx, ry *average) bool {
	x, y := g.sumsX, g.sumsY
	for j, s := range sums {
		for _, v := range s[at+g.lo : at+g.hi] {
			x[j] -= v
			y[j] += v
		}
	}
	n := float64(len(g.x))
	varianceX, varianceY := x[1]-x[0]/n*x[0], y[1]-y[0]/n*y[0]
	if varianceX < x[1]/100 || varianceY < y[1]/100 || varianceX == 0 || varianceY == 0 {
		return false
	}
	rx.add(x[2]/math.Sqrt(varianceX), true)
	ry.add(y[2]/math.Sqrt(varianceY), true)
	return true
}

// mix fills x and y with the scores, the other way round where a coin says so.
func (g *pearsonGroup) mix(x, y []float64, bits []uint64) {
	for i, coin := range g.coins {
		pair := [2]float64{g.x[i], g.y[i]}
		c := flipped(bits, coin)
		x[i], y[i] = pair[c], pair[c^1]
	}
}

// correlation of scores, which it changes, with people's. It returns false where all are
// equal.
func (g *pearsonGroup) correlation(scores []float64) (float64, bool) {
	if !centre(scores) {
		return 0, false
	}
	r := 0.0
	for i, v := range scores {
		r += v * g.human[i]
	}
	return r, true
}

package tasks

import (
	"errors"
	"math"
	"math/bits"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/metaeval"
)

// A contest is between two metrics whose scores, or verdicts, are swapped. It can be asked by
// several goroutines at once.
type contest interface {
	// of returns the measure of both where each keeps its own for a coin of 1. What is
	// undefined is 0.
	of(coins []uint64, s *scratch) (a, b float64)
}

// scratch is room for mixtures of scores.
type scratch struct{ a, b []float64 }

// An arena holds what all contests of a task share.
type arena interface {
	// rows of coins, each of which begins with a new word.
	rows() []int
	contest(a, b int) contest
}

// newArena returns that of a task; epsilons are those of AccEq, by metric.
func newArena(t Task, s *sample, epsilons []float64) arena {
	if t.Measure == AccEq {
		return newVerdicts(s, epsilons)
	}
	z := make([][]float64, len(s.metrics))
	for i, m := range s.metrics {
		z[i] = standardized(m)
	}
	switch {
	case t.Measure == Pearson && len(s.ends) == 1:
		return newProducts(s.human, z)
	case t.Measure == PairwiseAccuracy:
		return &mixtures{s, z, s.accuracy}
	case t.Measure == AccEqExact:
		return &mixtures{s, z, s.accEq}
	case t.Measure == DifferencePearson:
		return &mixtures{s, z, s.differences}
	}
	f := t.Measure.correlation()
	return &mixtures{s, z, func(m []float64) float64 { return s.mean(m, f) }}
}

// mixtures are of the scores of two metrics, of which a function of all is taken.
type mixtures struct {
	*sample
	z       [][]float64
	measure func(metric []float64) float64
}

func (x *mixtures) rows() []int { return []int{len(x.human)} }

func (x *mixtures) contest(a, b int) contest { return &mixture{x, x.z[a], x.z[b]} }

type mixture struct {
	all  *mixtures
	a, b []float64
}

func (x *mixture) of(coins []uint64, s *scratch) (a, b float64) {
	if len(s.a) != len(x.a) {
		s.a, s.b = make([]float64, len(x.a)), make([]float64, len(x.a))
	}
	for i := range x.a {
		if coins[i/64]>>(i%64)&1 == 1 {
			s.a[i], s.b[i] = x.a[i], x.b[i]
		} else {
			s.a[i], s.b[i] = x.b[i], x.a[i]
		}
	}
	return x.all.measure(s.a), x.all.measure(s.b)
}

// groups calls do with the scores of each.
func (s *sample) groups(metric []float64, do func(human, metric []float64)) {
	lo := 0
	for _, hi := range s.ends {
		do(s.human[lo:hi], metric[lo:hi])
		lo = hi
	}
}

// mean of a correlation over the groups for which it is defined.
func (s *sample) mean(metric []float64, f metaeval.Correlation) float64 {
	sum, n := 0.0, 0
	s.groups(metric, func(h, m []float64) {
		if v, err := f(h, m); err == nil {
			sum += v
			n++
		} else if !errors.Is(err, metaeval.ErrUndefined) {
			sum = math.NaN() // which standardized scores have not
		}
	})
	if n == 0 || math.IsNaN(sum) {
		return 0
	}
	return sum / float64(n)
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// agreed counts the pairs of which both say the same.
func agreed(human, metric []float64) (agree, pairs int) {
	for i := range human {
		for j := range i {
			if sign(human[i]-human[j]) == sign(metric[i]-metric[j]) {
				agree++
			}
		}
	}
	return agree, len(human) * (len(human) - 1) / 2
}

// accuracy is over the pairs of all groups.
func (s *sample) accuracy(metric []float64) float64 {
	agree, pairs := 0, 0
	s.groups(metric, func(h, m []float64) {
		a, n := agreed(h, m)
		agree, pairs = agree+a, pairs+n
	})
	return float64(agree) / float64(pairs)
}

// accEq is the mean over groups with a pair.
func (s *sample) accEq(metric []float64) float64 {
	var values []float64
	s.groups(metric, func(h, m []float64) {
		if agree, pairs := agreed(h, m); pairs > 0 {
			values = append(values, float64(agree)/float64(pairs))
		}
	})
	return numpyMean(values)
}

// differences is the correlation of those within groups.
func (s *sample) differences(metric []float64) float64 {
	var xy, xx, yy float64
	s.groups(metric, func(h, m []float64) {
		for i := range h {
			for j := range i {
				x, y := h[i]-h[j], m[i]-m[j]
				xy += x * y
				xx += x * x
				yy += y * y
			}
		}
	})
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx) / math.Sqrt(yy)
}

// products make Pearson's correlation of all scores of mixtures from sums.
type products struct {
	human []float64 // of mean 0 and length 1
	z     [][]float64
}

// sums are those of scores, of their squares, and of their products with people's.
type sums [3]float64

func newProducts(human []float64, z [][]float64) *products {
	h := standardized(human)
	for i := range h {
		h[i] /= math.Sqrt(float64(len(h)))
	}
	return &products{h, z}
}

func (p *products) rows() []int { return []int{len(p.human)} }

func (p *products) contest(a, b int) contest {
	c := &productContest{n: float64(len(p.human)), swings: make([]sums, len(p.human))}
	for i, h := range p.human {
		va, vb := p.z[a][i], p.z[b][i]
		of := func(v float64) sums { return sums{v, v * v, v * h} }
		sa, sb := of(va), of(vb)
		for k := range sa {
			c.b[k] += sb[k]
			c.total[k] += sa[k] + sb[k]
			c.swings[i][k] = sa[k] - sb[k]
		}
	}
	return c
}

type productContest struct {
	n        float64
	b, total sums
	swings   []sums // what a has more than b
}

func (c *productContest) of(coins []uint64, _ *scratch) (a, b float64) {
	s := c.b
	for w, word := range coins {
		for ; word != 0; word &= word - 1 {
			d := &c.swings[64*w+bits.TrailingZeros64(word)]
			s[0] += d[0]
			s[1] += d[1]
			s[2] += d[2]
		}
	}
	var rest sums
	for k := range s {
		rest[k] = c.total[k] - s[k]
	}
	return c.correlation(s), c.correlation(rest)
}

func (c *productContest) correlation(s sums) float64 {
	v := s[1] - s[0]*s[0]/c.n
	if !(v > 1e-12*c.n) { // of which all are equal
		return 0
	}
	return s[2] / math.Sqrt(v)
}

// verdicts say of each pair of outputs of a group whether a metric says what people say.
type verdicts struct {
	sizes []int // of groups
	right [][]uint64
}

// newVerdicts has bit n·i + j of a group of n for the pair i and j, i < j.
func newVerdicts(s *sample, epsilons []float64) *verdicts {
	v := &verdicts{}
	lo := 0
	for _, hi := range s.ends {
		v.sizes = append(v.sizes, hi-lo)
		lo = hi
	}
	for m, metric := range s.metrics {
		var all []uint64
		s.groups(metric, func(h, x []float64) {
			n := len(h)
			row := make([]uint64, (n*n+63)/64)
			for i := range n {
				for j := i + 1; j < n; j++ {
					d := x[i] - x[j]
					says := sign(d)
					if math.Abs(d) <= epsilons[m] {
						says = 0
					}
					if says == sign(h[i]-h[j]) {
						row[(n*i+j)/64] |= 1 << ((n*i + j) % 64)
					}
				}
			}
			all = append(all, row...)
		})
		v.right = append(v.right, all)
	}
	return v
}

func (v *verdicts) rows() []int {
	out := make([]int, len(v.sizes))
	for i, n := range v.sizes {
		out[i] = n * n
	}
	return out
}

func (v *verdicts) contest(a, b int) contest { return &verdictContest{v.sizes, v.right[a], v.right[b]} }

type verdictContest struct {
	sizes []int
	a, b  []uint64
}

func (c *verdictContest) of(coins []uint64, s *scratch) (a, b float64) {
	s.a, s.b = s.a[:0], s.b[:0]
	at := 0
	for _, size := range c.sizes {
		words := (size*size + 63) / 64
		inA, inB := 0, 0
		for w := at; w < at+words; w++ {
			coin, x, y := coins[w], c.a[w], c.b[w]
			inA += bits.OnesCount64(coin&x | y&^coin)
			inB += bits.OnesCount64(coin&y | x&^coin)
		}
		at += words
		if size > 1 {
			pairs := float64(size * (size - 1) / 2)
			s.a, s.b = append(s.a, float64(inA)/pairs), append(s.b, float64(inB)/pairs)
		}
	}
	return numpyMean(s.a), numpyMean(s.b)
}

// numpyMean adds up as NumPy does, which decides which differences are equal.
func numpyMean(v []float64) float64 { return moments.NumPySum(v) / float64(len(v)) }

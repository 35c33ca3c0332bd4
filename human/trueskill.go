package human

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/numpyrand"
)

// TrueSkillOptions are the parameters of [TrueSkill]. The zero value is WMT's, from 2014
// (Sakaguchi et al. 2014).
type TrueSkillOptions struct {
	// Mu is the mean of a system's skill before anything is known.
	Mu float64
	// Sigma is its standard deviation; 0 is 0.5.
	Sigma float64
	// Beta is the standard deviation of one output around the system's skill; 0 is
	// Sigma times the number of pairs / 40, so that many pairs move a skill about as
	// far as few.
	Beta float64
	// Tau is how much skills drift before each pair; systems don't, so 0.
	Tau float64
	// DrawProbability is that of a tie of equal systems, under 1; 0 is 0.25, and what
	// is below 0 stands for a probability next to 0.
	DrawProbability float64
	// Seed shuffles the pairs, as later ones count a little less; 0 keeps their order.
	Seed uint64
}

// A Rating is what is believed of a system's skill: a normal distribution.
type Rating struct {
	Mu, Sigma float64
}

// TrueSkill rates the systems by their pairs, one after the other, ties as draws
// (Herbrich, Minka and Graepel 2006). The ratings are in the order of Systems; WMT ranks
// by Mu.
func TrueSkill(p *Pairs, o TrueSkillOptions) ([]Rating, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if o.Sigma == 0 {
		o.Sigma = 0.5
	}
	if o.Beta == 0 {
		o.Beta = o.Sigma * float64(max(1, len(p.Pairs))) / 40
	}
	if o.DrawProbability == 0 {
		o.DrawProbability = 0.25
	}
	draw := max(0, o.DrawProbability)
	for _, v := range []float64{o.Mu, o.Sigma, o.Beta, o.Tau, o.DrawProbability} {
		if math.Abs(v) > 1e100 || math.IsNaN(v) {
			return nil, fmt.Errorf("human: TrueSkill with a parameter of %v", v)
		}
	}
	if o.Sigma < 1e-100 || o.Beta < 1e-100 || o.Tau < 0 || draw >= 1 {
		return nil, fmt.Errorf("human: TrueSkill needs sigma and beta above 0, tau from 0 and a draw probability under 1: they are %v, %v, %v and %v", o.Sigma, o.Beta, o.Tau, draw)
	}
	ratings := make([]Rating, len(p.Systems))
	for k := range ratings {
		ratings[k] = Rating{o.Mu, o.Sigma}
	}
	// Two outputs draw if they are within this margin: Φ⁻¹((draw + 1) / 2) · √2 β.
	margin := 2 * o.Beta * math.Erfinv(draw)
	for _, i := range order(len(p.Pairs), o.Seed) {
		c := p.Pairs[i]
		if c.Human < 0 {
			c.A, c.B = c.B, c.A
		}
		update(&ratings[c.A], &ratings[c.B], c.Human == 0, o.Beta, o.Tau, margin)
	}
	return ratings, nil
}

// order is 0 … n−1, shuffled if the seed is not 0 (Fisher and Yates, from the end).
func order(n int, seed uint64) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	if seed != 0 {
		g := numpyrand.New(seed)
		for i := n - 1; i > 0; i-- {
			k := int(g.Uint64() % uint64(i+1)) // the bias is below n / 2⁶⁴
			out[i], out[k] = out[k], out[i]
		}
	}
	return out
}

// update is one game of two, which a won or which was a draw.
func update(a, b *Rating, draw bool, beta, tau, margin float64) {
	va, vb := a.Sigma*a.Sigma+tau*tau, b.Sigma*b.Sigma+tau*tau
	c2 := 2*beta*beta + va + vb
	c := math.Sqrt(c2)
	t, e := (a.Mu-b.Mu)/c, margin/c
	v, w := win(t - e)
	if draw {
		v, w = drawn(t, e)
	}
	a.Mu += va / c * v
	b.Mu -= vb / c * v
	a.Sigma = math.Sqrt(va * (1 - va/c2*w))
	b.Sigma = math.Sqrt(vb * (1 - vb/c2*w))
}

// win returns by how much a win moves means and narrows variances, v = φ(x)/Φ(x) and
// w = v(v + x), with x how much it was expected.
func win(x float64) (v, w float64) {
	v, excess := hazard(-x)
	return v, min(1, max(0, v*excess))
}

// drawn is the same for a draw within ±e,
//
//	v = (φ(−e − t) − φ(e − t)) / (Φ(e − t) − Φ(−e − t))
//	w = v² + ((e − t) φ(e − t) + (e + t) φ(e + t)) / (Φ(e − t) − Φ(−e − t))
func drawn(t, e float64) (v, w float64) {
	s := math.Abs(t)
	hi, lo := e-s, -e-s
	switch {
	case e < 1e-4:
		// The first terms of the series in e: differences would lose all digits.
		v, w = -s*(1-e*e/3), 1-e*e/3
	case hi < -5:
		// The same with all terms divided by φ(hi), which can be too small to hold.
		k := math.Exp(-2 * s * e) // φ(lo) / φ(hi)
		h1, _ := hazard(-hi)
		h2, _ := hazard(-lo)
		between := 1/h1 - k/h2
		v, w = (k-1)/between, 1
		if hi > -1e4 { // else w is 1 within 1e-8
			w = v*v + (hi-lo*k)/between
		}
	default:
		between := normal(hi) - normal(lo)
		v = (density(lo) - density(hi)) / between
		w = v*v + (hi*density(hi)-lo*density(lo))/between
	}
	if t < 0 {
		v = -v
	}
	return v, min(1, max(0, w))
}

// hazard is φ(z) / Φ(−z), and by how much that is more than z.
func hazard(z float64) (h, excess float64) {
	if z < 5 {
		h = density(z) / normal(-z)
		return h, h - z
	}
	// The fraction of Laplace, Φ(−z)/φ(z) = 1/(z + 1/(z + 2/(z + …))).
	tail := z
	for k := 60.0; k >= 2; k-- {
		tail = z + k/tail
	}
	return z + 1/tail, 1 / tail
}

func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

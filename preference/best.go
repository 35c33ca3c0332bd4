package preference

import (
	"math"
	"slices"
)

// Best returns the probability of each system that people prefer it to all others. They add up
// to 1. Strengths θ are those of Bradley and Terry (Biometrika 1952) to which the P are nearest,
// and the probability of being the first of an order is Luce's (1959) for them, exp(θ) over
// the sum of all. For two systems it is P.
func (r *Result) Best() []float64 {
	if r.check() != nil {
		return nil
	}
	switch len(r.P) {
	case 0:
		return nil
	case 2:
		return []float64{r.P[0][1], r.P[1][0]}
	}
	out := make([]float64, len(r.P))
	order := r.Order()
	theta := strengths(r.P, order)
	most := slices.Max(theta)
	for i, k := range order {
		out[k] = math.Exp(theta[i] - most)
	}
	sum := sorted(slices.Clone(out))
	for k := range out {
		out[k] /= sum
	}
	return out
}

// drawn is the share of an even choice in each pair: with it strengths are finite where P is 0
// or 1.
const drawn = 1e-12

// mostSteps bounds those of strengths. Seldom are there twenty.
const mostSteps = 1000

// strengths fits θ, by place in the order, by maximum likelihood: Σ_b P(a,b) = Σ_b σ(θ_a − θ_b)
// for all a. These are Newton's steps, halved until the likelihood grows: it does if no
// difference of strengths changes by more than 1. Steps cut to that at once would be too many
// for a hundred systems that are far apart.
func strengths(p [][]float64, order []int) []float64 {
	k := len(order)
	wins, theta, q := make([]float64, k), make([]float64, k), make([][]float64, k)
	for i, a := range order {
		q[i] = make([]float64, i)
		for j, b := range order[:i] {
			q := &q[i][j]
			*q = (1-drawn)*p[a][b] + drawn/2
			wins[i] += *q
			wins[j] += 1 - *q
			odds := math.Log(*q/(1-*q)) / float64(k)
			theta[i] += odds // a first guess
			theta[j] -= odds
		}
	}
	h := make([][]float64, k)
	for i := range h {
		h[i] = make([]float64, k)
	}
	before, change := math.Inf(1), math.Inf(1)
	for range mostSteps {
		step := gradient(theta, wins, h)
		// Near the end each step leaves far less than the one before, or only what is rounded.
		left := far(step)
		if left < 1e-11 || change < 1e-6 && left > before/2 {
			break
		}
		before = left
		solve(h, step)
		change = slices.Max(step) - slices.Min(step)
		theta = climb(theta, step, change, q)
	}
	return theta
}

// climb takes as much of a step as makes the likelihood grow. Change is the most by which the
// step changes a difference.
func climb(theta, step []float64, change float64, q [][]float64) []float64 {
	out := make([]float64, len(theta))
	before := 0.0
	if change > 1 {
		before = likelihood(theta, q)
	}
	for part := 1.0; ; part /= 2 {
		for i, v := range step {
			out[i] = theta[i] + part*v
		}
		if part*change <= 1 || likelihood(out, q) > before {
			return out
		}
	}
}

// likelihood is the logarithm of that of θ, q[i][j] being how much of the pair place i wins
// against place j above it.
func likelihood(theta []float64, q [][]float64) float64 {
	out := 0.0
	for i, row := range q {
		for j, q := range row {
			d := theta[i] - theta[j]
			rest := math.Log1p(math.Exp(-math.Abs(d)))
			out -= q*(max(-d, 0)+rest) + (1-q)*(max(d, 0)+rest)
		}
	}
	return out
}

// gradient is that of the log likelihood. It fills h with the negative of the second
// derivatives.
func gradient(theta, wins []float64, h [][]float64) []float64 {
	out := slices.Clone(wins)
	for i := range theta {
		h[i][i] = 0
	}
	for i, t := range theta {
		for j, u := range theta[:i] {
			s := sigmoid(t - u)
			out[i] -= s
			out[j] -= 1 - s
			// Not 0, where strengths are far apart.
			w := max(s*(1-s), 1e-15)
			h[i][j], h[j][i] = -w, -w
			h[i][i] += w
			h[j][j] += w
		}
	}
	return out
}

// far is the largest size.
func far(values []float64) float64 { return max(slices.Max(values), -slices.Min(values)) }

// solve replaces v by the solution x of h·x = v whose last is 0, h being symmetric, with rows
// that add up to 0, as is v: by elimination from the first on, without pivots, which are
// positive.
func solve(h [][]float64, v []float64) {
	n := len(v) - 1
	for i := range n {
		for j := i + 1; j < n; j++ {
			f := h[j][i] / h[i][i]
			for l := i; l < n; l++ {
				h[j][l] -= f * h[i][l]
			}
			v[j] -= f * v[i]
		}
	}
	v[n] = 0
	for i := n - 1; i >= 0; i-- {
		for l := i + 1; l < n; l++ {
			v[i] -= h[i][l] * v[l]
		}
		v[i] /= h[i][i]
	}
}

// Package student is the distribution of Student's t.
package student

import "math"

// Tails is the probability that Student's t with df degrees of freedom is at least
// as far from 0 as t. With x = df/(df + t²) and y = 1 − x it is the regularized incomplete
// beta function I_x(df/2, 1/2) = 1 − I_y(1/2, df/2).
//
// For a correlation r of n pairs t is r√(df/(1 − r²)) and df n − 2: see Correlation.
//
// gonum's comes from logarithms of gamma functions and from x, and is off by 3e-11 of
// itself for df = 40,000, and by 1e-10 for a million.
func Tails(t, df float64) float64 {
	t = math.Abs(t)
	a, ratio := df/2, t/df*t
	// x^a / B(a, 1/2)
	front := math.Exp(-a*math.Log1p(ratio)) * gammaRatio(a) / math.SqrtPi
	if t < 2 {
		y := ratio / (1 + ratio)
		return max(0, 1-2*front*math.Sqrt(y)*hypergeometric(a+.5, 1.5, y))
	}
	// DLMF 8.17.8 and 15.8.1: nothing here depends on how close x is to 1.
	return front / a * math.Sqrt(1+1/ratio) * gaussFraction(.5, a+1, 1/ratio)
}

// Correlation is Tails of the correlation r of df + 2 pairs of independent normal values.
func Correlation(r float64, df int) float64 {
	return Tails(r*math.Sqrt(float64(df)/((1-r)*(1+r))), float64(df))
}

// gammaRatio is Γ(a + 1/2) / Γ(a), for a ≥ 1/2: by its expansion for large a (Tricomi and
// Erdélyi 1951), to which it steps up.
func gammaRatio(a float64) float64 {
	steps := 1.0
	for ; a < 50; a++ {
		steps *= a / (a + .5)
	}
	z := 1 / a
	series := 1 + z*(-1./8+z*(1./128+z*(5./1024+z*(-21./32768+z*(-399./262144+z*869./4194304)))))
	return steps * math.Sqrt(a) * series
}

// hypergeometric is ₂F₁(1, b; c; z) by its series, for positive b and c, and 0 ≤ z < 1.
func hypergeometric(b, c, z float64) float64 {
	sum, term := 0.0, 1.0
	for k := 0.0; term > sum*1e-17; k++ {
		sum += term
		term *= (b + k) / (c + k) * z
	}
	return sum
}

// gaussFraction is ₂F₁(1, b; c; −z) by Gauss's continued fraction, of which
// all parts are positive for c > b > 0 and z > 0, from the far end.
func gaussFraction(b, c, z float64) float64 {
	f := 1.0
	for m := 200.0; m >= 0; m-- {
		f = 1 + (m+1)*(c-b+m)/((c+2*m)*(c+2*m+1))*z/f
		f = 1 + (b+m)*(c+m-1)/((c+2*m-1)*(c+2*m))*z/f
	}
	return 1 / f
}

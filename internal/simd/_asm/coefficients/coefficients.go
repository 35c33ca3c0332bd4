// Package coefficients has the numbers of the exponential and of Φ, the same as in
// elements.go, with their reasons there.
package coefficients

import "math"

const (
	ExpLeast = -87
	Ln2Hi    = 355.0 / 512
	Ln2Lo    = math.Ln2 - Ln2Hi
)

var (
	Exp = []float64{0.4999999403953552, 0.1666652113199234, 0.04166838899254799, 0.00836874544620514, 0.0013814540579915047}
	Phi = []float64{
		0.11962930113077164, 0.1207539364695549, 0.09991362690925598, 0.12856118381023407,
		-0.0536828488111496, 0.20635266602039337, -0.1572026163339615, 0.03567466512322426,
	}
)

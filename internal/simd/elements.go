package simd

import (
	"fmt"
	"math"
)

// Add adds y to x. It panics unless they are of one length.
func Add(x, y []float32) {
	checkLen("y", len(y), len(x))
	if len(x) > 0 {
		add(x, y)
	}
}

// Softmax replaces each of some rows of n numbers, which start ld apart in x, by its softmax.
// −Inf becomes 0; if every number of a row is −Inf, or one is NaN or +Inf, all become NaN. What
// lies between rows is left alone.
func Softmax(x []float32, ld, rows, n int) {
	checkRows("x", len(x), rows, n, ld)
	if rows > 0 && n > 0 {
		softmax(x, ld, rows, n)
	}
}

// LayerNorm sets out to (x−mean)/√(variance+eps)·gamma + beta, with the mean and
// the variance (divided by n) of the row x. out may be x. It panics unless all
// four are of one length.
func LayerNorm(out, x, gamma, beta []float32, eps float32) {
	checkLen("out", len(out), len(x))
	checkLen("gamma", len(gamma), len(x))
	checkLen("beta", len(beta), len(x))
	if len(x) > 0 {
		layerNorm(out, x, gamma, beta, eps)
	}
}

// Gelu replaces each number x by x·Φ(x), which is x/2·(1+erf(x/√2)). The error is
// at most 1e-7, for results beyond 1 at most 1e-7 of the result. −Inf becomes 0.
func Gelu(x []float32) { inParts(x, gelu) }

// GeluTanh replaces each number x by x/2·(1+tanh(√(2/π)·(x+0.044715·x³))), an
// approximation of GELU that some models were trained with ("gelu_new"). Errors
// are as with [Gelu].
func GeluTanh(x []float32) { inParts(x, geluTanh) }

// inParts calls do on parts of x: assembly can't be interrupted for the garbage
// collector, which would wait for a long call.
func inParts(x []float32, do func(x []float32)) {
	const part = 1 << 14
	for len(x) > part {
		do(x[:part])
		x = x[part:]
	}
	if len(x) > 0 {
		do(x)
	}
}

// MaxRow returns the largest number of x and its index, the first of several as
// large. It panics if x is empty. With a NaN in x the result is any of its
// numbers.
func MaxRow(x []float32) (float32, int) {
	if len(x) == 0 {
		panic("simd: largest number of none")
	}
	return maxRow(x)
}

// MaxCols sets most and at to the largest number of each column of x, and its
// row, the first of several as large. x has rows rows of len(most) numbers, one
// after another. It panics if there is no row. With a NaN in a column the result
// is any of its numbers.
func MaxCols(most []float32, at []int32, x []float32, rows int) {
	checkLen("at", len(at), len(most))
	if rows <= 0 {
		panic(fmt.Sprintf("simd: largest numbers of %d rows", rows))
	}
	checkLen("x", len(x), rows*len(most))
	if len(most) > 0 {
		maxCols(most, at, x, rows)
	}
}

func addPortable(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

// The constants of the exponential and of Φ. math.Exp and math.Erf would do for
// one number, but each platform has its own, and half of the time of a forward
// pass would be theirs.
const (
	log2E = float32(math.Log2E)
	// Below this e to the x is taken for 0: softmax and Φ have no use for less than
	// 1.7e-38, and what is left is a normal number.
	expLeast = -87
	// A multiple of ln2Hi by up to 126 is exact, so that nothing is lost in the
	// difference to x. ln2Lo is what it lacks of ln 2.
	ln2Hi = 355.0 / 512
	ln2Lo = math.Ln2 - ln2Hi
	// Added and taken off again, it rounds to a whole number.
	rounder = float32(3 << 22)
)

// e to the r is 1 + r + r²·(e0 + e1·r + …) for |r| up to ln 2/2, with a relative
// error of 3e-9; fitted to the largest error.
const (
	e0 = 0.4999999403953552
	e1 = 0.1666652113199234
	e2 = 0.04166838899254799
	e3 = 0.00836874544620514
	e4 = 0.0013814540579915047
)

// Φ(−x) = exp(−x²/2)·(p0·t + p1·t² + …) with t = 1/(1+0.3x), for x from 0 to 14,
// with a relative error of 1.5e-7; fitted to the largest error. By way of Φ(−x)
// rather than erf the far ends come out as 0 and x by themselves.
const (
	p0 = 0.11962930113077164
	p1 = 0.1207539364695549
	p2 = 0.09991362690925598
	p3 = 0.12856118381023407
	p4 = -0.0536828488111496
	p5 = 0.20635266602039337
	p6 = -0.1572026163339615
	p7 = 0.03567466512322426
)

// exp is e to the x, for x up to 0. Each product is rounded by itself, or arm64
// would fuse it with the sum.
func exp(x float32) float32 {
	if x < expLeast {
		return 0
	}
	if x != x {
		return x
	}
	n := float32(x*log2E) + rounder - rounder
	r := x - float32(n*ln2Hi) - float32(n*ln2Lo)
	p := float32(e4*r) + e3
	p = float32(p*r) + e2
	p = float32(p*r) + e1
	p = float32(p*r) + e0
	p = float32(p*float32(r*r)) + r + 1
	return math.Float32frombits(math.Float32bits(p) + uint32(int32(n))<<23)
}

func softmaxPortable(x []float32, ld, rows, n int) {
	for i := range rows {
		softmaxRow(x[i*ld : i*ld+n])
	}
}

func softmaxRow(x []float32) {
	most := x[0]
	for _, v := range x {
		if v > most {
			most = v
		}
	}
	sum := 0.0
	for i, v := range x {
		x[i] = exp(v - most)
		sum += float64(x[i])
	}
	scale := float32(1 / sum)
	for i := range x {
		x[i] *= scale
	}
}

func layerNormPortable(out, x, gamma, beta []float32, eps float32) {
	var sum, squares float64
	for _, v := range x {
		sum += float64(v)
	}
	n := float64(len(x))
	mean := sum / n
	for _, v := range x {
		d := float64(v) - mean
		squares += float64(d * d)
	}
	scale := 1 / math.Sqrt(squares/n+float64(eps))
	out, gamma, beta = out[:len(x)], gamma[:len(x)], beta[:len(x)]
	for i, v := range x {
		d := float32(float64(float64(v)-mean) * scale)
		out[i] = float32(d*gamma[i]) + beta[i]
	}
}

func geluPortable(x []float32) {
	for i, v := range x {
		a := abs(v)
		t := 1 / (1 + float32(0.3*a))
		a = min(a, 14)
		p := float32(p7*t) + p6
		p = float32(p*t) + p5
		p = float32(p*t) + p4
		p = float32(p*t) + p3
		p = float32(p*t) + p2
		p = float32(p*t) + p1
		p = float32(p*t) + p0
		p = float32(p*t) * exp(float32(-.5*a)*a)
		x[i] = max(v, 0) - float32(a*p)
	}
}

func geluTanhPortable(x []float32) {
	const (
		c  = -1.5957691216057308 // −2·√(2/π)
		c3 = c * 0.044715
	)
	for i, v := range x {
		a := min(abs(v), 14)
		// With e = exp(−2u), x/2·(1+tanh u) is x − x·e/(1+e) for u > 0.
		e := exp(a * (float32(c3*float32(a*a)) + c))
		x[i] = max(v, 0) - float32(a*(e/(1+e)))
	}
}

func abs(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}

func maxRowPortable(x []float32) (float32, int) {
	most, at := x[0], 0
	for i, v := range x {
		if v > most {
			most, at = v, i
		}
	}
	return most, at
}

func maxColsPortable(most []float32, at []int32, x []float32, stride, rows int) {
	copy(most, x)
	clear(at)
	for i := 1; i < rows; i++ {
		for j, v := range x[i*stride:][:len(most)] {
			if v > most[j] {
				most[j], at[j] = v, int32(i)
			}
		}
	}
}

//go:build arm64 && !noasm

package simd

// Every processor that Go's arm64 means has NEON; tests turn its loops off.
var hasNEON = true

func hasTiles() bool { return hasNEON }

func dot(a, b []float32) float32 {
	if !hasNEON {
		return dotPortable(a, b)
	}
	var out [4]float32
	dots1x4NEON(len(a), &a[0], 0, &b[0], &b[0], &b[0], &b[0], &out[0], 0)
	return out[0]
}

func dotsTile(rows, dim int, a *float32, lda int, b0, b1, b2, b3, out *float32, ldo int) {
	switch rows {
	case 1:
		dots1x4NEON(dim, a, lda, b0, b1, b2, b3, out, ldo)
	case 2:
		dots2x4NEON(dim, a, lda, b0, b1, b2, b3, out, ldo)
	case 3:
		dots3x4NEON(dim, a, lda, b0, b1, b2, b3, out, ldo)
	}
}

// wide would compute the panels that there are larger tiles for; there are none.
func (g *block) wide() int { return 0 }

// A tile of 6 rows leaves no register free. Four numbers of k are 114 instructions: 96
// multiply and add four numbers each, 14 load 22 registers, 4 count. With 2 pipes for
// floats, 4 instructions begun and 2 registers loaded a cycle (Neoverse N1, Graviton 2)
// that takes 48 cycles for the sums, 29 to begin and 11 to load; with 4 pipes, 8 and 3
// (Apple M, Neoverse V1 and V2, Graviton 3 and 4) 24, 15 and 8: the sums are what takes
// the time, so the mix allows the whole peak.
func gemmTile(rows, k int, a *float32, lda int, b, init *float32, ldi int, c *float32, ldc int) {
	switch rows {
	case 1:
		gemm1x16NEON(k, a, lda, b, init, ldi, c, ldc)
	case 2:
		gemm2x16NEON(k, a, lda, b, init, ldi, c, ldc)
	case 3:
		gemm3x16NEON(k, a, lda, b, init, ldi, c, ldc)
	case 4:
		gemm4x16NEON(k, a, lda, b, init, ldi, c, ldc)
	case 5:
		gemm5x16NEON(k, a, lda, b, init, ldi, c, ldc)
	case 6:
		gemm6x16NEON(k, a, lda, b, init, ldi, c, ldc)
	}
}

func add(x, y []float32) {
	if !hasNEON {
		addPortable(x, y)
		return
	}
	addNEON(&x[0], &y[0], len(x))
}

func softmax(x []float32, ld, rows, n int) {
	if !hasNEON {
		softmaxPortable(x, ld, rows, n)
		return
	}
	for i := range rows {
		softmaxNEON(&x[i*ld], n)
	}
}

func layerNorm(out, x, gamma, beta []float32, eps float32) {
	if !hasNEON {
		layerNormPortable(out, x, gamma, beta, eps)
		return
	}
	layerNormNEON(&out[0], &x[0], &gamma[0], &beta[0], len(x), eps)
}

func gelu(x []float32) {
	if !hasNEON {
		geluPortable(x)
		return
	}
	geluNEON(&x[0], len(x))
}

func geluTanh(x []float32) {
	if !hasNEON {
		geluTanhPortable(x)
		return
	}
	geluTanhNEON(&x[0], len(x))
}

func maxRow8(most *[8]float32, at *[8]int32, x *float32, n int) { maxRowNEON(most, at, x, n) }

func maxCols8(most *float32, at *int32, x *float32, stride, n int) {
	maxColsNEON(most, at, x, stride, n)
}

func transpose8(panel, b []float32, ld, k int) int { return 0 }

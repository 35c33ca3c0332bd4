//go:build amd64 && !noasm

package simd

import "golang.org/x/sys/cpu"

// What the processor and the operating system have. Tests turn them off, and so
// does GODEBUG=cpu.avx2=off or cpu.avx512f=off.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

func hasTiles() bool { return hasAVX2 }

func dot(a, b []float32) float32 {
	if !hasAVX2 {
		return dotPortable(a, b)
	}
	var out [4]float32
	dots1x4AVX2(len(a), &a[0], 0, &b[0], &b[0], &b[0], &b[0], &out[0], 0)
	return out[0]
}

func dotsTile(rows, dim int, a *float32, lda int, b0, b1, b2, b3, out *float32, ldo int) {
	switch rows {
	case 1:
		dots1x4AVX2(dim, a, lda, b0, b1, b2, b3, out, ldo)
	case 2:
		dots2x4AVX2(dim, a, lda, b0, b1, b2, b3, out, ldo)
	case 3:
		dots3x4AVX2(dim, a, lda, b0, b1, b2, b3, out, ldo)
	}
}

// wide computes the panels that there are larger tiles for, two at a time, and returns
// the first column of those left.
func (g *block) wide() int {
	j := 0
	if hasAVX512 {
		for ; j+2*panelCols <= g.b.n; j += 2 * panelCols {
			g.two(j)
		}
	}
	return j
}

// two computes the two panels from column j on, both full. Meanwhile the next two are brought
// nearer, each by four tiles: the first tile would wait for them.
func (g *block) two(j int) {
	b := &g.b.data[(j*g.b.k)+g.k*panelCols]
	panel := g.b.k * panelCols
	init, ldi := g.start(j, 2*panelCols)
	for i, tile := 0, 0; i < g.rows; tile++ {
		rows := share(g.rows-i, 12)
		ahead := b
		if at := (j/panelCols+2+tile/4)*panel + (g.k+tile%4*(g.depth/4))*panelCols; tile < 8 && at < len(g.b.data) {
			ahead = &g.b.data[at]
		}
		c := &g.c[i*g.ldc+j]
		if g.k > 0 {
			init, ldi = c, g.ldc
		}
		gemmTile512(rows, g.depth, &g.a[i*g.lda], g.lda, b, panel, init, ldi, c, g.ldc, ahead)
		i += rows
	}
}

// A switch and not a table of functions, through which the compiler does not see
// that pointers don't leave them.
func gemmTile(rows, k int, a *float32, lda int, b, init *float32, ldi int, c *float32, ldc int) {
	switch rows {
	case 1:
		gemm1x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	case 2:
		gemm2x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	case 3:
		gemm3x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	case 4:
		gemm4x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	case 5:
		gemm5x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	case 6:
		gemm6x16AVX2(k, a, lda, b, init, ldi, c, ldc)
	}
}

func gemmTile512(rows, k int, a *float32, lda int, b *float32, panel int, init *float32, ldi int, c *float32, ldc int, ahead *float32) {
	switch rows {
	case 1:
		gemm1x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 2:
		gemm2x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 3:
		gemm3x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 4:
		gemm4x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 5:
		gemm5x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 6:
		gemm6x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 7:
		gemm7x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 8:
		gemm8x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 9:
		gemm9x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 10:
		gemm10x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 11:
		gemm11x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	case 12:
		gemm12x32AVX512(k, a, lda, b, panel, init, ldi, c, ldc, ahead)
	}
}

func add(x, y []float32) {
	if !hasAVX2 {
		addPortable(x, y)
		return
	}
	addAVX2(&x[0], &y[0], len(x))
}

func softmax(x []float32, ld, rows, n int) {
	if !hasAVX2 {
		softmaxPortable(x, ld, rows, n)
		return
	}
	i := 0
	if hasAVX512 {
		for ; i+4 <= rows; i += 4 {
			softmax4AVX512(&x[i*ld], ld, n)
		}
	}
	for ; i < rows; i++ {
		if hasAVX512 {
			softmax1AVX512(&x[i*ld], ld, n)
		} else {
			softmax1AVX2(&x[i*ld], ld, n)
		}
	}
}

func layerNorm(out, x, gamma, beta []float32, eps float32) {
	if !hasAVX2 {
		layerNormPortable(out, x, gamma, beta, eps)
		return
	}
	layerNormAVX2(&out[0], &x[0], &gamma[0], &beta[0], len(x), eps)
}

func gelu(x []float32) {
	switch {
	case hasAVX512:
		geluAVX512(&x[0], len(x))
	case hasAVX2:
		geluAVX2(&x[0], len(x))
	default:
		geluPortable(x)
	}
}

func geluTanh(x []float32) {
	switch {
	case hasAVX512:
		geluTanhAVX512(&x[0], len(x))
	case hasAVX2:
		geluTanhAVX2(&x[0], len(x))
	default:
		geluTanhPortable(x)
	}
}

func maxRow8(most *[8]float32, at *[8]int32, x *float32, n int) { maxRowAVX2(most, at, x, n) }

func maxCols8(most *float32, at *int32, x *float32, stride, n int) {
	maxColsAVX2(most, at, x, stride, n)
}

func transpose8(panel, b []float32, ld, k int) int {
	if !hasAVX2 || k < 8 {
		return 0
	}
	k &^= 7
	transpose8AVX2(&panel[0], &b[0], ld, k)
	return k
}

//go:build (!amd64 && !arm64) || noasm

package simd

func dot(a, b []float32) float32 { return dotPortable(a, b) }

func dots(out []float32, ldo int, a []float32, lda, na int, b []float32, ldb, nb, dim int) {
	dotsPortable(out, ldo, a, lda, na, b, ldb, nb, dim)
}

func gemm(c []float32, ldc int, a []float32, lda, m int, b *Packed, bias []float32) {
	gemmPortable(c, ldc, a, lda, m, b, bias)
}

func add(x, y []float32) { addPortable(x, y) }

func softmax(x []float32, ld, rows, n int) { softmaxPortable(x, ld, rows, n) }

func transpose8(panel, b []float32, ld, k int) int { return 0 }

func layerNorm(out, x, gamma, beta []float32, eps float32) {
	layerNormPortable(out, x, gamma, beta, eps)
}

func gelu(x []float32) { geluPortable(x) }

func geluTanh(x []float32) { geluTanhPortable(x) }

func maxRow(x []float32) (float32, int) { return maxRowPortable(x) }

func maxCols(most []float32, at []int32, x []float32, rows int) {
	maxColsPortable(most, at, x, len(most), rows)
}

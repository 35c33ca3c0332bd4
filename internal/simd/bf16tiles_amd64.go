//go:build amd64 && !noasm

package simd

import "unsafe"

// tile computes rows of a, at most 12 from row i on, with the panel of column j.
func (g *blockBF16) tile(i, rows, j int, init *float32, ldi int, c *float32, ldc int) {
	pairs := (g.b.k + 1) / 2
	b := &g.b.panel(j / panelBF16)[g.k*panelBF16]
	if g.way == bf16Own {
		tileOwn(rows, g.depth, &g.a.pairs[i*pairs+g.k], pairs, b, init, ldi, c, ldc)
		return
	}
	at := func(r int) *float32 { return &g.a.wide[2*((i+r)*pairs+g.k)] }
	if hasAVX512 {
		tileWide512(rows, g.depth, at(0), 2*pairs, b, init, ldi, c, ldc)
		return
	}
	for r := 0; r < rows; {
		n := share(rows-r, 6)
		init, c := after(init, r*ldi), after(c, r*ldc)
		tileWide256(n, g.depth, at(r), 2*pairs, b, init, ldi, c, ldc)
		tileWide256(n, g.depth, at(r), 2*pairs, upper(b), after(init, panelBF16/2), ldi, after(c, panelBF16/2), ldc)
		r += n
	}
}

// after is the address of the number n after p's.
func after(p *float32, n int) *float32 { return (*float32)(unsafe.Add(unsafe.Pointer(p), 4*n)) }

// upper is the address of a panel's last 16 columns.
func upper(b *uint32) *uint32 { return (*uint32)(unsafe.Add(unsafe.Pointer(b), 4*panelBF16/2)) }

func tileOwn(rows, pairs int, a *uint32, lda int, b *uint32, init *float32, ldi int, c *float32, ldc int) {
	switch rows {
	case 1:
		gemm1x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 2:
		gemm2x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 3:
		gemm3x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 4:
		gemm4x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 5:
		gemm5x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 6:
		gemm6x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 7:
		gemm7x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 8:
		gemm8x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 9:
		gemm9x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 10:
		gemm10x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 11:
		gemm11x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	case 12:
		gemm12x32BF16(pairs, a, lda, b, init, ldi, c, ldc)
	}
}

func tileWide512(rows, pairs int, a *float32, lda int, b *uint32, init *float32, ldi int, c *float32, ldc int) {
	switch rows {
	case 1:
		wide1x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 2:
		wide2x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 3:
		wide3x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 4:
		wide4x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 5:
		wide5x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 6:
		wide6x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 7:
		wide7x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 8:
		wide8x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 9:
		wide9x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 10:
		wide10x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 11:
		wide11x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	case 12:
		wide12x32AVX512(pairs, a, lda, b, init, ldi, c, ldc)
	}
}

func tileWide256(rows, pairs int, a *float32, lda int, b *uint32, init *float32, ldi int, c *float32, ldc int) {
	switch rows {
	case 1:
		wide1x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	case 2:
		wide2x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	case 3:
		wide3x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	case 4:
		wide4x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	case 5:
		wide5x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	case 6:
		wide6x16AVX2(pairs, a, lda, b, init, ldi, c, ldc)
	}
}

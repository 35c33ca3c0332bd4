// Package simd holds the inner loops over float32 vectors: products, and what a
// transformer needs beside them.
//
// There are two sets of loops. The portable ones are plain Go; each product is
// rounded before it is added and sums run in a fixed order, so that they give
// the same bits on every platform. On arm64, and on amd64 with AVX2 and FMA,
// assembly takes their place, whose sums run in another order and without
// rounding in between; they differ from the portable ones in the last digits, and
// are the same bits on both. With AVX-512 [Gemm] is faster, and gives these bits
// too. The build tag noasm leaves the assembly out.
//
// In both sets a result depends on its own inputs alone: not on its place in a
// matrix, nor on what is computed beside it, nor on how the memory is aligned.
// A sentence thus gets the same vectors in every batch.
//
// No function starts a goroutine, and all may run at once on the same inputs.
// Where a slice is too short they panic before they write anything.
package simd

//go:generate go run -C _asm . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg simd
//go:generate go run -C _asm ./arm64 -out ../kernels_arm64.s -stubs ../kernels_arm64.go

import (
	"fmt"
	"math"
)

// Dots sets out[i*nb+j] to the dot product of vector i of a and vector j of b,
// where a and b hold na and nb vectors of length dim, one after another. It
// panics where a slice is too short.
//
// Every product has the bits that [Dot] gives for the two vectors, whatever its
// place in the matrix, and whichever of the two comes first. From one set of
// loops to the other it differs in the last digits: for vectors of some hundred
// numbers, by less than 1e-6 of the product of their lengths.
func Dots(out, a, b []float32, na, nb, dim int) {
	DotsStrided(out, nb, a, dim, na, b, dim, nb, dim)
}

// DotsStrided is [Dots] where rows of out and vectors of a and b start ldo, lda
// and ldb numbers apart, such as the parts of vectors that belong to one head of
// an attention layer. It panics where a stride is less than the length of what
// is that far apart.
func DotsStrided(out []float32, ldo int, a []float32, lda, na int, b []float32, ldb, nb, dim int) {
	checkRows("out", len(out), na, nb, ldo)
	checkRows("a", len(a), na, dim, lda)
	checkRows("b", len(b), nb, dim, ldb)
	if na == 0 || nb == 0 {
		return
	}
	if dim == 0 {
		for i := range na {
			clear(out[i*ldo : i*ldo+nb])
		}
		return
	}
	dots(out, ldo, a, lda, na, b, ldb, nb, dim)
}

// checkRows panics unless n numbers hold rows of cols numbers, ld apart.
func checkRows(name string, n, rows, cols, ld int) {
	switch {
	case rows < 0 || cols < 0:
		panic(fmt.Sprintf("simd: %s has %d rows of %d numbers", name, rows, cols))
	case rows == 0 || cols == 0:
	case rows > 1 && ld < cols:
		panic(fmt.Sprintf("simd: rows of %s have %d numbers but start %d apart", name, cols, ld))
	case n < cols || ld > 0 && (n-cols)/ld < rows-1:
		panic(fmt.Sprintf("simd: %s has %d numbers, too few for %d rows of %d, %d apart", name, n, rows, cols, ld))
	}
}

// checkLen panics if n numbers are not want.
func checkLen(name string, n, want int) {
	if n != want {
		panic(fmt.Sprintf("simd: %s has %d numbers, want %d", name, n, want))
	}
}

// Dot is the dot product of two vectors. It panics if b is shorter than a. The
// portable sum runs from index 0 up.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	if len(a) == 0 {
		return 0
	}
	return dot(a, b)
}

func dotPortable(a, b []float32) float32 {
	b = b[:len(a)]
	var sum float32
	for i, x := range a {
		sum += float32(x * b[i])
	}
	return sum
}

func dotsPortable(out []float32, ldo int, a []float32, lda, na int, b []float32, ldb, nb, dim int) {
	i := 0
	for ; i+4 <= na; i += 4 {
		j := 0
		for ; j+2 <= nb; j += 2 {
			dots4x2(out[i*ldo+j:], ldo, a[i*lda:], lda, b[j*ldb:], ldb, dim)
		}
		for ; j < nb; j++ {
			v := b[j*ldb : j*ldb+dim]
			for k := i; k < i+4; k++ {
				out[k*ldo+j] = dotPortable(a[k*lda:k*lda+dim], v)
			}
		}
	}
	for ; i < na; i++ {
		u := a[i*lda : i*lda+dim]
		for j := range nb {
			out[i*ldo+j] = dotPortable(u, b[j*ldb:j*ldb+dim])
		}
	}
}

// dots4x2 is 4 vectors against 2: eight sums that do not wait for each other, and
// six loads for eight products.
func dots4x2(out []float32, ldo int, a []float32, lda int, b []float32, ldb, dim int) {
	a0, a1, a2, a3 := a[:dim], a[lda:lda+dim], a[2*lda:2*lda+dim], a[3*lda:3*lda+dim]
	b0, b1 := b[:dim], b[ldb:ldb+dim]
	a1, a2, a3 = a1[:len(a0)], a2[:len(a0)], a3[:len(a0)]
	b0, b1 = b0[:len(a0)], b1[:len(a0)]
	var s00, s01, s10, s11, s20, s21, s30, s31 float32
	for k, x := range a0 {
		y, z := b0[k], b1[k]
		s00 += float32(x * y)
		s01 += float32(x * z)
		x = a1[k]
		s10 += float32(x * y)
		s11 += float32(x * z)
		x = a2[k]
		s20 += float32(x * y)
		s21 += float32(x * z)
		x = a3[k]
		s30 += float32(x * y)
		s31 += float32(x * z)
	}
	out[0], out[1] = s00, s01
	out[ldo], out[ldo+1] = s10, s11
	out[2*ldo], out[2*ldo+1] = s20, s21
	out[3*ldo], out[3*ldo+1] = s30, s31
}

// Normalize scales a vector to length 1. A vector of zeros stays as it is. The
// length is summed in float64.
func Normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}

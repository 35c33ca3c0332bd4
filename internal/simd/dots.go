// Package simd holds the inner loops over float32 vectors. All of it is portable
// Go for now; each product is rounded before it is added and sums run in a fixed
// order, so that results are equal to the last bit on every platform.
package simd

import "math"

// Dots sets out[i*nb+j] to the dot product of vector i of a and vector j of b,
// where a and b hold na and nb vectors of length dim, one after another. It
// panics where a slice is too short.
//
// Every product is summed from index 0 up, whatever its place in the matrix.
func Dots(out, a, b []float32, na, nb, dim int) {
	if na == 0 || nb == 0 {
		return
	}
	out, a, b = out[:na*nb], a[:na*dim], b[:nb*dim]
	i := 0
	for ; i+4 <= na; i += 4 {
		tile := a[i*dim : (i+4)*dim]
		j := 0
		for ; j+2 <= nb; j += 2 {
			dots4x2(out[i*nb+j:], nb, tile, b[j*dim:(j+2)*dim], dim)
		}
		for ; j < nb; j++ {
			v := b[j*dim : (j+1)*dim]
			for k := range 4 {
				out[(i+k)*nb+j] = Dot(tile[k*dim:(k+1)*dim], v)
			}
		}
	}
	for ; i < na; i++ {
		u := a[i*dim : (i+1)*dim]
		for j := range nb {
			out[i*nb+j] = Dot(u, b[j*dim:(j+1)*dim])
		}
	}
}

// Dot is the dot product of two vectors, summed from index 0 up. It panics if b
// is shorter than a.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var sum float32
	for i, x := range a {
		sum += float32(x * b[i])
	}
	return sum
}

// dots4x2 is 4 vectors against 2: eight sums that do not wait for each other, and
// six loads for eight products.
func dots4x2(out []float32, stride int, a, b []float32, dim int) {
	a0, a1, a2, a3 := a[:dim], a[dim:2*dim], a[2*dim:3*dim], a[3*dim:4*dim]
	b0, b1 := b[:dim], b[dim:2*dim]
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
	out[stride], out[stride+1] = s10, s11
	out[2*stride], out[2*stride+1] = s20, s21
	out[3*stride], out[3*stride+1] = s30, s31
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

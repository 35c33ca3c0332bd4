//go:build amd64 && !noasm

package simd

import (
	"math"
	"testing"
)

// set turns on the loops named, and returns what turns them back.
func set(avx2, avx512 bool) func() {
	was2, was512 := hasAVX2, hasAVX512
	hasAVX2, hasAVX512 = avx2, avx512
	return func() { hasAVX2, hasAVX512 = was2, was512 }
}

// eachSet runs f with each set of loops that can run here.
func eachSet(t *testing.T, f func(t *testing.T)) {
	can2, can512 := hasAVX2, hasAVX512
	for _, s := range []struct {
		name         string
		avx2, avx512 bool
	}{{"portable", false, false}, {"avx2", true, false}, {"avx512", true, true}} {
		t.Run(s.name, func(t *testing.T) {
			if s.avx2 && !can2 || s.avx512 && !can512 {
				t.Skip("the processor has no " + s.name)
			}
			defer set(s.avx2, s.avx512)()
			f(t)
		})
	}
}

// with returns what do leaves in a slice like x with the loops named.
func with(avx2, avx512 bool, x []float32, do func(x []float32)) []float32 {
	defer set(avx2, avx512)()
	y := append([]float32(nil), x...)
	do(y)
	return y
}

// The sets agree but for rounding, and AVX2 with AVX-512 to the last bit.
func TestSetsAgree(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor has no AVX2")
	}
	mem := newMemory()
	compare := func(name string, x []float32, tolerance float64, do func(x []float32)) {
		t.Helper()
		portable, avx2 := with(false, false, x, do), with(true, false, x, do)
		for i := range x {
			if math.Abs(float64(avx2[i])-float64(portable[i])) > tolerance {
				t.Fatalf("%s of %d: [%d] = %v and %v", name, len(x), i, portable[i], avx2[i])
			}
		}
		if !hasAVX512 {
			return
		}
		for i, v := range with(true, true, x, do) {
			if !same(v, avx2[i]) {
				t.Fatalf("%s of %d: [%d] = %v, with AVX-512 %v", name, len(x), i, avx2[i], v)
			}
		}
	}
	for _, n := range lengths() {
		x, y, z := mem.random(n, 6), mem.random(n, 1), mem.random(n, 1)
		compare("Add", x, 0, func(x []float32) { Add(x, y) })
		compare("Softmax", x, 5e-7, func(x []float32) { Softmax(x, n) })
		if n > 0 && n < 300 {
			// Rows by fours and by themselves give the same.
			compare("Softmax of 7 rows", mem.random(7*n, 6), 5e-7, func(x []float32) { Softmax(x, n) })
		}
		compare("Gelu", x, 1e-6, Gelu)
		compare("GeluTanh", x, 1e-6, GeluTanh)
		if n > 1 {
			compare("LayerNorm", x, 1e-5, func(x []float32) { LayerNorm(x, x, y, z, 1e-5) })
		}
		compare("Normalize", x, 0, Normalize)
	}
	for _, dim := range lengths() {
		if dim > 1024 {
			continue
		}
		// Of length 1, as cosines are.
		a, b := mem.random(7*dim, 1), mem.random(9*dim, 1)
		for _, s := range [][]float32{a, b} {
			for i := 0; i < len(s) && dim > 0; i += dim {
				Normalize(s[i : i+dim])
			}
		}
		compare("Dots", make([]float32, 7*9), 1e-6, func(x []float32) { Dots(x, a, b, 7, 9, dim) })
	}
	for _, s := range shapes(true) {
		m, n, k := s[0], s[1], s[2]
		a, b, bias := mem.random(m*k, 1), mem.random(n*k, 1), mem.random(n, 1)
		p := Pack(b, k, n)
		compare("Gemm", make([]float32, m*n), 1e-6*(1+float64(k)/3), func(x []float32) { Gemm(x, a, m, p, bias) })
	}
}

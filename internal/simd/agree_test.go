//go:build (amd64 || arm64) && !noasm

package simd

import (
	"math"
	"testing"
)

// The sets agree but for rounding, and those in assembly to the last bit.
func TestSetsAgree(t *testing.T) {
	portable, assembly := sets()[0], sets()[1:]
	if !assembly[0].has {
		t.Skip("the processor has no " + assembly[0].name)
	}
	mem := newMemory()
	compare := func(name string, x []float32, tolerance float64, do func(x []float32)) {
		t.Helper()
		plain, first := with(portable, x, do), with(assembly[0], x, do)
		for i := range x {
			if math.Abs(float64(first[i])-float64(plain[i])) > tolerance {
				t.Fatalf("%s of %d: [%d] = %v and %v", name, len(x), i, plain[i], first[i])
			}
		}
		for _, s := range assembly[1:] {
			if !s.has {
				continue
			}
			for i, v := range with(s, x, do) {
				if !same(v, first[i]) {
					t.Fatalf("%s of %d: [%d] = %v, with %s %v", name, len(x), i, first[i], s.name, v)
				}
			}
		}
	}
	for _, n := range lengths() {
		x, y, z := mem.random(n, 6), mem.random(n, 1), mem.random(n, 1)
		compare("Add", x, 0, func(x []float32) { Add(x, y) })
		compare("Softmax", x, 5e-7, func(x []float32) { Softmax(x, n, 1, n) })
		if n > 0 && n < 300 {
			// Rows by fours and by themselves give the same.
			compare("Softmax of 7 rows", mem.random(7*n, 6), 5e-7, func(x []float32) { Softmax(x, n, 7, n) })
			compare("Softmax of rows apart", mem.random(6*(n+5)+n, 6), 5e-7, func(x []float32) { Softmax(x, n+5, 7, n) })
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

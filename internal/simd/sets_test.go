//go:build (amd64 || arm64) && !noasm

package simd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"testing"
)

// loops are a set of loops: use turns them on, and all others off.
type loops struct {
	name string
	has  bool
	use  func()
}

// eachSet runs f with each set of loops that can run here.
func eachSet(t *testing.T, f func(t *testing.T)) {
	for _, s := range sets() {
		t.Run(s.name, func(t *testing.T) {
			if !s.has {
				t.Skip("the processor has no " + s.name)
			}
			defer usual()
			s.use()
			f(t)
		})
	}
}

// with returns what do leaves in a slice like x with the loops s.
func with(s loops, x []float32, do func(x []float32)) []float32 {
	defer usual()
	s.use()
	y := append([]float32(nil), x...)
	do(y)
	return y
}

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

// Assembly gives the same bits on every processor. The sums of bits are those that the
// AVX2 loops gave when the NEON ones were written.
func TestAssemblyBits(t *testing.T) {
	first := sets()[1]
	if !first.has {
		t.Skip("the processor has no " + first.name)
	}
	mem := newMemory()
	for _, f := range []struct {
		name, want string
		do         func(x []float32) []float32
	}{
		{"Add", "fde46629fdd8a635", func(x []float32) []float32 {
			Add(x, mem.random(len(x), 1))
			return x
		}},
		{"Softmax", "940042cf34cb5a26", func(x []float32) []float32 {
			Softmax(x, len(x))
			return x
		}},
		{"LayerNorm", "9e60d58fb56fc40", func(x []float32) []float32 {
			LayerNorm(x, x, mem.random(len(x), 1), mem.random(len(x), 1), 1e-5)
			return x
		}},
		{"Gelu", "a737318172e60208", func(x []float32) []float32 {
			Gelu(x)
			return x
		}},
		{"GeluTanh", "dc140ddace7dae3c", func(x []float32) []float32 {
			GeluTanh(x)
			return x
		}},
		{"Dots", "f5f1f7550edc065b", func(x []float32) []float32 {
			out := make([]float32, 7*5)
			Dots(out, mem.random(7*len(x), 1), mem.random(5*len(x), 1), 7, 5, len(x))
			return out
		}},
		{"Gemm", "c9b799479d4350e4", func(x []float32) []float32 {
			out := make([]float32, 8*35)
			Gemm(out, mem.random(8*len(x), 1), 8, Pack(mem.random(35*len(x), 1), len(x), 35), mem.random(35, 1))
			return out
		}},
	} {
		h := fnv.New64a()
		for _, n := range lengths() {
			if n > 1<<10 {
				continue
			}
			with(first, mem.random(n, 6), func(x []float32) {
				for _, v := range f.do(x) {
					_ = binary.Write(h, binary.LittleEndian, v+0) // −0 becomes 0
				}
			})
		}
		if got := fmt.Sprintf("%x", h.Sum64()); got != f.want {
			t.Errorf("%s: the sum of bits is %s, not %s", f.name, got, f.want)
		}
	}
}

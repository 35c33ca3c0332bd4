package simd

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"testing"
)

// Portable loops give the same bits on every platform, and those in assembly on every
// processor. The sums of bits are those that amd64 gave when arm64's assembly was written.
func TestBits(t *testing.T) {
	for _, f := range []struct {
		name, portable, assembly string
		do                       func(mem *memory, x []float32) []float32
	}{
		{"Add", "fde46629fdd8a635", "fde46629fdd8a635", func(mem *memory, x []float32) []float32 {
			Add(x, mem.random(len(x), 1))
			return x
		}},
		{"Softmax", "f9f4b3e1f4b3bbe1", "6964b473c8fd08aa", func(mem *memory, x []float32) []float32 {
			Softmax(x, len(x), 1, len(x))
			return x
		}},
		{"LayerNorm", "c3175c8683c5a3e7", "cdffdcf91f5f53ae", func(mem *memory, x []float32) []float32 {
			LayerNorm(x, x, mem.random(len(x), 1), mem.random(len(x), 1), 1e-5)
			return x
		}},
		{"Gelu", "759899a3359d3f19", "2f314a087c6a7a19", func(mem *memory, x []float32) []float32 {
			Gelu(x)
			return x
		}},
		{"GeluTanh", "f2342adb47e1007c", "6c199e57bad3718f", func(mem *memory, x []float32) []float32 {
			GeluTanh(x)
			return x
		}},
		{"Dots", "a404b3146f4e49b2", "93b37f47c0f8865", func(mem *memory, x []float32) []float32 {
			out := make([]float32, 7*5)
			Dots(out, mem.random(7*len(x), 1), mem.random(5*len(x), 1), 7, 5, len(x))
			return out
		}},
		{"Gemm", "fae9c68e24851262", "2b31ddcba0103fb6", func(mem *memory, x []float32) []float32 {
			out := make([]float32, 8*35)
			Gemm(out, mem.random(8*len(x), 1), 8, Pack(mem.random(35*len(x), 1), len(x), 35), mem.random(35, 1))
			return out
		}},
	} {
		for i, s := range sets() {
			if !s.has {
				continue
			}
			want := f.portable
			if i > 0 {
				want = f.assembly
			}
			if got := sumOfBits(s, f.do); got != want {
				t.Errorf("%s, %s: the sum of bits is %s, not %s", f.name, s.name, got, want)
			}
		}
	}
}

// sumOfBits is a hash of what do returns for rows of all lengths.
func sumOfBits(s loops, do func(mem *memory, x []float32) []float32) string {
	defer usual()
	s.use()
	mem, h := newMemory(), fnv.New64a()
	for _, n := range lengths() {
		if n > 1<<10 {
			continue
		}
		for _, v := range do(mem, mem.random(n, 6)) {
			_ = binary.Write(h, binary.LittleEndian, v+0) // −0 becomes 0
		}
	}
	return fmt.Sprintf("%x", h.Sum64())
}

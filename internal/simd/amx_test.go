package simd

import (
	"math"
	"testing"
)

// productAMX is productBF16 in the order of AMX.
func productAMX(a, b, bias []float32, j int) float32 {
	var sum float32
	if bias != nil {
		sum = wholeOrZero(bias[j])
	}
	for i := 0; i < len(a); {
		var s1, s2 float32
		for end := min(len(a), i+2*tilePairs); i < end; i += 2 {
			s1 = fusedBF16(s1, rounded(a, i), rounded(b, i))
			s2 = fusedBF16(s2, rounded(a, i+1), rounded(b, i+1))
		}
		sum = fusedBF16(sum, fusedBF16(s1, s2, 1), 1)
	}
	return sum
}

// amxPortable is a product by gemmAMXPortable.
func amxPortable(c, a []float32, m, k int, b *PackedBF16, bias []float32) {
	r := RowsBF16{m: m, k: k, pairs: make([]uint32, m*((k+1)/2))}
	eachRow(r.pairs, a, m, k, pairPortable)
	gemmAMXPortable(c, &r, b, bias)
}

func TestGemmAMXPortable(t *testing.T) { checkGemmBF16(t, productAMX, amxPortable) }

// What is too small is zero as a product, as a sum of products, and as a number's sum. The
// results are worked out by hand.
func TestSmallSumsAMX(t *testing.T) {
	const least = 0x1p-126
	negative := float32(math.Copysign(0, -1))
	for _, tt := range []struct {
		bias float32
		a, b []float32
		want float32
	}{
		{least, []float32{0x1p-75, 0}, []float32{-0x1p-60, 0}, least},                // -2⁻¹³⁵ is a zero
		{least, []float32{0x1p-64, 0x1p-64}, []float32{0x1p-63, 0x1p-63}, least},     // two times 2⁻¹²⁷, both zeros
		{least, []float32{0x1p-63, 0}, []float32{-0x1.8p-63, 0}, negative},           // -2⁻¹²⁷
		{least, []float32{0x1p-63, 0x1p-62}, []float32{-0x1p-63, 0x1p-63}, 0x1p-125}, // -1 and 2 and 1, times 2⁻¹²⁶
		{0x1p-127, []float32{1}, []float32{0}, 0},
		// 2⁻²⁵ is hidden by 1, and four of them are not where they are summed up first.
		{1, []float32{0x1p-13, 0x1p-13, 0x1p-13, 0x1p-13}, []float32{0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12}, 1 + 0x1p-23},
	} {
		var c [1]float32
		amxPortable(c[:], tt.a, 1, len(tt.a), PackBF16(tt.b, len(tt.b), 1), []float32{tt.bias})
		if !same(c[0], tt.want) {
			t.Errorf("%x + %x·%x = %x, want %x", tt.bias, tt.a, tt.b, c[0], tt.want)
		}
	}
}

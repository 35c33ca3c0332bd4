//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The check before AMX is used tells its arithmetic from that of AVX512_BF16, and from one that
// misses a column, a row or the last pair.
func TestIsAMX(t *testing.T) {
	but := func(change func(c []float32, a *RowsBF16, n int)) func([]float32, *RowsBF16, *PackedBF16, []float32) {
		return func(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
			gemmAMXPortable(c, a, b, bias)
			change(c, a, b.n)
		}
	}
	for name, tt := range map[string]struct {
		gemm func([]float32, *RowsBF16, *PackedBF16, []float32)
		want bool
	}{
		"AMX":         {gemmAMXPortable, true},
		"AVX512_BF16": {gemmBF16Portable, false},
		"a bit":       {but(func(c []float32, _ *RowsBF16, _ int) { c[9] = math.Nextafter32(c[9], 100) }), false},
		"last column": {but(func(c []float32, _ *RowsBF16, n int) { c[n-1] = 0 }), false},
		"last row":    {but(func(c []float32, a *RowsBF16, n int) { clear(c[(a.m-1)*n:]) }), false},
		"no bias": {func(c []float32, a *RowsBF16, b *PackedBF16, _ []float32) {
			gemmAMXPortable(c, a, b, nil)
		}, false},
		"last pair": {func(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
			short, pairs := *a, (a.k+1)/2
			short.pairs = slices.Clone(a.pairs)
			for i := range a.m {
				short.pairs[(i+1)*pairs-1] = 0
			}
			gemmAMXPortable(c, &short, b, bias)
		}, false},
	} {
		if got := isAMX(tt.gemm); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The system switches the registers of AVX where AVX is there.
func TestXgetbv(t *testing.T) {
	if !hasAVX512 {
		t.Skip("the processor has no avx512")
	}
	if got := xgetbv(); got&0xe6 != 0xe6 { // of SSE, AVX, and three for AVX-512
		t.Errorf("XCR0 is %x", got)
	}
}

// BenchmarkAMX has steps of several sizes between two looks at the results: with few, tiles of
// results come and go often, with many, a panel does not stay in the first-level cache.
func BenchmarkAMX(b *testing.B) {
	if why := whyNoAMX(); why != "" {
		b.Skip(why)
	}
	was := blockSteps
	defer func() { blockSteps = was }()
	mem := newMemory()
	for _, s := range [][3]int{{192, 1152, 384}, {192, 384, 1536}, {2048, 384, 1536}, {192, 4096, 1024}, {192, 1024, 4096}} {
		m, n, k := s[0], s[1], s[2]
		c, p := make([]float32, m*n), PackBF16(mem.random(n*k, 1), k, n)
		r := RowsBF16{m: m, k: k, pairs: aligned(m * (k + 1) / 2)}
		eachRow(r.pairs, mem.random(m*k, 1), m, k, pair)
		for _, blockSteps = range []int{4, 8, 12, 16, 24, 48, 128} {
			b.Run(fmt.Sprintf("%dx%dx%d/%d", m, n, k, blockSteps), func(b *testing.B) {
				for b.Loop() {
					gemmAMX(c, &r, p, nil)
				}
				b.ReportMetric(float64(2*m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

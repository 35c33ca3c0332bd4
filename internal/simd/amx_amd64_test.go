//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"testing"
)

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

//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/cpu"
)

// hasBF16 is of the processor. Tests turn it off.
var hasBF16 = hasAVX512 && cpu.X86.HasAVX512BF16

// The ways to multiply in bfloat16.
const (
	bf16Portable = iota
	bf16Wide     // as float32, by AVX2 or AVX-512
	bf16Own      // by AVX512_BF16
	bf16AMX      // by AMX, to other bits
)

// wayBF16 is how products are computed. Tests set it.
var wayBF16 = sync.OnceValue(func() int {
	switch {
	case !hasAVX2:
		return bf16Portable
	case whyNoAMX() == "":
		return bf16AMX
	case hasBF16 && ownIsFaster():
		return bf16Own
	}
	return bf16Wide
})

// ownIsFaster measures, for some 50 microseconds: a Xeon made for AMX runs AVX512_BF16 at half the
// speed of float32's multiply-adds. The numbers are the same.
func ownIsFaster() bool {
	const rows, pairs = 12, 64
	var c [rows * panelBF16]float32
	a, wide, b := make([]uint32, rows*pairs), make([]float32, rows*2*pairs), make([]uint32, pairs*panelBF16)
	own, other := time.Duration(1<<62), time.Duration(1<<62)
	for range 8 {
		start := time.Now()
		gemm12x32BF16(pairs, &a[0], pairs, &b[0], &zeros[0], 0, &c[0], panelBF16)
		own = min(own, time.Since(start))
		start = time.Now()
		wide12x32AVX512(pairs, &wide[0], 2*pairs, &b[0], &zeros[0], 0, &c[0], panelBF16)
		other = min(other, time.Since(start))
	}
	return own < other
}

// HowBF16 says by what products in bfloat16 are computed here and, where it is not AMX, why.
func HowBF16() string {
	way := wayBF16()
	by := [...]string{bf16Portable: "plain Go", bf16Wide: "float32's instructions", bf16Own: "AVX512_BF16", bf16AMX: "AMX"}[way]
	if way == bf16AMX {
		return by
	}
	return fmt.Sprintf("%s (%s)", by, whyNoAMX())
}

// SpeedBF16 says how fast products in bfloat16 are here.
func SpeedBF16() Speed {
	return [...]Speed{bf16Portable: Slow, bf16Wide: AsFloat32, bf16Own: Faster, bf16AMX: Faster}[wayBF16()]
}

// AMX tells whether products in bfloat16 are summed up in the order of AMX, which changes their
// last bits.
func AMX() bool { return wayBF16() == bf16AMX }

func wideBF16() bool { return wayBF16() == bf16Wide }

// blockPairs pairs of a panel's rows, 24 KB, stay in the first-level cache while rows of a go
// by.
const blockPairs = 192

func pair(dst []uint32, x []float32) {
	whole := 0
	if hasBF16 {
		if whole = len(x) &^ 31; whole > 0 {
			roundBF16(&dst[0], &x[0], whole)
		}
	}
	pairPortable(dst[whole/2:], x[whole:])
}

func widen(dst, x []float32) {
	whole := len(x) &^ 7
	if whole > 0 {
		widenAVX2(&dst[0], &x[0], whole)
	}
	widenPortable(dst[whole:], x[whole:])
}

func gemmBF16(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	way := wayBF16()
	switch way {
	case bf16Portable:
		gemmBF16Portable(c, a, b, bias)
		return
	case bf16AMX:
		gemmAMX(c, a, b, bias)
		return
	}
	all := (b.k + 1) / 2
	blocks := (all + blockPairs - 1) / blockPairs
	step := ((all+blocks-1)/blocks + 3) &^ 3
	for i := 0; i < a.m; i += blockM {
		for k := 0; k < all; k += step {
			g := blockBF16{c: c, a: a, b: b, bias: bias, way: way, k: k, depth: min(step, all-k), lo: i, hi: min(a.m, i+blockM)}
			for j := 0; j < b.n; j += panelBF16 {
				g.panel(j)
			}
		}
	}
}

// blockBF16 is block in bfloat16: of pairs.
type blockBF16 struct {
	c        []float32
	a        *RowsBF16
	b        *PackedBF16
	bias     []float32
	way      int
	k, depth int
	lo, hi   int
}

// panel computes the panel from column j on.
func (g *blockBF16) panel(j int) {
	ldc := g.b.n
	if ldc-j < panelBF16 {
		g.edge(j, ldc-j)
		return
	}
	init, ldi := &zeros[0], 0
	if g.bias != nil {
		init = &g.bias[j : j+panelBF16][0]
	}
	for i := g.lo; i < g.hi; {
		rows := share(g.hi-i, 12)
		c := g.c[i*ldc+j:]
		if g.k > 0 {
			init, ldi = &c[0], ldc
		}
		g.tile(i, rows, j, init, ldi, &c[0], ldc)
		i += rows
	}
}

// edge computes the last n columns by way of a tile of 32: the kernels would write past them.
func (g *blockBF16) edge(j, n int) {
	var tile [12 * panelBF16]float32
	for i := g.lo; i < g.hi; {
		rows := share(g.hi-i, 12)
		for r := range rows {
			switch row := tile[r*panelBF16:][:n]; {
			case g.k > 0:
				copy(row, g.c[(i+r)*g.b.n+j:])
			case g.bias != nil:
				copy(row, g.bias[j:])
			default:
				clear(row)
			}
		}
		g.tile(i, rows, j, &tile[0], panelBF16, &tile[0], panelBF16)
		for r := range rows {
			copy(g.c[(i+r)*g.b.n+j:][:n], tile[r*panelBF16:])
		}
		i += rows
	}
}

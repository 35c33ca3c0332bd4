//go:build amd64 && !noasm

package simd

import (
	"iter"
	"math"
	"math/bits"
	"sync"

	"golang.org/x/sys/cpu"
)

// whyNoAMX says why AMX is not used; "" is that it is. It asks the system once.
var whyNoAMX = sync.OnceValue(func() string {
	const states = 1<<17 | 1<<18 // XTILECFG, XTILEDATA
	switch {
	case !hasBF16 || !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16: // GODEBUG=cpu.amxtile=off turns it off
		return "the processor has no AMX"
	case !cpu.X86.HasOSXSAVE || xgetbv()&states != states:
		return "the system does not switch AMX's tiles"
	}
	if err := permitTiles(); err != nil {
		return "the system does not permit AMX's tiles: " + err.Error()
	}
	if !isAMX(gemmAMX) {
		return "AMX gives other numbers here than its manual says"
	}
	return ""
})

// isAMX tells whether gemm has the arithmetic of AMX, of a product that has parts of every size:
// whole and other blocks, panels and steps.
func isAMX(gemm func(c []float32, a *RowsBF16, b *PackedBF16, bias []float32)) bool {
	const m, n, k = 33, 37, 2*2*tilePairs + 5
	const pairs = (k + 1) / 2
	state := uint64(1)
	// Of all signs and fractions, and of sizes that hide others and whose products may be too small.
	fill := func(x []float32) []float32 {
		for i := range x {
			state = state*6364136223846793005 + 1442695040888963407
			r := uint32(state >> 32)
			scale := 127 - r>>8%8
			if r>>16%16 == 0 {
				scale = 60 + r>>20%16
			}
			x[i] = math.Float32frombits(r<<31 | scale<<23 | bits.Reverse32(r)>>9)
		}
		return x
	}
	a := RowsBF16{m: m, k: k, pairs: make([]uint32, m*pairs)}
	eachRow(a.pairs, fill(make([]float32, m*k)), m, k, pairPortable)
	b, bias := PackBF16(fill(make([]float32, n*k)), k, n), fill(make([]float32, n))
	want, got := make([]float32, m*n), make([]float32, m*n)
	gemmAMXPortable(want, &a, b, bias)
	gemm(got, &a, b, bias)
	for i, x := range want {
		if math.Float32bits(x) != math.Float32bits(got[i]) {
			return false
		}
	}
	return true
}

// blockSteps times 16 rows of a panel, and as many pairs of 32 rows of a, fill a first-level cache
// of 48 KB. It was chosen without a processor to time it on; BenchmarkAMX sets others.
var blockSteps = 12

func gemmAMX(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	for p := range partsAMX(c, a, b, bias) {
		p.run()
	}
}

// partAMX is a part of a product: blocks of up to 32 rows each, as many of panels of up to 32
// columns, and of the sums `steps` times the pairs of a tile.
type partAMX struct {
	rows, columns         int // of a block, of a panel
	shape                 [64]byte
	steps, blocks, panels int
	a                     *uint32
	lda                   int
	b                     *uint32
	panel                 int
	init                  *float32
	ldi, next             int
	c                     *float32
	ldc                   int
}

// partsAMX are those of a product. Whole blocks, and whole panels, go together, and so do as many
// pairs as fill tiles.
func partsAMX(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) iter.Seq[partAMX] {
	pairs := (b.k + 1) / 2
	whole := pairs / tilePairs
	parts := max(1, (whole+blockSteps-1)/blockSteps)
	most := (whole + parts - 1) / parts
	type group struct{ at, size, count int }
	groups := func(n int) [2]group { return [...]group{{0, 32, n / 32}, {n &^ 31, n % 32, 1}} }
	return func(yield func(partAMX) bool) {
		for i := 0; i < a.m; i += blockM {
			for k := 0; k < pairs; {
				steps, depth := min(most, whole-k/tilePairs), tilePairs
				if steps == 0 {
					steps, depth = 1, pairs-k
				}
				for _, r := range groups(min(a.m-i, blockM)) {
					for _, s := range groups(b.n) {
						if r.size*r.count*s.size*s.count == 0 {
							continue
						}
						i, j := i+r.at, s.at
						p := partAMX{
							rows: r.size, columns: s.size, shape: shapeAMX(r.size, s.size, depth),
							steps: steps, blocks: r.count, panels: s.count,
							a: &a.pairs[i*pairs+k], lda: pairs,
							b: &b.panel(j / panelBF16)[k*panelBF16], panel: pairs * panelBF16,
							init: &zeros[0],
							c:    &c[i*b.n+j], ldc: b.n,
						}
						switch {
						case k > 0:
							p.init, p.ldi, p.next = p.c, p.ldc, panelBF16
						case bias != nil:
							p.init, p.next = &bias[j], panelBF16
						}
						if !yield(p) {
							return
						}
					}
				}
				k += steps * depth
			}
		}
	}
}

// shapeAMX is what LDTILECFG reads, for a product of so many rows and columns, of so many pairs:
// how tiles are laid out, which is 1, and of each the bytes of a row, from 16 on, and the rows,
// from 48 on. Tiles 0 to 3 are of c, 4 and 5 of a, 6 and 7 of b.
func shapeAMX(rows, columns, pairs int) (s [64]byte) {
	s[0] = 1
	set := func(tile, rows, columns int) {
		if rows > 0 && columns > 0 {
			s[16+2*tile], s[48+tile] = byte(4*columns), byte(rows)
		}
	}
	for i := range 2 {
		rows := min(16, rows-16*i)
		set(4+i, rows, pairs)
		set(6+i, pairs, min(16, columns-16*i))
		for j := range 2 {
			set(2*i+j, rows, min(16, columns-16*j))
		}
	}
	return s
}

func (p *partAMX) run() {
	switch {
	case p.rows <= 16 && p.columns <= 16:
		amx16x16BF16(&p.shape, p.steps, p.blocks, p.panels, p.a, p.lda, p.b, p.panel, p.init, p.ldi, p.next, p.c, p.ldc)
	case p.rows <= 16:
		amx16x32BF16(&p.shape, p.steps, p.blocks, p.panels, p.a, p.lda, p.b, p.panel, p.init, p.ldi, p.next, p.c, p.ldc)
	case p.columns <= 16:
		amx32x16BF16(&p.shape, p.steps, p.blocks, p.panels, p.a, p.lda, p.b, p.panel, p.init, p.ldi, p.next, p.c, p.ldc)
	default:
		amx32x32BF16(&p.shape, p.steps, p.blocks, p.panels, p.a, p.lda, p.b, p.panel, p.init, p.ldi, p.next, p.c, p.ldc)
	}
}

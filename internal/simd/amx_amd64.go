//go:build amd64 && !noasm

package simd

import (
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
	if !amxIsRight() {
		return "AMX gives other numbers here than its manual says"
	}
	return ""
})

// amxIsRight compares bits, of a product that has parts of every size: whole and other blocks,
// panels and steps.
func amxIsRight() bool {
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
	gemmAMX(got, &a, b, bias)
	for i, x := range want {
		if math.Float32bits(x) != math.Float32bits(got[i]) {
			return false
		}
	}
	return true
}

// tilesAMX is a part of a product: of the sums, `steps` times `depth` pairs from k on.
type tilesAMX struct {
	c               []float32
	a               *RowsBF16
	b               *PackedBF16
	bias            []float32
	k, steps, depth int
}

// blockSteps times 16 rows of a panel, and as many pairs of 32 rows of a, fill a first-level cache
// of 48 KB. It was chosen without a processor to time it on; BenchmarkAMX sets others.
var blockSteps = 12

func gemmAMX(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	pairs := (b.k + 1) / 2
	whole := pairs / tilePairs
	blocks := max(1, (whole+blockSteps-1)/blockSteps)
	most := (whole + blocks - 1) / blocks
	for i := 0; i < a.m; i += blockM {
		n := min(a.m-i, blockM)
		high := n &^ 31
		for k := 0; k < pairs; {
			g := tilesAMX{c, a, b, bias, k, min(most, whole-k/tilePairs), tilePairs}
			if g.steps == 0 { // less than a tile is left
				g.steps, g.depth = 1, pairs-k
			}
			g.rows(i, 32, high/32)
			g.rows(i+high, n-high, 1)
			k += g.steps * g.depth
		}
	}
}

// rows computes blocks of n rows each, up to 32, from row i on.
func (g *tilesAMX) rows(i, n, blocks int) {
	if n == 0 || blocks == 0 {
		return
	}
	full := g.b.n / panelBF16
	g.panels(i, n, blocks, 0, panelBF16, full)
	g.panels(i, n, blocks, full, g.b.n%panelBF16, 1)
}

// panels is rows with n columns of each of some panels from panel j on.
func (g *tilesAMX) panels(i, rows, blocks, j, n, panels int) {
	if n == 0 || panels == 0 {
		return
	}
	pairs, ldc := (g.b.k+1)/2, g.b.n
	a, b, c := &g.a.pairs[i*pairs+g.k], &g.b.panel(j)[g.k*panelBF16], &g.c[i*ldc+j*panelBF16]
	init, ldi, next := &zeros[0], 0, 0
	switch {
	case g.k > 0:
		init, ldi, next = c, ldc, panelBF16
	case g.bias != nil:
		init, next = &g.bias[j*panelBF16], panelBF16
	}
	shape, steps := g.shape(rows, n), g.steps
	switch {
	case rows <= 16 && n <= 16:
		amx16x16BF16(&shape, steps, blocks, panels, a, pairs, b, pairs*panelBF16, init, ldi, next, c, ldc)
	case rows <= 16:
		amx16x32BF16(&shape, steps, blocks, panels, a, pairs, b, pairs*panelBF16, init, ldi, next, c, ldc)
	case n <= 16:
		amx32x16BF16(&shape, steps, blocks, panels, a, pairs, b, pairs*panelBF16, init, ldi, next, c, ldc)
	default:
		amx32x32BF16(&shape, steps, blocks, panels, a, pairs, b, pairs*panelBF16, init, ldi, next, c, ldc)
	}
}

// shape is what LDTILECFG reads, for a product of so many rows and columns: how tiles are laid
// out, which is 1, and of each the bytes of a row, from 16 on, and the rows, from 48 on. Tiles 0
// to 3 are of c, 4 and 5 of a, 6 and 7 of b.
func (g *tilesAMX) shape(rows, cols int) (s [64]byte) {
	s[0] = 1
	set := func(tile, rows, columns int) {
		if rows > 0 && columns > 0 {
			s[16+2*tile], s[48+tile] = byte(4*columns), byte(rows)
		}
	}
	for i := range 2 {
		rows := min(16, rows-16*i)
		set(4+i, rows, g.depth)
		set(6+i, g.depth, min(16, cols-16*i))
		for j := range 2 {
			set(2*i+j, rows, min(16, cols-16*j))
		}
	}
	return s
}

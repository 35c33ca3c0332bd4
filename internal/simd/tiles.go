//go:build (amd64 || arm64) && !noasm

package simd

import "sync"

// Products and maxima by tiles, which are of the same sizes in every assembly.

func dots(out []float32, ldo int, a []float32, lda, na int, b []float32, ldb, nb, dim int) {
	if !hasTiles() {
		dotsPortable(out, ldo, a, lda, na, b, ldb, nb, dim)
		return
	}
	for j := 0; j < nb; j += 4 {
		// Past the last vector it stands in for those that are missing, and the
		// kernel writes beside out.
		b0, b1, b2, b3 := &b[j*ldb], &b[min(j+1, nb-1)*ldb], &b[min(j+2, nb-1)*ldb], &b[min(j+3, nb-1)*ldb]
		n := min(4, nb-j)
		for i := 0; i < na; {
			rows := share(na-i, 3)
			if n == 4 {
				dotsTile(rows, dim, &a[i*lda], lda, b0, b1, b2, b3, &out[i*ldo+j], ldo)
			} else {
				var tile [3 * 4]float32
				dotsTile(rows, dim, &a[i*lda], lda, b0, b1, b2, b3, &tile[0], 4)
				for r := range rows {
					copy(out[(i+r)*ldo+j:][:n], tile[4*r:])
				}
			}
			i += rows
		}
	}
}

// share is how many of n rows to take at once, at most most: not so many that
// there are few left for the last time, as few rows take as long as some more.
func share(n, most int) int {
	switch {
	case n <= most:
		return n
	case n < 2*most:
		return (n + 1) / 2
	}
	return most
}

const (
	// blockK rows of two panels, 96 KB, and blockM rows of a, blockK numbers of each, 720 KB,
	// stay in the second-level cache while rows of a and panels go by.
	blockK = 768
	blockM = 240
)

// zeros are the start of sums without a bias.
var zeros [2 * panelCols]float32

func gemm(c []float32, ldc int, a []float32, lda, m int, b *Packed, bias []float32) {
	if !hasTiles() {
		gemmPortable(c, ldc, a, lda, m, b, bias)
		return
	}
	parts := (b.k + blockK - 1) / blockK
	step := ((b.k+parts-1)/parts + 3) &^ 3
	var room *rows
	if m >= 24 && b.n >= 128 && lda%crowded == 0 { // else copies cost more than they bring
		room = rooms.Get().(*rows)
		defer rooms.Put(room)
	}
	for k := 0; k < b.k; k += step {
		g := block{ldc: ldc, b: b, bias: bias, k: k, depth: min(step, b.k-k)}
		for i := 0; i < m; i += g.rows {
			g.rows = share(m-i, blockM)
			g.c, g.a, g.lda = c[i*ldc:], a[i*lda+k:], lda
			if room != nil {
				g.gather(room)
			}
			for j := g.wide(); j < b.n; j += panelCols {
				g.one(j)
			}
		}
	}
}

// Rows that begin a multiple of crowded numbers, 4 KB, apart begin in one set of the first-level
// cache, which does not hold a line of each row of a tile. Of a block they are copied to rows of
// rowLen numbers.
const (
	crowded = 1024
	rowLen  = blockK + panelCols
)

type rows [blockM * rowLen]float32

var rooms = sync.Pool{New: func() any { return new(rows) }}

func (g *block) gather(room *rows) {
	for i := range g.rows {
		copy(room[i*rowLen:][:g.depth], g.a[i*g.lda:])
	}
	g.a, g.lda = room[:], rowLen
}

// block is a part of a product: of some rows, which a and c begin with, the sums from k on,
// depth of them. The sums of the first part start at the bias and those of later parts
// where the one before ended, so parts don't change them.
type block struct {
	c        []float32
	ldc      int
	a        []float32
	lda      int
	b        *Packed
	bias     []float32
	k, depth int
	rows     int
}

// one computes the panel from column j on.
func (g *block) one(j int) {
	b := &g.b.data[(j*g.b.k)+g.k*panelCols]
	n := min(panelCols, g.b.n-j)
	if n < panelCols {
		g.edge(j, n, b)
		return
	}
	init, ldi := g.start(j, panelCols)
	for i := 0; i < g.rows; {
		rows := share(g.rows-i, 6)
		c := &g.c[i*g.ldc+j]
		if g.k > 0 {
			init, ldi = c, g.ldc
		}
		gemmTile(rows, g.depth, &g.a[i*g.lda], g.lda, b, init, ldi, c, g.ldc)
		i += rows
	}
}

// start is where the sums of cols columns start in the first part, in each row.
func (g *block) start(j, cols int) (*float32, int) {
	if g.bias == nil {
		return &zeros[0], 0
	}
	return &g.bias[j : j+cols][0], 0
}

// edge computes the last n columns by way of a tile of 16: the kernel would write
// past them.
func (g *block) edge(j, n int, b *float32) {
	var tile [6 * panelCols]float32
	for i := 0; i < g.rows; {
		rows := share(g.rows-i, 6)
		for r := range rows {
			switch row := tile[r*panelCols:][:n]; {
			case g.k > 0:
				copy(row, g.c[(i+r)*g.ldc+j:])
			case g.bias != nil:
				copy(row, g.bias[j:])
			default:
				clear(row)
			}
		}
		gemmTile(rows, g.depth, &g.a[i*g.lda], g.lda, b, &tile[0], panelCols, &tile[0], panelCols)
		for r := range rows {
			copy(g.c[(i+r)*g.ldc+j:][:n], tile[r*panelCols:])
		}
		i += rows
	}
}

func maxRow(x []float32) (float32, int) {
	whole := len(x) &^ 7
	if !hasTiles() || whole == 0 {
		return maxRowPortable(x)
	}
	var lane [8]float32
	var lanesAt [8]int32
	maxRow8(&lane, &lanesAt, &x[0], whole)
	most, at := lane[0], int(lanesAt[0])
	for i := 1; i < 8; i++ {
		if v, k := lane[i], int(lanesAt[i]); v > most || v == most && k < at {
			most, at = v, k
		}
	}
	for i := whole; i < len(x); i++ {
		if x[i] > most {
			most, at = x[i], i
		}
	}
	return most, at
}

func maxCols(most []float32, at []int32, x []float32, rows int) {
	n, j := len(most), 0
	if hasTiles() {
		for ; j+8 <= n; j += 8 {
			maxCols8(&most[j], &at[j], &x[j], n, rows)
		}
	}
	if j < n {
		maxColsPortable(most[j:], at[j:], x[j:], n, rows)
	}
}

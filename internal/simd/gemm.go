package simd

import (
	"fmt"
	"unsafe"
)

// panelCols is the number of columns of a panel: 64 bytes, a cache line.
const panelCols = 16

// Packed is the right-hand matrix of a product, of k rows and n columns, in the
// order in which the product reads it: panels of 16 columns, each k rows of 16
// numbers, the last one filled up with zeros. The zero value has no columns.
type Packed struct {
	k, n int
	data []float32
}

// K is the number of rows.
func (p *Packed) K() int { return p.k }

// N is the number of columns.
func (p *Packed) N() int { return p.n }

// Pack packs the n columns of b, k numbers each, one column after another: the
// weight of a PyTorch Linear layer with k inputs and n outputs.
func Pack(b []float32, k, n int) *Packed {
	p := new(Packed)
	p.resize(k, n)
	huge(p.data)
	p.SetColumns(b, k, k, n)
	return p
}

// SetColumns packs n columns of k numbers that start ld apart in b. It uses p's
// memory again if there is enough.
func (p *Packed) SetColumns(b []float32, ld, k, n int) {
	checkRows("b", len(b), n, k, ld)
	p.resize(k, n)
	if k == 0 {
		return
	}
	j, done := 0, 0
	for ; j+4 <= n; j += 4 { // four at a time touch each line of the panel a quarter as often
		panel := p.panel(j / panelCols)[j%panelCols:]
		if j%8 == 0 {
			done = 0
			if j+8 <= n {
				done = transpose8(panel, b[j*ld:], ld, k)
			}
		}
		if done == k {
			continue
		}
		b0, b1, b2, b3 := b[j*ld:j*ld+k], b[(j+1)*ld:(j+1)*ld+k], b[(j+2)*ld:(j+2)*ld+k], b[(j+3)*ld:(j+3)*ld+k]
		b1, b2, b3 = b1[:len(b0)], b2[:len(b0)], b3[:len(b0)]
		for i := done; i < len(b0); i++ {
			*(*[4]float32)(panel[i*panelCols:]) = [4]float32{b0[i], b1[i], b2[i], b3[i]}
		}
	}
	for ; j < n; j++ {
		panel := p.panel(j / panelCols)[j%panelCols:]
		for i, x := range b[j*ld : j*ld+k] {
			panel[i*panelCols] = x
		}
	}
}

// SetRows packs k rows of n numbers that start ld apart in b. It uses p's memory
// again if there is enough.
func (p *Packed) SetRows(b []float32, ld, k, n int) {
	checkRows("b", len(b), k, n, ld)
	p.resize(k, n)
	for j := 0; j < n; j += panelCols {
		panel := p.panel(j / panelCols)
		if j+panelCols <= n {
			for i := range k {
				*(*[panelCols]float32)(panel[i*panelCols:]) = *(*[panelCols]float32)(b[i*ld+j:])
			}
			continue
		}
		for i := range k {
			copy(panel[i*panelCols:], b[i*ld+j:i*ld+n])
		}
	}
}

// Fill makes columns of the zeros that fill the last panel: N becomes a multiple of 16.
// Products with whole panels are faster.
func (p *Packed) Fill() { p.n = (p.n + panelCols - 1) / panelCols * panelCols }

func (p *Packed) panel(j int) []float32 {
	return p.data[j*p.k*panelCols : (j+1)*p.k*panelCols]
}

// resize makes room for k×n numbers, with zeros where the last panel has no
// columns.
func (p *Packed) resize(k, n int) {
	panels := (n + panelCols - 1) / panelCols
	if size := panels * k * panelCols; cap(p.data) < size {
		// Rows then don't straddle cache lines.
		room := make([]float32, size+panelCols-1)
		skip := 0
		if size > 0 {
			skip = int(-uintptr(unsafe.Pointer(&room[0]))%(4*panelCols)) / 4
		}
		p.data = room[skip:][:size:size]
	} else {
		p.data = p.data[:size]
	}
	p.k, p.n = k, n
	if n%panelCols != 0 {
		clear(p.panel(panels - 1))
	}
}

// Gemm sets c, of m rows and b.N() columns, to the product of a, of m rows and
// b.K() columns, with b, plus bias in every row unless bias is nil. c must share
// no memory with the others. Both matrices are whole: their rows touch.
//
// Each number is summed from its bias up, in the order of k, so its bits don't
// depend on m, on its row or column or, among the loops in assembly, on which of
// them computes it.
func Gemm(c, a []float32, m int, b *Packed, bias []float32) {
	if m < 0 {
		panic(fmt.Sprintf("simd: %d rows", m))
	}
	checkLen("a", len(a), m*b.k)
	checkLen("c", len(c), m*b.n)
	GemmStrided(c, b.n, a, b.k, m, b, bias)
}

// GemmStrided is [Gemm] where rows of c and a start ldc and lda numbers apart.
// What lies between rows of c is left alone.
func GemmStrided(c []float32, ldc int, a []float32, lda, m int, b *Packed, bias []float32) {
	checkRows("c", len(c), m, b.n, ldc)
	checkRows("a", len(a), m, b.k, lda)
	if bias != nil {
		checkLen("bias", len(bias), b.n)
	}
	switch {
	case m == 0 || b.n == 0:
	case b.k == 0:
		for i := range m {
			row := c[i*ldc : i*ldc+b.n]
			clear(row)
			copy(row, bias)
		}
	default:
		gemm(c, ldc, a, lda, m, b, bias)
	}
}

// gemmPortable goes through the columns in twos and the rows in fours, as
// dotsPortable does and for the same reasons.
func gemmPortable(c []float32, ldc int, a []float32, lda, m int, p *Packed, bias []float32) {
	k := p.k
	for j := 0; j < p.n; j += 2 {
		b := p.panel(j / panelCols)[j%panelCols:]
		two := j+1 < p.n
		var bias0, bias1 float32
		if bias != nil {
			bias0 = bias[j]
			if two {
				bias1 = bias[j+1]
			}
		}
		i := 0
		for ; i+4 <= m; i += 4 {
			a0, a1, a2, a3 := a[i*lda:i*lda+k], a[(i+1)*lda:(i+1)*lda+k], a[(i+2)*lda:(i+2)*lda+k], a[(i+3)*lda:(i+3)*lda+k]
			a1, a2, a3 = a1[:len(a0)], a2[:len(a0)], a3[:len(a0)]
			s00, s10, s20, s30 := bias0, bias0, bias0, bias0
			s01, s11, s21, s31 := bias1, bias1, bias1, bias1
			at := 0
			for h, x := range a0 {
				y, z := b[at], b[at+1]
				at += panelCols
				s00 += float32(x * y)
				s01 += float32(x * z)
				x = a1[h]
				s10 += float32(x * y)
				s11 += float32(x * z)
				x = a2[h]
				s20 += float32(x * y)
				s21 += float32(x * z)
				x = a3[h]
				s30 += float32(x * y)
				s31 += float32(x * z)
			}
			c[i*ldc+j], c[(i+1)*ldc+j], c[(i+2)*ldc+j], c[(i+3)*ldc+j] = s00, s10, s20, s30
			if two {
				c[i*ldc+j+1], c[(i+1)*ldc+j+1], c[(i+2)*ldc+j+1], c[(i+3)*ldc+j+1] = s01, s11, s21, s31
			}
		}
		for ; i < m; i++ {
			s0, s1 := bias0, bias1
			at := 0
			for _, x := range a[i*lda : i*lda+k] {
				s0 += float32(x * b[at])
				s1 += float32(x * b[at+1])
				at += panelCols
			}
			c[i*ldc+j] = s0
			if two {
				c[i*ldc+j+1] = s1
			}
		}
	}
}

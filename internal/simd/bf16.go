package simd

import (
	"fmt"
	"math"
	"unsafe"
)

// Products in bfloat16, float32 with the first 8 bits of the fraction only: of numbers that are
// rounded to it, to nearest even, summed up in float32. The arithmetic is that of AVX512_BF16,
// VDPBF16PS and VCVTNE2PS2BF16 (Intel's manual, volume 2), wherever it is computed but by AMX:
// numbers too small for a whole fraction are zeros, as rounded numbers, as starts of sums and as
// sums. AMX sums up in an order of its own (amx.go).

// Speed is how fast a processor multiplies in bfloat16.
type Speed int

// The speeds.
const (
	Slow      Speed = iota // in plain Go, some three times as long as float32
	AsFloat32              // with the instructions of float32, in about its time
	Faster                 // with instructions of its own
)

// panelBF16 is the number of columns of a panel in bfloat16: as pairs, two cache lines.
const panelBF16 = 32

// RowsBF16 is the left-hand matrix of a product in bfloat16. The zero value has no rows.
type RowsBF16 struct {
	m, k int
	// What the processor multiplies has one of these. A row of an odd k has a zero more.
	pairs []uint32  // two numbers in each, the first in the low half
	wide  []float32 // rounded
}

// Set rounds m rows of k numbers. Their rows touch. It uses r's memory again if there is
// enough.
func (r *RowsBF16) Set(x []float32, m, k int) {
	checkRows("x", len(x), m, k, k)
	r.m, r.k = m, k
	if pairs := (k + 1) / 2; wideBF16() {
		r.wide = again(r.wide, m*2*pairs)
		eachRow(r.wide, x[:m*k], m, k, widen)
	} else {
		if cap(r.pairs) < m*pairs {
			r.pairs = aligned(m * pairs) // most k fill cache lines: tiles of AMX read one of each row
		}
		r.pairs = r.pairs[:m*pairs]
		eachRow(r.pairs, x[:m*k], m, k, pair)
	}
}

func again[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// eachRow calls set for m rows of x and dst, or for all at once where they touch in both.
func eachRow[T any](dst []T, x []float32, m, k int, set func(dst []T, x []float32)) {
	if k%2 == 0 {
		set(dst, x)
		return
	}
	for i := range m {
		set(dst[i*len(dst)/m:(i+1)*len(dst)/m], x[i*k:(i+1)*k])
	}
}

// pairPortable sets dst to the numbers of x, with a zero beside the last of an odd number.
func pairPortable(dst []uint32, x []float32) {
	for i := range dst {
		dst[i] = bf16(x[2*i])
		if 2*i+1 < len(x) {
			dst[i] |= bf16(x[2*i+1]) << 16
		}
	}
}

// widenPortable is pairPortable with a float32 for each number.
func widenPortable(dst, x []float32) {
	for i, v := range x {
		dst[i] = math.Float32frombits(bf16(v) << 16)
	}
	clear(dst[len(x):])
}

const (
	signBit  = 1 << 31
	exponent = 0xff << 23
)

// bf16 rounds x, in the low half.
func bf16(x float32) uint32 {
	bits := math.Float32bits(x)
	switch {
	case bits&exponent == 0:
		return bits & signBit >> 16
	case x != x:
		return bits>>16 | 1<<6 // quiet
	}
	return (bits + 0x7fff + bits>>16&1) >> 16
}

// PackedBF16 is a [Packed] in bfloat16, of half its size: panels of 32 columns, each k/2 rows
// of 32 pairs, the last one filled up with zeros.
type PackedBF16 struct {
	k, n int
	data []uint32
}

// K is the number of rows.
func (p *PackedBF16) K() int { return p.k }

// PackBF16 rounds and packs the n columns of b, k numbers each, one column after another.
func PackBF16(b []float32, k, n int) *PackedBF16 {
	checkRows("b", len(b), n, k, k)
	pairs, panels := (k+1)/2, (n+panelBF16-1)/panelBF16
	p := &PackedBF16{k: k, n: n, data: aligned(panels * pairs * panelBF16)}
	huge(p.data)
	column := make([]uint32, pairs)
	for j := 0; j < n && k > 0; j++ {
		pair(column, b[j*k:(j+1)*k])
		panel := p.panel(j / panelBF16)[j%panelBF16:]
		for i, v := range column {
			panel[i*panelBF16] = v
		}
	}
	return p
}

// aligned is memory that begins with a cache line.
func aligned(n int) []uint32 {
	const line = 64
	if n == 0 {
		return nil
	}
	room := make([]uint32, n+line/4-1)
	skip := int(-uintptr(unsafe.Pointer(&room[0]))%line) / 4
	return room[skip:][:n:n]
}

func (p *PackedBF16) panel(j int) []uint32 {
	size := (p.k + 1) / 2 * panelBF16
	return p.data[j*size:][:size]
}

// GemmBF16 sets c, of a's rows and b's columns, to the product of a with b, plus bias in every
// row unless bias is nil. c's rows touch, and it shares no memory with the others.
//
// Each number is summed from its bias up, pair by pair in the order of k, of each pair the second
// product first; with AMX, where [AMX] is true, 16 pairs at a time, of which the first and the
// second products are summed up from zero and then added to each other. Its bits depend on nothing
// else: neither on shapes nor on the processor, but for which NaN it is.
func GemmBF16(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	if a.k != b.k {
		panic(fmt.Sprintf("simd: rows of %d numbers, columns of %d", a.k, b.k))
	}
	checkLen("c", len(c), a.m*b.n)
	if bias != nil {
		checkLen("bias", len(bias), b.n)
	}
	switch {
	case a.m == 0 || b.n == 0:
	case b.k == 0:
		gemmBF16Portable(c, a, b, bias)
	default:
		gemmBF16(c, a, b, bias)
	}
}

// gemmBF16Portable takes two columns at a time, which a panel always has.
func gemmBF16Portable(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	pairs := (b.k + 1) / 2
	for j := 0; j < b.n; j += 2 {
		two := j+1 < b.n
		var start0, start1 float32
		if bias != nil {
			start0 = flush(bias[j])
			if two {
				start1 = flush(bias[j+1])
			}
		}
		panel := b.panel(j / panelBF16)
		for i := range a.m {
			s0, s1, at := start0, start1, j%panelBF16
			for _, x := range a.pairs[i*pairs : (i+1)*pairs] {
				y, z := panel[at], panel[at+1]
				at += panelBF16
				x1, x2, y1, y2, z1, z2 := first(x), second(x), first(y), second(y), first(z), second(z)
				t0, t1 := s0+float32(x2*y2), s1+float32(x2*z2)
				u0, u1 := t0+float32(x1*y1), t1+float32(x1*z1)
				if extreme(t0) || extreme(t1) || extreme(u0) || extreme(u1) {
					u0, u1 = addExactly(addExactly(s0, x2, y2), x1, y1), addExactly(addExactly(s1, x2, z2), x1, z1)
				}
				s0, s1 = u0, u1
			}
			c[i*b.n+j] = s0
			if two {
				c[i*b.n+j+1] = s1
			}
		}
	}
}

func first(pair uint32) float32 { return math.Float32frombits(pair << 16) }

func second(pair uint32) float32 { return math.Float32frombits(pair &^ 0xffff) }

// extreme tells whether a sum may not be the one of numbers rounded once. Products of bfloat16
// are exact in float32 unless they are too small or too large: then so is the sum, or it is so
// large that it hides them.
func extreme(sum float32) bool { return math.Float32bits(sum)>>23&0xff-37 >= 0xff-37 } // below 2⁻⁹⁰, or not finite

// addExactly adds x·y, of bfloat16, with one rounding, by float64: that has their product to the
// last bit, and where it has not the sum, that is too far from the middle of two numbers of
// float32 to be rounded to the wrong one.
//
//go:noinline
func addExactly(sum, x, y float32) float32 {
	exact := float64(sum) + float64(x)*float64(y)
	if math.Abs(exact) < leastRounded {
		return float32(math.Copysign(0, exact))
	}
	return float32(exact)
}

// leastRounded is the least number that is rounded, to 24 bits, to the least of float32 with a
// whole fraction.
const leastRounded = 0x1p-126 - 0x1p-151

// flush returns 0, with x's sign, where x is too small for a whole fraction.
func flush(x float32) float32 {
	if bits := math.Float32bits(x); bits&exponent == 0 {
		return math.Float32frombits(bits & signBit)
	}
	return x
}

// Command asm writes kernels_amd64.s and its declarations. It is a module of its
// own so that the library does not depend on avo; `go generate ./internal/simd`
// runs it.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/mteval/mteval/internal/simd/_asm/coefficients"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	masks()
	for rows := 1; rows <= 3; rows++ {
		dots(rows)
	}
	for rows := 1; rows <= 6; rows++ {
		gemm256(rows)
	}
	for rows := 1; rows <= 12; rows++ {
		gemm512(rows)
	}
	for rows := 1; rows <= 12; rows++ {
		gemmBF16(rows)
	}
	roundBF16()
	for rows := 1; rows <= 6; rows++ {
		wideBF16(rows)
	}
	widenBF16()
	wide = true
	for rows := 1; rows <= 12; rows++ {
		wideBF16(rows)
	}
	for _, wide = range []bool{false, true} {
		softmax(1)
		if wide {
			softmax(4)
		}
		unary("gelu", "replaces n numbers by their GELU.", gelu)
		unary("geluTanh", "replaces n numbers by GELU's approximation by tanh.", geluTanh)
	}
	wide = false
	for high := 1; high <= 2; high++ {
		for across := 1; across <= 2; across++ {
			amxBF16(high, across)
		}
	}
	xgetbv()
	transpose()
	layerNorm()
	add()
	maxRow()
	maxCols()
	Generate()
}

// start begins a function, the pointers of which do not leave it.
func start(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// loop repeats body while n, which body lowers by step, is at least step.
func loop(name string, n Register, step int, body func()) {
	Label(name)
	CMPQ(n, Imm(uint64(step)))
	JL(LabelRef(name + "_end"))
	body()
	SUBQ(Imm(uint64(step)), n)
	JMP(LabelRef(name))
	Label(name + "_end")
}

// wide says that what works on numbers one by one has 16 of them in a register of AVX-512,
// else 8 in one of AVX2.
var wide bool

func lanes() int {
	if wide {
		return 16
	}
	return 8
}

func set() string {
	if wide {
		return "AVX512"
	}
	return "AVX2"
}

func vec() VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

func zero(v VecVirtual) {
	if wide {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}

// few are the first lanes of a register, those that numbers are left for.
type few struct{ mask Register }

// part runs body if any number is left, fewer than there are lanes.
func part(name string, n Register, body func(f few)) {
	if !wide {
		tail(name, n, func(mask VecVirtual) { body(few{mask}) })
		return
	}
	TESTQ(n, n)
	JZ(LabelRef(name))
	mask, at := K(), GP64()
	LEAQ(bitTable, at)
	KMOVW(Mem{Base: at, Index: n, Scale: 2}, mask)
	body(few{mask})
	Label(name)
}

// load sets the other lanes to 0.
func (f few) load(m Mem, v VecVirtual) {
	if wide {
		VMOVUPS_Z(m, f.mask, v)
	} else {
		VMASKMOVPS(m, f.mask, v)
	}
}

func (f few) store(v VecVirtual, m Mem) {
	if wide {
		VMOVUPS(v, f.mask, m)
	} else {
		VMASKMOVPS(v, f.mask, m)
	}
}

// merge loads without changing the other lanes.
func (f few) merge(m Mem, v VecVirtual) {
	if wide {
		VMOVUPS(m, f.mask, v)
		return
	}
	x := YMM()
	VMASKMOVPS(m, f.mask, x)
	VBLENDVPS(f.mask, x, v, v)
}

// clear sets the other lanes to 0.
func (f few) clear(v VecVirtual) {
	if wide {
		VMOVAPS_Z(v, f.mask, v)
	} else {
		VANDPS(f.mask, v, v)
	}
}

// tail runs body, with a mask of the first n lanes, if any number is left.
func tail(name string, n Register, body func(mask VecVirtual)) {
	TESTQ(n, n)
	JZ(LabelRef(name))
	mask := YMM()
	at, back := GP64(), GP64()
	LEAQ(maskTable, at)
	MOVQ(n, back)
	NEGQ(back)
	VMOVDQU(Mem{Base: at, Index: back, Scale: 4, Disp: 32}, mask)
	body(mask)
	Label(name)
}

var maskTable, bitTable Mem

// masks is eight lanes set and eight clear; a mask of n lanes starts n before the
// middle. bits are masks of 0 to 15 lanes in a bit each.
func masks() {
	bitTable = GLOBL("bits", RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, U16(1<<i-1))
	}
	maskTable = GLOBL("masks", RODATA|NOPTR)
	for i := range 16 {
		var v uint32
		if i < 8 {
			v = math.MaxUint32
		}
		DATA(4*i, U32(v))
	}
}

var constants = map[uint32]Mem{}

// bits32 is a constant in all lanes, of which AVX2 takes the first eight.
func bits32(v uint32) Mem {
	m, ok := constants[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("c%08x", v), RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(v))
		}
		constants[v] = m
	}
	return m
}

func f32(v float64) Mem { return bits32(math.Float32bits(float32(v))) }

// rows are the addresses of rows ld apart, with a register for every third row.
type rows struct {
	base []GPVirtual
	ld   GPVirtual // bytes
}

func loadRows(pointer, ld string, n int) rows {
	r := rows{ld: GP64()}
	Load(Param(ld), r.ld)
	SHLQ(Imm(2), r.ld)
	for i := 0; i < n; i += 3 {
		p := GP64()
		if i == 0 {
			Load(Param(pointer), p)
		} else {
			last := r.base[len(r.base)-1]
			LEAQ(Mem{Base: last, Index: r.ld, Scale: 2}, p)
			ADDQ(r.ld, p)
		}
		r.base = append(r.base, p)
	}
	return r
}

func (r rows) at(i, disp int) Mem {
	m := Mem{Base: r.base[i/3], Disp: disp}
	if i%3 > 0 {
		m.Index, m.Scale = r.ld, uint8(i%3)
	}
	return m
}

func (r rows) advance(bytes int32) {
	for _, p := range r.base {
		ADDQ(I32(bytes), p)
	}
}

func ymms(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// dots is n vectors against four. Each product has one register of eight partial
// sums, for every n, so that a pair's sum doesn't depend on its place.
func dots(n int) {
	name := fmt.Sprintf("dots%dx4AVX2", n)
	start(name, "func(dim int, a *float32, lda int, b0, b1, b2, b3 *float32, out *float32, ldo int)",
		fmt.Sprintf("%s sets %d rows of four in out to the products of vectors lda apart with b0 to b3.", name, n))
	dim := GP64()
	Load(Param("dim"), dim)
	a := loadRows("a", "lda", n)
	b := make([]GPVirtual, 4)
	for j := range b {
		b[j] = GP64()
		Load(Param(fmt.Sprintf("b%d", j)), b[j])
	}
	sum := ymms(4 * n)
	for _, s := range sum {
		VXORPS(s, s, s)
	}
	loop("loop", dim, 8, func() {
		va := ymms(n)
		for i := range va {
			VMOVUPS(a.at(i, 0), va[i])
		}
		for j := range b {
			vb := YMM()
			VMOVUPS(Mem{Base: b[j]}, vb)
			for i := range va {
				VFMADD231PS(vb, va[i], sum[4*i+j])
			}
		}
		a.advance(32)
		for j := range b {
			ADDQ(Imm(32), b[j])
		}
	})
	tail("reduce", dim, func(mask VecVirtual) {
		// A row at a time: the registers don't reach for the mask too.
		for i := range n {
			va := YMM()
			VMASKMOVPS(a.at(i, 0), mask, va)
			for j := range b {
				vb := YMM()
				VMASKMOVPS(Mem{Base: b[j]}, mask, vb)
				VFMADD231PS(vb, va, sum[4*i+j])
			}
		}
	})
	out := loadRows("out", "ldo", n)
	for i := range n {
		s := sum[4*i : 4*i+4]
		VHADDPS(s[1], s[0], s[0])
		VHADDPS(s[3], s[2], s[2])
		VHADDPS(s[2], s[0], s[0])
		VEXTRACTF128(Imm(1), s[0], s[1].AsX())
		VADDPS(s[1].AsX(), s[0].AsX(), s[0].AsX())
		VMOVUPS(s[0].AsX(), out.at(i, 0))
	}
	VZEROUPPER()
	RET()
}

const gemmSignature = "func(k int, a *float32, lda int, b *float32, init *float32, ldi int, c *float32, ldc int)"

// byK runs step for every k, `most` at a time while there are so many.
func byK(k Register, most int, step func(u int), advance func(n int)) {
	for _, n := range []int{most, 1} {
		loop(fmt.Sprintf("by%d", n), k, n, func() {
			for u := range n {
				step(u)
			}
			advance(n)
		})
	}
}

// gemm256 is n rows against a panel of 16 columns: one sum a number, k going up.
func gemm256(n int) {
	name := fmt.Sprintf("gemm%dx16AVX2", n)
	start(name, gemmSignature,
		fmt.Sprintf("%s sets %d rows of 16 in c to init plus the product of a's rows with the panel b, k rows of 16.", name, n))
	k := GP64()
	Load(Param("k"), k)
	sum := ymms(2 * n)
	init := loadRows("init", "ldi", n)
	for i := range n {
		VMOVUPS(init.at(i, 0), sum[2*i])
		VMOVUPS(init.at(i, 32), sum[2*i+1])
	}
	a := loadRows("a", "lda", n)
	b := GP64()
	Load(Param("b"), b)
	byK(k, 4, func(u int) {
		b0, b1 := YMM(), YMM()
		VMOVUPS(Mem{Base: b, Disp: 64 * u}, b0)
		VMOVUPS(Mem{Base: b, Disp: 64*u + 32}, b1)
		for i := range n {
			x := YMM()
			VBROADCASTSS(a.at(i, 4*u), x)
			VFMADD231PS(b0, x, sum[2*i])
			VFMADD231PS(b1, x, sum[2*i+1])
		}
	}, func(n int) {
		a.advance(int32(4 * n))
		ADDQ(I32(int32(64*n)), b)
	})
	c := loadRows("c", "ldc", n)
	for i := range n {
		VMOVUPS(sum[2*i], c.at(i, 0))
		VMOVUPS(sum[2*i+1], c.at(i, 32))
	}
	VZEROUPPER()
	RET()
}

// gemm512 is n rows against two panels of 16 columns, with the sums of gemm256.
func gemm512(n int) {
	name := fmt.Sprintf("gemm%dx32AVX512", n)
	start(name, "func(k int, a *float32, lda int, b *float32, panel int, init *float32, ldi int, c *float32, ldc int, ahead *float32)",
		fmt.Sprintf("%s is gemm6x16AVX2 with %d rows, and two panels, panel numbers apart.", name, n), "It brings k/4 lines from ahead on into the cache.")
	k := GP64()
	Load(Param("k"), k)
	sum := make([]VecVirtual, 2*n)
	for i := range sum {
		sum[i] = ZMM()
	}
	init := loadRows("init", "ldi", n)
	for i := range n {
		VMOVUPS(init.at(i, 0), sum[2*i])
		VMOVUPS(init.at(i, 64), sum[2*i+1])
	}
	a := loadRows("a", "lda", n)
	b, second := GP64(), GP64()
	Load(Param("b"), b)
	Load(Param("panel"), second)
	LEAQ(Mem{Base: b, Index: second, Scale: 4}, second)
	ahead := GP64()
	Load(Param("ahead"), ahead)
	byK(k, 4, func(u int) {
		if u == 3 {
			PREFETCHT1(Mem{Base: ahead})
			ADDQ(Imm(64), ahead)
		}
		b0, b1 := ZMM(), ZMM()
		VMOVUPS(Mem{Base: b, Disp: 64 * u}, b0)
		VMOVUPS(Mem{Base: second, Disp: 64 * u}, b1)
		for i := range n {
			x := ZMM()
			VBROADCASTSS(a.at(i, 4*u), x)
			VFMADD231PS(b0, x, sum[2*i])
			VFMADD231PS(b1, x, sum[2*i+1])
		}
	}, func(n int) {
		a.advance(int32(4 * n))
		ADDQ(I32(int32(64*n)), b)
		ADDQ(I32(int32(64*n)), second)
	})
	c := loadRows("c", "ldc", n)
	for i := range n {
		VMOVUPS(sum[2*i], c.at(i, 0))
		VMOVUPS(sum[2*i+1], c.at(i, 64))
	}
	VZEROUPPER()
	RET()
}

// transpose is eight columns of a panel: squares of eight numbers by eight, of which first pairs
// are mixed, then pairs of pairs, then halves.
func transpose() {
	start("transpose8AVX2", "func(panel, b *float32, ld, k int)",
		"transpose8AVX2 sets eight columns of k rows of a panel to as many numbers each that start", "ld apart in b. k is a multiple of 8.")
	to, k := GP64(), GP64()
	Load(Param("panel"), to)
	Load(Param("k"), k)
	b := loadRows("b", "ld", 8)
	loop("loop", k, 8, func() {
		x, y := ymms(8), ymms(8)
		each(x, func(i int) { VMOVUPS(b.at(i, 0), x[i]) })
		for i := 0; i < 8; i += 2 {
			VUNPCKLPS(x[i+1], x[i], y[i])
			VUNPCKHPS(x[i+1], x[i], y[i+1])
		}
		x = ymms(8)
		for i := 0; i < 8; i += 4 {
			VSHUFPS(Imm(0x44), y[i+2], y[i], x[i])
			VSHUFPS(Imm(0xee), y[i+2], y[i], x[i+1])
			VSHUFPS(Imm(0x44), y[i+3], y[i+1], x[i+2])
			VSHUFPS(Imm(0xee), y[i+3], y[i+1], x[i+3])
		}
		for i := range 4 {
			low, high := YMM(), YMM()
			VPERM2F128(Imm(0x20), x[i+4], x[i], low)
			VPERM2F128(Imm(0x31), x[i+4], x[i], high)
			VMOVUPS(low, Mem{Base: to, Disp: 64 * i})
			VMOVUPS(high, Mem{Base: to, Disp: 64 * (i + 4)})
		}
		b.advance(32)
		ADDQ(I32(8*64), to)
	})
	VZEROUPPER()
	RET()
}

// What follows takes several registers at a time and goes through them instruction by
// instruction: a chain of some thirty that wait for each other leaves the processor idle, and
// it does not look far enough ahead to begin the next one.

func vecs(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = vec()
	}
	return v
}

// each emits an instruction for every register.
func each(v []VecVirtual, emit func(i int)) {
	for i := range v {
		emit(i)
	}
}

// polynomial is c[0] + c[1]·x + …
func polynomial(x []VecVirtual, c []float64) []VecVirtual {
	p := vecs(len(x))
	each(x, func(i int) { VMOVUPS(f32(c[len(c)-1]), p[i]) })
	for k := len(c) - 2; k >= 0; k-- {
		each(x, func(i int) { VFMADD213PS(f32(c[k]), x[i], p[i]) })
	}
	return p
}

// exp is e to the x, for x up to 0.
func exp(x []VecVirtual) []VecVirtual {
	y, n := vecs(len(x)), vecs(len(x))
	each(x, func(i int) { VMOVUPS(f32(coefficients.ExpLeast), y[i]) })
	each(x, func(i int) { VMAXPS(x[i], y[i], y[i]) }) // of a NaN and a number it takes the operand named first here
	each(x, func(i int) { VMULPS(f32(math.Log2E), y[i], n[i]) })
	each(x, func(i int) {
		if wide {
			VRNDSCALEPS(Imm(8), n[i], n[i])
		} else {
			VROUNDPS(Imm(8), n[i], n[i])
		}
	})
	each(x, func(i int) { VFNMADD231PS(f32(coefficients.Ln2Hi), n[i], y[i]) })
	each(x, func(i int) { VFNMADD231PS(f32(coefficients.Ln2Lo), n[i], y[i]) })
	p := polynomial(y, coefficients.Exp)
	square := vecs(len(x))
	each(x, func(i int) { VMULPS(y[i], y[i], square[i]) })
	each(x, func(i int) { VFMADD213PS(y[i], square[i], p[i]) })
	each(x, func(i int) { VADDPS(f32(1), p[i], p[i]) })
	each(x, func(i int) { VCVTPS2DQ(n[i], n[i]) })
	each(x, func(i int) { VPSLLD(Imm(23), n[i], n[i]) })
	each(x, func(i int) { VPADDD(n[i], p[i], p[i]) })
	each(x, func(i int) {
		if wide {
			there := K()
			VCMPPS(Imm(5), f32(coefficients.ExpLeast), x[i], there) // not x < least
			VMOVAPS_Z(p[i], there, p[i])
		} else {
			below := YMM()
			VCMPPS(Imm(1), f32(coefficients.ExpLeast), x[i], below) // x < least
			VANDNPS(p[i], below, p[i])
		}
	})
	return p
}

func gelu(x []VecVirtual) []VecVirtual {
	t, a, e := vecs(len(x)), abs(x), vecs(len(x))
	one := vec()
	VMOVUPS(f32(1), one)
	each(x, func(i int) { VMOVAPS(one, t[i]) })
	each(x, func(i int) { VFMADD231PS(f32(0.3), a[i], t[i]) })
	each(x, func(i int) { VDIVPS(t[i], one, t[i]) })
	each(x, func(i int) { VMINPS(f32(14), a[i], a[i]) })
	p := polynomial(t, coefficients.Phi)
	each(x, func(i int) { VMULPS(t[i], p[i], p[i]) })
	each(x, func(i int) { VMULPS(f32(-.5), a[i], e[i]) })
	each(x, func(i int) { VMULPS(a[i], e[i], e[i]) })
	e = exp(e)
	each(x, func(i int) { VMULPS(e[i], p[i], p[i]) })
	return minus(x, a, p)
}

func abs(x []VecVirtual) []VecVirtual {
	a := vecs(len(x))
	each(x, func(i int) {
		if wide {
			VPANDD(bits32(math.MaxInt32), x[i], a[i])
		} else {
			VANDPS(bits32(math.MaxInt32), x[i], a[i])
		}
	})
	return a
}

// minus is max(x, 0) − a·q.
func minus(x, a, q []VecVirtual) []VecVirtual {
	y := vecs(len(x))
	each(x, func(i int) { zero(y[i]) })
	each(x, func(i int) { VMAXPS(x[i], y[i], y[i]) })
	each(x, func(i int) { VFNMADD231PS(q[i], a[i], y[i]) })
	return y
}

func geluTanh(x []VecVirtual) []VecVirtual {
	c := -2 * math.Sqrt(2/math.Pi)
	a, u, k, d := abs(x), vecs(len(x)), vecs(len(x)), vecs(len(x))
	each(x, func(i int) { VMINPS(f32(14), a[i], a[i]) })
	each(x, func(i int) { VMULPS(a[i], a[i], u[i]) })
	each(x, func(i int) { VMOVUPS(f32(c), k[i]) })
	each(x, func(i int) { VFMADD231PS(f32(c*0.044715), u[i], k[i]) })
	each(x, func(i int) { VMULPS(a[i], k[i], u[i]) })
	e := exp(u)
	each(x, func(i int) { VADDPS(f32(1), e[i], d[i]) })
	each(x, func(i int) { VDIVPS(d[i], e[i], e[i]) })
	return minus(x, a, e)
}

func unary(name, doc string, f func(x []VecVirtual) []VecVirtual) {
	start(name+set(), "func(x *float32, n int)", name+set()+" "+doc)
	p, n := GP64(), GP64()
	Load(Param("x"), p)
	Load(Param("n"), n)
	width := 4 * lanes()
	whole := func(count int) {
		loop(fmt.Sprintf("by%d", count), n, count*lanes(), func() {
			x := vecs(count)
			each(x, func(i int) { VMOVUPS(Mem{Base: p, Disp: i * width}, x[i]) })
			y := f(x)
			each(x, func(i int) { VMOVUPS(y[i], Mem{Base: p, Disp: i * width}) })
			ADDQ(Imm(uint64(count*width)), p)
		})
	}
	if wide {
		whole(3)
	}
	whole(1)
	part("done", n, func(some few) {
		x := vecs(1)
		some.load(Mem{Base: p}, x[0])
		some.store(f(x)[0], Mem{Base: p})
	})
	VZEROUPPER()
	RET()
}

func add() {
	start("addAVX2", "func(x, y *float32, n int)", "addAVX2 adds n numbers of y to those of x.")
	p, q, n := GP64(), GP64(), GP64()
	Load(Param("x"), p)
	Load(Param("y"), q)
	Load(Param("n"), n)
	loop("loop", n, 8, func() {
		x := YMM()
		VMOVUPS(Mem{Base: p}, x)
		VADDPS(Mem{Base: q}, x, x)
		VMOVUPS(x, Mem{Base: p})
		ADDQ(Imm(32), p)
		ADDQ(Imm(32), q)
	})
	tail("done", n, func(mask VecVirtual) {
		x, y := YMM(), YMM()
		VMASKMOVPS(Mem{Base: p}, mask, x)
		VMASKMOVPS(Mem{Base: q}, mask, y)
		VADDPS(y, x, x)
		VMASKMOVPS(x, mask, Mem{Base: p})
	})
	VZEROUPPER()
	RET()
}

// reduce combines the eight lanes of each register, and sets all eight to the result.
func reduce(v []VecVirtual, op func(ops ...Op)) {
	w := ymms(len(v))
	each(v, func(i int) { VPERM2F128(Imm(1), v[i], v[i], w[i]) })
	each(v, func(i int) { op(w[i], v[i], v[i]) })
	for _, order := range []uint64{0b01001110, 0b10110001} {
		each(v, func(i int) { VPERMILPS(Imm(order), v[i], w[i]) })
		each(v, func(i int) { op(w[i], v[i], v[i]) })
	}
}

// softmax is that of several rows at a time; each has eight partial sums in both
// sets.
func softmax(count int) {
	name := fmt.Sprintf("softmax%d%s", count, set())
	start(name, "func(x *float32, ld, n int)", fmt.Sprintf("%s replaces each of %d rows of n numbers, ld apart, by its softmax.", name, count))
	n0, n, bytes := GP64(), GP64(), GP64()
	Load(Param("n"), n0)
	if count > 1 {
		Load(Param("ld"), bytes)
		SHLQ(Imm(2), bytes)
	}
	p := make([]GPVirtual, count)
	at := make([]Mem, count)
	rewind := func() {
		for i := range p {
			if p[i] == nil {
				p[i] = GP64()
				at[i] = Mem{Base: p[i]}
			}
			if i == 0 {
				Load(Param("x"), p[i])
			} else {
				LEAQ(Mem{Base: p[i-1], Index: bytes, Scale: 1}, p[i])
			}
		}
		MOVQ(n0, n)
	}
	next := func() {
		for i := range p {
			ADDQ(Imm(uint64(4*lanes())), p[i])
		}
	}

	most := vecs(count)
	infinite := bits32(math.Float32bits(float32(math.Inf(-1))))
	each(most, func(i int) { VMOVUPS(infinite, most[i]) })
	rewind()
	loop("max", n, lanes(), func() {
		each(most, func(i int) { VMAXPS(at[i], most[i], most[i]) })
		next()
	})
	part("sum", n, func(some few) {
		x := vecs(count)
		each(x, func(i int) { VMOVUPS(infinite, x[i]) })
		each(x, func(i int) { some.merge(at[i], x[i]) })
		each(x, func(i int) { VMAXPS(x[i], most[i], most[i]) })
	})
	eight := ymms(count)
	each(most, func(i int) { VMOVAPS(most[i].AsY(), eight[i]) })
	if wide {
		high := ymms(count)
		each(most, func(i int) { VEXTRACTF64X4(Imm(1), most[i], high[i]) })
		each(most, func(i int) { VMAXPS(high[i], eight[i], eight[i]) })
	}
	reduce(eight, func(o ...Op) { VMAXPS(o[0], o[1], o[2]) })
	each(most, func(i int) { VBROADCASTSS(eight[i].AsX(), most[i]) })

	sum := ymms(count)
	each(sum, func(i int) { VXORPS(sum[i], sum[i], sum[i]) })
	add := func(e []VecVirtual) {
		each(e, func(i int) { VADDPS(e[i].AsY(), sum[i], sum[i]) })
		if wide {
			high := ymms(count)
			each(e, func(i int) { VEXTRACTF64X4(Imm(1), e[i], high[i]) })
			each(e, func(i int) { VADDPS(high[i], sum[i], sum[i]) })
		}
	}
	rewind()
	loop("exp", n, lanes(), func() {
		x := vecs(count)
		each(x, func(i int) { VMOVUPS(at[i], x[i]) })
		each(x, func(i int) { VSUBPS(most[i], x[i], x[i]) })
		e := exp(x)
		each(e, func(i int) { VMOVUPS(e[i], at[i]) })
		add(e)
		next()
	})
	// What is left stays in registers: a load after a store of some lanes would wait for it.
	last := vecs(count)
	part("scale", n, func(some few) {
		x := vecs(count)
		each(x, func(i int) { some.load(at[i], x[i]) })
		each(x, func(i int) { VSUBPS(most[i], x[i], x[i]) })
		e := exp(x)
		each(e, func(i int) { VMOVAPS(e[i], last[i]) })
		each(e, func(i int) { some.clear(last[i]) })
		add(last)
	})
	reduce(sum, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })

	scale, total := vecs(count), vecs(count)
	each(sum, func(i int) { VBROADCASTSS(sum[i].AsX(), total[i]) })
	each(sum, func(i int) { VMOVUPS(f32(1), scale[i]) })
	each(sum, func(i int) { VDIVPS(total[i], scale[i], scale[i]) })
	rewind()
	loop("mul", n, lanes(), func() {
		x := vecs(count)
		each(x, func(i int) { VMULPS(at[i], scale[i], x[i]) })
		each(x, func(i int) { VMOVUPS(x[i], at[i]) })
		next()
	})
	part("done", n, func(some few) {
		each(last, func(i int) { VMULPS(last[i], scale[i], last[i]) })
		each(last, func(i int) { some.store(last[i], at[i]) })
	})
	VZEROUPPER()
	RET()
}

func layerNorm() {
	start("layerNormAVX2", "func(out, x, gamma, beta *float32, n int, eps float32)",
		"layerNormAVX2 sets out to the layer norm of a row of n numbers.")
	first, n0, p, n := GP64(), GP64(), GP64(), GP64()
	Load(Param("x"), first)
	Load(Param("n"), n0)
	at := Mem{Base: p}
	rewind := func() {
		MOVQ(first, p)
		MOVQ(n0, n)
	}
	count := YMM()
	VCVTSI2SSQ(n0, count.AsX(), count.AsX())
	VBROADCASTSS(count.AsX(), count)

	mean := YMM()
	VXORPS(mean, mean, mean)
	rewind()
	loop("sum", n, 8, func() {
		VADDPS(at, mean, mean)
		ADDQ(Imm(32), p)
	})
	tail("mean", n, func(mask VecVirtual) {
		x := YMM()
		VMASKMOVPS(at, mask, x)
		VADDPS(x, mean, mean)
	})
	reduce([]VecVirtual{mean}, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })
	VDIVPS(count, mean, mean)

	scale := YMM()
	VXORPS(scale, scale, scale)
	rewind()
	loop("squares", n, 8, func() {
		x := YMM()
		VMOVUPS(at, x)
		VSUBPS(mean, x, x)
		VFMADD231PS(x, x, scale)
		ADDQ(Imm(32), p)
	})
	tail("variance", n, func(mask VecVirtual) {
		x := YMM()
		VMASKMOVPS(at, mask, x)
		VSUBPS(mean, x, x)
		VANDPS(mask, x, x)
		VFMADD231PS(x, x, scale)
	})
	reduce([]VecVirtual{scale}, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })
	VDIVPS(count, scale, scale)
	eps, one := YMM(), YMM()
	e, err := Param("eps").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(e.Addr, eps)
	VADDPS(eps, scale, scale)
	VSQRTPS(scale, scale)
	VMOVUPS(f32(1), one)
	VDIVPS(scale, one, scale)

	out, gamma, beta := GP64(), GP64(), GP64()
	Load(Param("out"), out)
	Load(Param("gamma"), gamma)
	Load(Param("beta"), beta)
	rewind()
	loop("norm", n, 8, func() {
		x, y := YMM(), YMM()
		VMOVUPS(at, x)
		VSUBPS(mean, x, x)
		VMULPS(scale, x, x)
		VMOVUPS(Mem{Base: beta}, y)
		VFMADD231PS(Mem{Base: gamma}, x, y)
		VMOVUPS(y, Mem{Base: out})
		for _, r := range []GPVirtual{p, gamma, beta, out} {
			ADDQ(Imm(32), r)
		}
	})
	tail("done", n, func(mask VecVirtual) {
		x, y, z := YMM(), YMM(), YMM()
		VMASKMOVPS(at, mask, x)
		VSUBPS(mean, x, x)
		VMULPS(scale, x, x)
		VMASKMOVPS(Mem{Base: beta}, mask, y)
		VMASKMOVPS(Mem{Base: gamma}, mask, z)
		VFMADD231PS(z, x, y)
		VMASKMOVPS(y, mask, Mem{Base: out})
	})
	VZEROUPPER()
	RET()
}

// maxRow keeps the largest number of each lane and where it stood first.
func maxRow() {
	start("maxRowAVX2", "func(most *[8]float32, at *[8]int32, x *float32, n int)",
		"maxRowAVX2 sets most and at to the largest of every eighth number from each of", "the first eight, and to where it is first. n is a positive multiple of 8.")
	p, n := GP64(), GP64()
	Load(Param("x"), p)
	Load(Param("n"), n)
	most, at, now, step := YMM(), YMM(), YMM(), YMM()
	order := GLOBL("order", RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(i))
	}
	VMOVDQU(order, now)
	VMOVDQU(bits32(8), step)
	VMOVUPS(Mem{Base: p}, most)
	VMOVDQA(now, at)
	loop("loop", n, 8, func() {
		x, larger := YMM(), YMM()
		VMOVUPS(Mem{Base: p}, x)
		VCMPPS(Imm(14), most, x, larger) // x > most
		VBLENDVPS(larger, x, most, most)
		VBLENDVPS(larger, now, at, at)
		VPADDD(step, now, now)
		ADDQ(Imm(32), p)
	})
	out := GP64()
	Load(Param("most"), out)
	VMOVUPS(most, Mem{Base: out})
	Load(Param("at"), out)
	VMOVUPS(at, Mem{Base: out})
	VZEROUPPER()
	RET()
}

// maxCols goes down eight columns.
func maxCols() {
	start("maxColsAVX2", "func(most *float32, at *int32, x *float32, stride int, n int)",
		"maxColsAVX2 sets eight maxima, and the rows that they are in first, of columns", "of n > 0 rows stride apart.")
	p, stride, n := GP64(), GP64(), GP64()
	Load(Param("x"), p)
	Load(Param("stride"), stride)
	SHLQ(Imm(2), stride)
	Load(Param("n"), n)
	most, at, now, step := YMM(), YMM(), YMM(), YMM()
	VPXOR(now, now, now)
	VPXOR(at, at, at)
	VMOVDQU(bits32(1), step)
	VMOVUPS(Mem{Base: p}, most)
	loop("loop", n, 1, func() {
		x, larger := YMM(), YMM()
		VMOVUPS(Mem{Base: p}, x)
		VCMPPS(Imm(14), most, x, larger)
		VBLENDVPS(larger, x, most, most)
		VBLENDVPS(larger, now, at, at)
		VPADDD(step, now, now)
		ADDQ(stride, p)
	})
	out := GP64()
	Load(Param("most"), out)
	VMOVUPS(most, Mem{Base: out})
	Load(Param("at"), out)
	VMOVUPS(at, Mem{Base: out})
	VZEROUPPER()
	RET()
}

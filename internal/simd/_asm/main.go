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
	softmax()
	layerNorm()
	unary("geluAVX2", "geluAVX2 replaces n numbers by their GELU.", gelu)
	unary("geluTanhAVX2", "geluTanhAVX2 replaces n numbers by GELU's approximation by tanh.", geluTanh)
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

var maskTable Mem

// masks is eight lanes set and eight clear; a mask of n lanes starts n before the
// middle.
func masks() {
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

// bits32 is a constant in all eight lanes.
func bits32(v uint32) Mem {
	m, ok := constants[v]
	if !ok {
		m = GLOBL(fmt.Sprintf("c%08x", v), RODATA|NOPTR)
		for i := range 8 {
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

// byK runs step for every k, four at a time while there are four.
func byK(k Register, step func(u int), advance func(n int)) {
	for _, n := range []int{4, 1} {
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
	byK(k, func(u int) {
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
	start(name, "func(k int, a *float32, lda int, b *float32, panel int, init *float32, ldi int, c *float32, ldc int)",
		fmt.Sprintf("%s is gemm6x16AVX2 with %d rows, and two panels, panel numbers apart.", name, n))
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
	byK(k, func(u int) {
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

// polynomial is c[0] + c[1]·x + …
func polynomial(x VecVirtual, c []float64) VecVirtual {
	p := YMM()
	VMOVUPS(f32(c[len(c)-1]), p)
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PS(f32(c[i]), x, p)
	}
	return p
}

// The constants here and in elements.go are the same, with their reasons there.
const (
	expLeast = -87
	ln2Hi    = 355.0 / 512
	ln2Lo    = math.Ln2 - ln2Hi
)

var (
	expC = []float64{0.4999999403953552, 0.1666652113199234, 0.04166838899254799, 0.00836874544620514, 0.0013814540579915047}
	phiC = []float64{
		0.11962930113077164, 0.1207539364695549, 0.09991362690925598, 0.12856118381023407,
		-0.0536828488111496, 0.20635266602039337, -0.1572026163339615, 0.03567466512322426,
	}
)

// exp is e to the x, for x up to 0.
func exp(x VecVirtual) VecVirtual {
	y, n := YMM(), YMM()
	VMOVUPS(f32(expLeast), y)
	VMAXPS(x, y, y) // of a NaN and a number it takes the operand named first here
	VMULPS(f32(math.Log2E), y, n)
	VROUNDPS(Imm(8), n, n)
	VFNMADD231PS(f32(ln2Hi), n, y)
	VFNMADD231PS(f32(ln2Lo), n, y)
	p := polynomial(y, expC)
	square := YMM()
	VMULPS(y, y, square)
	VFMADD213PS(y, square, p)
	VADDPS(f32(1), p, p)
	VCVTPS2DQ(n, n)
	VPSLLD(Imm(23), n, n)
	VPADDD(n, p, p)
	below := YMM()
	VCMPPS(Imm(1), f32(expLeast), x, below) // x < least
	VANDNPS(p, below, p)
	return p
}

func gelu(x VecVirtual) VecVirtual {
	a, t, one := YMM(), YMM(), YMM()
	VANDPS(bits32(math.MaxInt32), x, a)
	VMOVUPS(f32(1), one)
	VMOVAPS(one, t)
	VFMADD231PS(f32(0.3), a, t)
	VDIVPS(t, one, t)
	VMINPS(f32(14), a, a)
	p := polynomial(t, phiC)
	VMULPS(t, p, p)
	e := YMM()
	VMULPS(f32(-.5), a, e)
	VMULPS(a, e, e)
	e = exp(e)
	VMULPS(e, p, p)
	return minus(x, a, p)
}

// minus is max(x, 0) − a·q.
func minus(x, a, q VecVirtual) VecVirtual {
	y := YMM()
	VXORPS(y, y, y)
	VMAXPS(x, y, y)
	VFNMADD231PS(q, a, y)
	return y
}

func geluTanh(x VecVirtual) VecVirtual {
	c := -2 * math.Sqrt(2/math.Pi)
	a, u := YMM(), YMM()
	VANDPS(bits32(math.MaxInt32), x, a)
	VMINPS(f32(14), a, a)
	VMULPS(a, a, u)
	k := YMM()
	VMOVUPS(f32(c), k)
	VFMADD231PS(f32(c*0.044715), u, k)
	VMULPS(a, k, u)
	e := exp(u)
	d := YMM()
	VADDPS(f32(1), e, d)
	VDIVPS(d, e, e)
	return minus(x, a, e)
}

func unary(name, doc string, f func(x VecVirtual) VecVirtual) {
	start(name, "func(x *float32, n int)", doc)
	p, n := GP64(), GP64()
	Load(Param("x"), p)
	Load(Param("n"), n)
	at := Mem{Base: p}
	loop("loop", n, 8, func() {
		x := YMM()
		VMOVUPS(at, x)
		VMOVUPS(f(x), at)
		ADDQ(Imm(32), p)
	})
	tail("done", n, func(mask VecVirtual) {
		x := YMM()
		VMASKMOVPS(at, mask, x)
		VMASKMOVPS(f(x), mask, at)
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

// reduce combines the eight lanes of v, and sets all eight to the result.
func reduce(v VecVirtual, op func(ops ...Op)) {
	w := YMM()
	VPERM2F128(Imm(1), v, v, w)
	op(w, v, v)
	VPERMILPS(Imm(0b01001110), v, w)
	op(w, v, v)
	VPERMILPS(Imm(0b10110001), v, w)
	op(w, v, v)
}

func softmax() {
	start("softmaxAVX2", "func(x *float32, n int)", "softmaxAVX2 replaces a row of n numbers by its softmax.")
	first, n0, p, n := GP64(), GP64(), GP64(), GP64()
	Load(Param("x"), first)
	Load(Param("n"), n0)
	at := Mem{Base: p}
	rewind := func() {
		MOVQ(first, p)
		MOVQ(n0, n)
	}

	most := YMM()
	VMOVUPS(bits32(math.Float32bits(float32(math.Inf(-1)))), most)
	rewind()
	loop("max", n, 8, func() {
		VMAXPS(at, most, most)
		ADDQ(Imm(32), p)
	})
	tail("sum", n, func(mask VecVirtual) {
		x := YMM()
		VMOVUPS(bits32(math.Float32bits(float32(math.Inf(-1)))), x)
		y := YMM()
		VMASKMOVPS(at, mask, y)
		VBLENDVPS(mask, y, x, x)
		VMAXPS(x, most, most)
	})
	reduce(most, func(o ...Op) { VMAXPS(o[0], o[1], o[2]) })

	sum := YMM()
	VXORPS(sum, sum, sum)
	rewind()
	loop("exp", n, 8, func() {
		x := YMM()
		VMOVUPS(at, x)
		VSUBPS(most, x, x)
		e := exp(x)
		VMOVUPS(e, at)
		VADDPS(e, sum, sum)
		ADDQ(Imm(32), p)
	})
	tail("scale", n, func(mask VecVirtual) {
		x := YMM()
		VMASKMOVPS(at, mask, x)
		VSUBPS(most, x, x)
		e := exp(x)
		VMASKMOVPS(e, mask, at)
		VANDPS(mask, e, e)
		VADDPS(e, sum, sum)
	})
	reduce(sum, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })

	scale := YMM()
	VMOVUPS(f32(1), scale)
	VDIVPS(sum, scale, scale)
	rewind()
	loop("mul", n, 8, func() {
		x := YMM()
		VMULPS(at, scale, x)
		VMOVUPS(x, at)
		ADDQ(Imm(32), p)
	})
	tail("done", n, func(mask VecVirtual) {
		x := YMM()
		VMASKMOVPS(at, mask, x)
		VMULPS(x, scale, x)
		VMASKMOVPS(x, mask, at)
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
	reduce(mean, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })
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
	reduce(scale, func(o ...Op) { VADDPS(o[0], o[1], o[2]) })
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

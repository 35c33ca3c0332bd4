package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// What AVX512_BF16 adds is unknown to Go's assembler and so written as bytes, which name their
// registers: those here are chosen by hand.

var zmms = []VecPhysical{
	Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15,
	Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31,
}

// evex is an instruction of 512 bits of map 0F38, of registers by their numbers: dst of the
// sources a and b. Its prefix pp is 2 for F3, 3 for F2. Intel's manual, volume 2, section 2.7,
// has the layout; extensions of a register's number are stored inverted.
func evex(name string, pp, opcode byte, dst, a, b int) {
	not := func(n, bit int) byte { return byte(^n>>bit) & 1 }
	p0 := not(dst, 3)<<7 | not(b, 4)<<6 | not(b, 3)<<5 | not(dst, 4)<<4 | 2
	p1 := byte(^a&15)<<3 | 1<<2 | pp
	p2 := byte(2<<5) | not(a, 4)<<3
	modrm := byte(3<<6 | dst&7<<3 | b&7)
	Commentf("%s Z%d, Z%d, Z%d", name, b, a, dst)
	raw("LONG", U32(uint32(0x62)|uint32(p0)<<8|uint32(p1)<<16|uint32(p2)<<24))
	raw("WORD", U16(uint16(opcode)|uint16(modrm)<<8))
}

func raw(directive string, bytes Op) {
	Instruction(&ir.Instruction{Opcode: directive, Operands: []Op{bytes}})
}

// gemmBF16 is n rows against a panel of 32 columns, of pairs of bfloat16 along k: one sum a
// number, k going up, of each pair the second product first.
func gemmBF16(n int) {
	name := fmt.Sprintf("gemm%dx32BF16", n)
	start(name, "func(pairs int, a *uint32, lda int, b *uint32, init *float32, ldi int, c *float32, ldc int)",
		fmt.Sprintf("%s sets %d rows of 32 in c to init plus the product of a's rows with the panel b, rows of 32, of pairs of bfloat16.", name, n))
	k := GP64()
	Load(Param("pairs"), k)
	const b0, b1, x = 24, 25, 26
	init := loadRows("init", "ldi", n)
	for i := range n {
		VMOVUPS(init.at(i, 0), zmms[2*i])
		VMOVUPS(init.at(i, 64), zmms[2*i+1])
	}
	a := loadRows("a", "lda", n)
	b := GP64()
	Load(Param("b"), b)
	byK(k, 2, func(u int) {
		VMOVUPS(Mem{Base: b, Disp: 128 * u}, zmms[b0])
		VMOVUPS(Mem{Base: b, Disp: 128*u + 64}, zmms[b1])
		for i := range n {
			x := x + i%6
			VBROADCASTSS(a.at(i, 4*u), zmms[x])
			evex("VDPBF16PS", 2, 0x52, 2*i, x, b0)
			evex("VDPBF16PS", 2, 0x52, 2*i+1, x, b1)
		}
	}, func(n int) {
		a.advance(int32(4 * n))
		ADDQ(I32(int32(128*n)), b)
	})
	c := loadRows("c", "ldc", n)
	for i := range n {
		VMOVUPS(zmms[2*i], c.at(i, 0))
		VMOVUPS(zmms[2*i+1], c.at(i, 64))
	}
	VZEROUPPER()
	RET()
}

// roundBF16 takes 32 numbers at a time.
func roundBF16() {
	start("roundBF16", "func(dst *uint32, x *float32, n int)",
		"roundBF16 sets dst to n numbers in bfloat16, two in each. n is a multiple of 32.")
	to, from, n := GP64(), GP64(), GP64()
	Load(Param("dst"), to)
	Load(Param("x"), from)
	Load(Param("n"), n)
	loop("loop", n, 32, func() {
		VMOVUPS(Mem{Base: from}, Z0)
		VMOVUPS(Mem{Base: from, Disp: 64}, Z1)
		evex("VCVTNE2PS2BF16", 3, 0x72, 2, 1, 0)
		VMOVUPS(Z2, Mem{Base: to})
		ADDQ(Imm(128), from)
		ADDQ(Imm(64), to)
	})
	VZEROUPPER()
	RET()
}

// wideBF16 is gemmBF16 by the fused multiply-adds of float32: a product of two numbers of
// bfloat16 is one of float32. a's rows are float32 already. AVX2 takes 16 columns of the
// panel.
func wideBF16(n int) {
	cols := 2 * lanes()
	name := fmt.Sprintf("wide%dx%d%s", n, cols, set())
	start(name, "func(pairs int, a *float32, lda int, b *uint32, init *float32, ldi int, c *float32, ldc int)",
		fmt.Sprintf("%s is gemm%dx32BF16 for %d columns, with rows of numbers and not pairs in a.", name, n, cols))
	was := AllocLocal(8)
	STMXCSR(was)
	mode := GP32()
	MOVL(was, mode)
	ORL(U32(1<<15|1<<6), mode) // zeros for what is too small, as sums and as numbers
	MOVL(mode, was.Offset(4))
	LDMXCSR(was.Offset(4))
	k := GP64()
	Load(Param("pairs"), k)
	sum := vecs(2 * n)
	init := loadRows("init", "ldi", n)
	for i := range n {
		VMOVUPS(init.at(i, 0), sum[2*i])
		VMOVUPS(init.at(i, 4*lanes()), sum[2*i+1])
	}
	a := loadRows("a", "lda", n)
	b := GP64()
	Load(Param("b"), b)
	half := func(u, second int) {
		b0, b1 := vec(), vec()
		for i, v := range []VecVirtual{b0, b1} {
			m := Mem{Base: b, Disp: 128*u + 4*lanes()*i}
			switch {
			case second == 0 && wide:
				VPSLLD(Imm(16), m, v)
			case second == 0:
				VMOVUPS(m, v)
				VPSLLD(Imm(16), v, v)
			case wide:
				VMOVUPS(m, v)
				VPANDD(bits32(0xffff0000), v, v)
			default:
				VMOVUPS(m, v)
				VANDPS(bits32(0xffff0000), v, v)
			}
		}
		for i := range n {
			x := vec()
			VBROADCASTSS(a.at(i, 8*u+4*second), x)
			VFMADD231PS(b0, x, sum[2*i])
			VFMADD231PS(b1, x, sum[2*i+1])
		}
	}
	byK(k, 2, func(u int) {
		half(u, 1)
		half(u, 0)
	}, func(n int) {
		a.advance(int32(8 * n))
		ADDQ(I32(int32(128*n)), b)
	})
	c := loadRows("c", "ldc", n)
	for i := range n {
		VMOVUPS(sum[2*i], c.at(i, 0))
		VMOVUPS(sum[2*i+1], c.at(i, 4*lanes()))
	}
	VZEROUPPER()
	LDMXCSR(was)
	RET()
}

// widenBF16 rounds eight numbers at a time, in registers of float32.
func widenBF16() {
	start("widenAVX2", "func(dst, x *float32, n int)",
		"widenAVX2 sets dst to n numbers rounded to bfloat16. n is a multiple of 8.")
	to, from, n := GP64(), GP64(), GP64()
	Load(Param("dst"), to)
	Load(Param("x"), from)
	Load(Param("n"), n)
	loop("loop", n, 8, func() {
		x, y, z, m := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: from}, x)
		VPSRLD(Imm(16), x, y)
		VPAND(bits32(1), y, y)
		VPADDD(bits32(0x7fff), y, y)
		VPADDD(x, y, y)
		VORPS(bits32(1<<22), x, z) // a NaN, quiet
		VCMPPS(Imm(3), x, x, m)    // x is none
		VBLENDVPS(m, z, y, y)
		VPAND(bits32(0xffff0000), y, y)
		VPXOR(z, z, z)
		VPAND(bits32(0xff<<23), x, m)
		VPCMPEQD(z, m, m)
		VPSRLD(Imm(1), m, m) // all but the sign of those that are too small
		VPANDN(y, m, y)
		VMOVUPS(y, Mem{Base: to})
		ADDQ(Imm(32), from)
		ADDQ(Imm(32), to)
	})
	VZEROUPPER()
	RET()
}

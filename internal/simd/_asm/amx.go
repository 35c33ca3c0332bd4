package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// AMX has eight registers, tiles of up to 16 rows of 64 bytes. Go's assembler does not know its
// instructions: they are bytes, and so name their registers, which are chosen by hand.

// vex is an instruction of map 0F38 with a prefix of three bytes; Intel's manual, volume 2,
// section 2.3, has the layout. Its prefix pp is 0 for none, 2 for F3, 3 for F2. b and x extend the
// numbers of base and index, v is one more register; all are stored inverted.
func vex(pp, opcode byte, b, x, v int, rest ...byte) {
	not := func(n int) byte { return byte(^n) & 1 }
	p0 := 1<<7 | not(x>>3)<<6 | not(b>>3)<<5 | 2
	p1 := byte(^v&15)<<3 | pp
	raw("LONG", U32(uint32(0xc4)|uint32(p0)<<8|uint32(p1)<<16|uint32(opcode)<<24))
	for len(rest) > 1 {
		raw("WORD", U16(uint16(rest[0])|uint16(rest[1])<<8))
		rest = rest[2:]
	}
	for _, b := range rest {
		raw("BYTE", U8(b))
	}
}

// rowsAt is memory whose rows are stride bytes apart. base is neither R13 nor BP, which mean
// something else here.
type rowsAt struct {
	base, stride GPPhysical
	disp         int8
}

func (m rowsAt) String() string {
	s := fmt.Sprintf("(%s)(%s*1)", m.base.Asm(), m.stride.Asm())
	if m.disp != 0 {
		s = fmt.Sprint(m.disp) + s
	}
	return s
}

// number is a register's in instructions.
func number(r GPPhysical) int { return int(r.PhysicalIndex()) }

func move(pp byte, tile int, m rowsAt) {
	b, x := number(m.base), number(m.stride)
	modrm, sib := byte(tile<<3|4), byte(x&7<<3|b&7)
	if m.disp == 0 {
		vex(pp, 0x4b, b, x, 0, modrm, sib)
	} else {
		vex(pp, 0x4b, b, x, 0, modrm|1<<6, sib, byte(m.disp))
	}
}

func tileload(m rowsAt, tile int) {
	Commentf("TILELOADD %s, TMM%d", m, tile)
	move(3, tile, m)
}

func tilestore(tile int, m rowsAt) {
	Commentf("TILESTORED TMM%d, %s", tile, m)
	move(2, tile, m)
}

// tdp adds a·b to sum.
func tdp(b, a, sum int) {
	Commentf("TDPBF16PS TMM%d, TMM%d, TMM%d", b, a, sum)
	vex(2, 0x5c, 0, 0, b, byte(3<<6|sum<<3|a))
}

func ldtilecfg(base GPPhysical) {
	Commentf("LDTILECFG (%s)", base.Asm())
	vex(0, 0x49, number(base), 0, 0, byte(number(base)&7))
}

func tilerelease() {
	Comment("TILERELEASE")
	vex(0, 0x49, 0, 0, 0, 3<<6)
}

// amxBF16 is blocks of up to 32 rows, in `high` tiles, against panels, of the columns in the first
// `across` tiles. Go moves no goroutine to another thread, and looks at none of its pointers,
// within a function of assembly (isAsyncSafePoint in package runtime): tiles are in use between its
// first and its last instructions only, and no caller needs to know of them. A signal's handler
// may run in between; the system saves tiles before it and restores them after.
func amxBF16(high, across int) {
	name := fmt.Sprintf("amx%dx%dBF16", 16*high, 16*across)
	start(name, "func(shape *[64]byte, steps, blocks, panels int, a *uint32, lda int, b *uint32, panel int, init *float32, ldi, next int, c *float32, ldc int)",
		fmt.Sprintf("%s sets c to init plus the product of a's rows, in blocks of %d, with panels of 32 columns of b, panel pairs apart, of which it takes %d.", name, 16*high, 16*across),
		"It has `steps` times as many pairs as shape says, which LDTILECFG reads. init's columns are next numbers apart for each panel.")
	const a0, b0 = 4, 6 // the first tiles of a and b; those of c are 0 to 3
	config, aLow, aHigh, bAt, cAt, initAt, at := RAX, RSI, RDI, RBX, R10, R12, RAX
	step, block, lda, ldb, ldc, ldi := RCX, RDX, R8, R9, R11, R13
	rows, bPanel, cPanel, initPanel, panels := AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)
	Load(Param("shape"), config)
	ldtilecfg(config)
	for _, p := range []struct {
		name string
		r    GPPhysical
	}{{"lda", lda}, {"ldi", ldi}, {"ldc", ldc}} {
		Load(Param(p.name), p.r)
		SHLQ(Imm(2), p.r)
	}
	MOVQ(U32(128), ldb)
	for _, p := range []struct {
		name string
		to   Mem
	}{{"b", bPanel}, {"init", initPanel}, {"c", cPanel}, {"panels", panels}} {
		Load(Param(p.name), at)
		MOVQ(at, p.to)
	}
	// second is the 16th row after from.
	second := func(from, stride, to GPPhysical) {
		MOVQ(stride, to)
		SHLQ(Imm(4), to)
		ADDQ(from, to)
	}
	// forward is the first row of the next block.
	forward := func(stride GPPhysical, to Op) {
		MOVQ(stride, at)
		SHLQ(Imm(uint64(3+high)), at)
		ADDQ(at, to)
	}

	Label("panel")
	Load(Param("blocks"), block)
	Load(Param("a"), at)
	MOVQ(at, rows)
	MOVQ(cPanel, cAt)
	MOVQ(initPanel, initAt)
	Label("block")
	for i := range high {
		from := initAt
		if i == 1 {
			second(initAt, ldi, at)
			from = at
		}
		for j := range across {
			tileload(rowsAt{from, ldi, int8(64 * j)}, 2*i+j)
		}
	}
	MOVQ(rows, aLow)
	if high == 2 {
		second(aLow, lda, aHigh)
	}
	MOVQ(bPanel, bAt)
	Load(Param("steps"), step)
	Label("step")
	tileload(rowsAt{aLow, lda, 0}, a0)
	for j := range across {
		tileload(rowsAt{bAt, ldb, int8(64 * j)}, b0+j)
		tdp(b0+j, a0, j)
	}
	if high == 2 {
		tileload(rowsAt{aHigh, lda, 0}, a0+1)
		for j := range across {
			tdp(b0+j, a0+1, 2+j)
		}
		ADDQ(Imm(64), aHigh)
	}
	ADDQ(Imm(64), aLow)
	ADDQ(I32(16*128), bAt)
	DECQ(step)
	JNZ(LabelRef("step"))
	for i := range high {
		to := cAt
		if i == 1 {
			second(cAt, ldc, at)
			to = at
		}
		for j := range across {
			tilestore(2*i+j, rowsAt{to, ldc, int8(64 * j)})
		}
	}
	forward(lda, rows)
	forward(ldc, cAt)
	forward(ldi, initAt)
	DECQ(block)
	JNZ(LabelRef("block"))
	for _, p := range []struct {
		name string
		to   Mem
	}{{"panel", bPanel}, {"next", initPanel}} {
		Load(Param(p.name), at)
		SHLQ(Imm(2), at)
		ADDQ(at, p.to)
	}
	ADDQ(I32(128), cPanel)
	DECQ(panels)
	JNZ(LabelRef("panel"))
	tilerelease()
	RET()
}

// xgetbv is what the system saves and restores.
func xgetbv() {
	start("xgetbv", "func() uint32", "xgetbv is the lower half of XCR0: a bit for each part of a thread's registers that the system switches.")
	XORL(ECX, ECX)
	XGETBV()
	Store(EAX, ReturnIndex(0))
	RET()
}

package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// A vector register, of four numbers.
type vector int

// A general register.
type general int

func (r general) String() string { return fmt.Sprintf("R%d", int(r)) }

// s4, b16 and f are a register's names in Go's assembly: four numbers, 16 bytes, and the
// register of scalars that it is.
func (v vector) s4() string  { return fmt.Sprintf("V%d.S4", int(v)) }
func (v vector) b16() string { return fmt.Sprintf("V%d.B16", int(v)) }
func (v vector) f() string   { return fmt.Sprintf("F%d", int(v)) }

// file is what is generated: the functions, their declarations, and the constants that
// they load.
type file struct {
	text, stubs bytes.Buffer
	constants   []uint32
}

// function is one that is being generated.
type function struct {
	file      *file
	name      string
	lines     []string
	offset    map[string]int // of arguments
	size      int            // of all arguments
	signature string
	vectors   []vector  // free ones
	generals  []general // free ones
	labels    int
	table     general // the address of the constants
	constants bool    // whether table is used
}

// start begins a function. Its arguments take 8 bytes each, but for a float32 at the end.
func (w *file) start(name, signature string) *function {
	f := &function{file: w, name: name, signature: signature, offset: map[string]int{}}
	for _, arg := range strings.Split(signature, ", ") {
		arg, kind, _ := strings.Cut(arg, " ")
		f.offset[arg] = f.size
		if f.size += 8; kind == "float32" {
			f.size -= 4
		}
	}
	for v := range 32 {
		f.vectors = append(f.vectors, vector(v))
	}
	for r := range 27 {
		if r < 16 || r > 18 { // the linker's and the system's
			f.generals = append(f.generals, general(r))
		}
	}
	f.table = f.general()
	return f
}

// end writes the function, the doc comment of which doc is.
func (f *function) end(doc string) {
	f.add("RET")
	w := &f.file.text
	fmt.Fprintf(w, "\n// func %s(%s)\n", f.name, f.signature)
	fmt.Fprintf(w, "TEXT ·%s(SB), NOSPLIT|NOFRAME, $0-%d\n", f.name, f.size)
	if f.constants {
		fmt.Fprintf(w, "\tMOVD $constants<>(SB), %v\n", f.table)
	}
	for _, line := range f.lines {
		if !strings.HasSuffix(line, ":") {
			line = "\t" + line
		}
		fmt.Fprintln(w, line)
	}
	stubs := &f.file.stubs
	for _, line := range strings.Split(doc, "\n") {
		fmt.Fprintf(stubs, "\n// %s", line)
	}
	fmt.Fprintf(stubs, "\n//\n//go:noescape\nfunc %s(%s)\n", f.name, f.signature)
}

func (f *function) add(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// word is an instruction that Go's assembler lacks; the comment names it as the
// processor's manual does. A test decodes it.
func (f *function) word(bits uint32, format string, args ...any) {
	f.add("WORD $0x%08x // %s", bits, fmt.Sprintf(format, args...))
}

// general and vector take a register that is free; in gives back what was taken in body.

func (f *function) general() general {
	r := f.generals[0]
	f.generals = f.generals[1:]
	return r
}

func (f *function) vector() vector { return f.some(1)[0] }

func (f *function) some(n int) []vector {
	if n > len(f.vectors) {
		panic(f.name + ": no vector register is left")
	}
	v := f.vectors[:n:n]
	f.vectors = f.vectors[n:]
	return v
}

func (f *function) in(body func()) {
	vectors, generals := f.vectors, f.generals
	body()
	f.vectors, f.generals = vectors, generals
}

// arg loads an argument.
func (f *function) arg(name string) general {
	r := f.general()
	f.load(name, r)
	return r
}

func (f *function) load(name string, r general) {
	f.add("MOVD %s+%d(FP), %v", name, f.offset[name], r)
}

// stride loads an argument, a number of numbers, as one of bytes.
func (f *function) stride(name string) general {
	r := f.arg(name)
	f.add("LSL $2, %v", r)
	return r
}

func (f *function) label(name string) string {
	f.labels++
	return fmt.Sprintf("%s%d", name, f.labels)
}

// loop repeats body while n, which is lowered by step, is at least step. It returns the
// lines of a turn.
func (f *function) loop(n general, step int, body func()) []string {
	again, end := f.label("loop"), f.label("end")
	f.add("SUBS $%d, %v", step, n)
	f.add("BLT %s", end)
	f.add("%s:", again)
	from := len(f.lines)
	f.in(body)
	f.add("SUBS $%d, %v", step, n)
	f.add("BGE %s", again)
	turn := f.lines[from:]
	f.add("%s:", end)
	f.add("ADD $%d, %v", step, n)
	return turn
}

// count tells how many of the lines multiply and add, load, and do something else.
func count(lines []string) (fmla, load, other int) {
	for _, line := range lines {
		_, manual, _ := strings.Cut(line, "// ")
		switch {
		case strings.HasPrefix(line, "VFMLA"), strings.HasPrefix(manual, "fmla"):
			fmla++
		case strings.HasPrefix(line, "FLDPQ"), strings.HasPrefix(manual, "ldr"):
			load++
		default:
			other++
		}
	}
	return fmla, load, other
}

// bits puts a constant into all lanes of v. A load is free where the arithmetic is what
// takes the time.
func (f *function) bits(c uint32, v vector) {
	at := -1
	for i, d := range f.file.constants {
		if d == c {
			at = i
		}
	}
	if at < 0 {
		at = len(f.file.constants)
		f.file.constants = append(f.file.constants, c)
	}
	f.constants = true
	f.add("FMOVQ %d(%v), %s", 16*at, f.table, v.f())
}

func (f *function) float(c float64, v vector) { f.bits(math.Float32bits(float32(c)), v) }

// constant is a register with c in all lanes.
func (f *function) constant(c float64) vector {
	v := f.vector()
	f.float(c, v)
	return v
}

func (f *function) zero(v vector) { f.add("VEOR %s, %[1]s, %[1]s", v.b16()) }

func (f *function) move(from, to vector) { f.add("VMOV %s, %s", from.b16(), to.b16()) }

// operation is one on vectors of four float32s that Go's assembler lacks.
type operation struct {
	name string
	bits uint32
}

var (
	fadd   = operation{"fadd", 0x4e20d400}
	fsub   = operation{"fsub", 0x4ea0d400}
	fmul   = operation{"fmul", 0x6e20dc00}
	fdiv   = operation{"fdiv", 0x6e20fc00}
	fmax   = operation{"fmax", 0x4e20f400}
	fmin   = operation{"fmin", 0x4ea0f400}
	faddp  = operation{"faddp", 0x6e20d400}
	fcmgt  = operation{"fcmgt", 0x6ea0e400}
	fabs   = operation{"fabs", 0x4ea0f800}
	fsqrt  = operation{"fsqrt", 0x6ea1f800}
	frintn = operation{"frintn", 0x4e218800}
	fcvtns = operation{"fcvtns", 0x4e21a800}
)

// two is d = x op y.
func (f *function) two(op operation, d, x, y vector) {
	f.word(op.bits|uint32(y)<<16|uint32(x)<<5|uint32(d), "%s v%d.4s, v%d.4s, v%d.4s", op.name, d, x, y)
}

// one is d = op x.
func (f *function) one(op operation, d, x vector) {
	f.word(op.bits|uint32(x)<<5|uint32(d), "%s v%d.4s, v%d.4s", op.name, d, x)
}

// fmlaLane is d += x·y[lane].
func (f *function) fmlaLane(d, x, y vector, lane int) {
	bits := 0x4f801000 | uint32(lane&1)<<21 | uint32(lane>>1)<<11
	f.word(bits|uint32(y)<<16|uint32(x)<<5|uint32(d), "fmla v%d.4s, v%d.4s, v%d.s[%d]", d, x, y, lane)
}

// fmla is d += x·y, and fmls d −= x·y, rounded once.
func (f *function) fmla(d, x, y vector) { f.add("VFMLA %s, %s, %s", y.s4(), x.s4(), d.s4()) }

func (f *function) fmls(d, x, y vector) { f.add("VFMLS %s, %s, %s", y.s4(), x.s4(), d.s4()) }

// without clears d where mask is set.
func (f *function) without(d, mask vector) {
	f.word(0x4e601c00|uint32(mask)<<16|uint32(d)<<5|uint32(d), "bic v%d.16b, v%d.16b, v%d.16b", d, d, mask)
}

// choose sets d to x where mask is set.
func (f *function) choose(d, x, mask vector) {
	f.add("VBIT %s, %s, %s", mask.b16(), x.b16(), d.b16())
}

// loadAt loads four numbers, off bytes from p, and loadOneAt one.
func (f *function) loadAt(v vector, p, off general) {
	f.word(0x3ce06800|uint32(off)<<16|uint32(p)<<5|uint32(v), "ldr q%d, [x%d, x%d]", v, p, off)
}

func (f *function) loadOneAt(v vector, p, off general) {
	f.word(0xbc606800|uint32(off)<<16|uint32(p)<<5|uint32(v), "ldr s%d, [x%d, x%d]", v, p, off)
}

// spread copies the first number of v to the others.
func (f *function) spread(v vector) { f.add("VDUP V%d.S[0], %s", v, v.s4()) }

// Of the last numbers of a row, fewer than a register has, none is read or written too many.

// loadPart loads n mod 4 numbers from p and sets the others to 0.
func (f *function) loadPart(v vector, p, n general) {
	f.in(func() {
		one, end, third := f.label("one"), f.label("end"), f.general()
		f.add("TBZ $1, %v, %s", n, one)
		f.add("FMOVD (%v), %s", p, v.f())
		f.add("TBZ $0, %v, %s", n, end)
		f.add("ADD $8, %v, %v", p, third)
		f.add("VLD1 (%v), V%d.S[2]", third, v)
		f.add("JMP %s", end)
		f.add("%s:", one)
		f.zero(v)
		f.add("TBZ $0, %v, %s", n, end)
		f.add("FMOVS (%v), %s", p, v.f())
		f.add("%s:", end)
	})
}

// storePart stores the first n mod 4 numbers.
func (f *function) storePart(v vector, p, n general) {
	f.in(func() {
		one, end, third := f.label("one"), f.label("end"), f.general()
		f.add("TBZ $1, %v, %s", n, one)
		f.add("FMOVD %s, (%v)", v.f(), p)
		f.add("TBZ $0, %v, %s", n, end)
		f.add("ADD $8, %v, %v", p, third)
		f.add("VST1 V%d.S[2], (%v)", v, third)
		f.add("JMP %s", end)
		f.add("%s:", one)
		f.add("TBZ $0, %v, %s", n, end)
		f.add("FMOVS %s, (%v)", v.f(), p)
		f.add("%s:", end)
	})
}

// eight are two registers, for the lanes of one of AVX2.
type eight [2]vector

func (f *function) eight() eight { return eight(f.some(2)) }

func (e eight) pair() string { return fmt.Sprintf("(%s, %s)", e[0].f(), e[1].f()) }

// loadPart8 loads n mod 8 numbers from p and sets the others to 0.
func (f *function) loadPart8(v eight, p, n general) { f.part8(v, p, n, true) }

// storePart8 stores the first n mod 8 numbers.
func (f *function) storePart8(v eight, p, n general) { f.part8(v, p, n, false) }

func (f *function) part8(v eight, p, n general, load bool) {
	f.in(func() {
		few, end, second := f.label("few"), f.label("end"), f.general()
		part := f.storePart
		if load {
			part = f.loadPart
		}
		f.add("TBZ $2, %v, %s", n, few)
		if load {
			f.add("FMOVQ (%v), %s", p, v[0].f())
		} else {
			f.add("FMOVQ %s, (%v)", v[0].f(), p)
		}
		f.add("ADD $16, %v, %v", p, second)
		part(v[1], second, n)
		f.add("JMP %s", end)
		f.add("%s:", few)
		if load {
			f.zero(v[1])
		}
		part(v[0], p, n)
		f.add("%s:", end)
	})
}

// masks8 is a register pair with the first n lanes set, for n less than 8.
func (f *function) masks8(n general) eight {
	m := f.eight()
	f.in(func() {
		at := f.general()
		f.add("MOVD $masks<>+32(SB), %v", at)
		f.add("SUB %v<<2, %v", n, at)
		f.add("FLDPQ (%v), %s", at, m.pair())
	})
	return m
}

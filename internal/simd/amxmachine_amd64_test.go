//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// amxMachine runs the kernels of AMX as they stand in kernels_amd64.s, also where the processor
// has no tiles: it reads the few instructions that they are made of, and those for tiles from
// their comments, which the generator's tests compare with the bytes. It looks at what real
// processors refuse: tiles that don't match or are not there, and memory beside the matrices.
type amxMachine struct {
	t          *testing.T
	memory     []region
	args       []uint64
	registers  map[string]uint64
	frame      map[string]uint64
	shape      [64]byte
	configured bool
	tiles      [8][16][16]uint32
}

// region is memory that a kernel may use.
type region struct {
	start uint64
	words []uint32
}

func regionOf(w []uint32) region {
	return region{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(w)))), w}
}

// word is the one at an address.
func (m *amxMachine) word(at uint64) *uint32 {
	for _, r := range m.memory {
		if i := (at - r.start) / 4; at >= r.start && i < uint64(len(r.words)) && at%4 == 0 {
			return &r.words[i]
		}
	}
	m.t.Fatalf("no memory of a matrix at %x", at)
	return nil
}

func (m *amxMachine) size(tile int) (rows, columns int) {
	rows, bytes := int(m.shape[48+tile]), int(m.shape[16+2*tile])
	if !m.configured || rows == 0 || rows > 16 || bytes == 0 || bytes > 64 || bytes%4 != 0 {
		m.t.Fatalf("tile %d has %d rows of %d bytes", tile, rows, bytes)
	}
	return rows, bytes / 4
}

// move loads or stores a tile.
func (m *amxMachine) move(tile int, at, stride uint64, do func(inTile, inMemory *uint32)) {
	rows, columns := m.size(tile)
	for i := range rows {
		for j := range columns {
			do(&m.tiles[tile][i][j], m.word(at+uint64(i)*stride+4*uint64(j)))
		}
	}
}

func (m *amxMachine) multiply(b, a, sum int) {
	rows, pairs := m.size(a)
	high, columns := m.size(b)
	if r, c := m.size(sum); r != rows || c != columns || pairs != high || a == b || a == sum || b == sum {
		m.t.Fatalf("tile %d of %d×%d is no product of %d, %d×%d, and %d, %d×%d", sum, r, c, a, rows, pairs, b, high, columns)
	}
	for i := range rows {
		for j := range columns {
			x := math.Float32frombits(m.tiles[sum][i][j])
			for k := range pairs {
				y, z := m.tiles[a][i][k], m.tiles[b][k][j]
				x += first(y)*first(z) + second(y)*second(z)
			}
			m.tiles[sum][i][j] = math.Float32bits(x)
		}
	}
}

var (
	tileAt    = regexp.MustCompile(`^(TILELOADD|TILESTORED) (?:TMM(\d), )?(\d*)\((\w+)\)\((\w+)\*1\)(?:, TMM(\d))?$`)
	tileTimes = regexp.MustCompile(`^TDPBF16PS TMM(\d), TMM(\d), TMM(\d)$`)
	parameter = regexp.MustCompile(`^\w+\+(\d+)\(FP\)$`)
	inFrame   = regexp.MustCompile(`^\d*\(SP\)$`)
)

// value is where an operand's value is; a constant is copied.
func (m *amxMachine) value(operand string) (get uint64, set func(uint64)) {
	set = func(uint64) { m.t.Fatalf("writes to %s", operand) }
	if c, ok := strings.CutPrefix(operand, "$"); ok {
		v, err := strconv.ParseUint(strings.TrimPrefix(c, "+"), 0, 64)
		if err != nil {
			m.t.Fatal(err)
		}
		return v, set
	}
	if p := parameter.FindStringSubmatch(operand); p != nil {
		n, _ := strconv.Atoi(p[1])
		return m.args[n/8], set
	}
	at := m.registers
	if inFrame.MatchString(operand) {
		at = m.frame
	}
	return at[operand], func(v uint64) { at[operand] = v }
}

// tile runs an instruction for tiles.
func (m *amxMachine) tile(s string) {
	switch p, q := tileAt.FindStringSubmatch(s), tileTimes.FindStringSubmatch(s); {
	case p != nil && m.configured:
		tile, _ := strconv.Atoi(p[2] + p[6])
		disp, _ := strconv.Atoi(p[3])
		load := p[1] == "TILELOADD"
		if load {
			m.tiles[tile] = [16][16]uint32{}
		}
		m.move(tile, m.registers[p[4]]+uint64(disp), m.registers[p[5]], func(inTile, inMemory *uint32) {
			if load {
				*inTile = *inMemory
			} else {
				*inMemory = *inTile
			}
		})
	case q != nil && m.configured:
		m.multiply(int(q[1][0]-'0'), int(q[2][0]-'0'), int(q[3][0]-'0'))
	case s == "LDTILECFG (AX)" && !m.configured && m.registers["AX"] == m.args[0] && m.shape[0] == 1:
		m.configured = true
	case s == "TILERELEASE" && m.configured:
		m.configured = false
	default:
		m.t.Fatal(s)
	}
}

// run runs a kernel.
func (m *amxMachine) run(kernel []string) {
	m.registers, m.frame = map[string]uint64{}, map[string]uint64{}
	zero := false
	for at := 0; ; at++ {
		line := kernel[at]
		if s, ok := strings.CutPrefix(line, "// "); ok {
			m.tile(s)
			continue
		}
		name, operands, _ := strings.Cut(line, " ")
		from, to, _ := strings.Cut(strings.TrimSpace(operands), ", ")
		x, set := m.value(from)
		switch name {
		case "RET":
			if m.configured {
				m.t.Fatal("tiles were not released")
			}
			return
		case "LONG", "WORD", "BYTE":
		case "DECQ":
			set(x - 1)
			zero = x == 1
		case "JNZ":
			if !zero {
				for at = 0; kernel[at] != from+":"; {
					at++
				}
			}
		case "MOVQ", "ADDQ", "SHLQ":
			y, set := m.value(to)
			set(map[string]uint64{"MOVQ": x, "ADDQ": y + x, "SHLQ": y << (x & 63)}[name])
		default:
			if !strings.HasSuffix(line, ":") {
				m.t.Fatalf("unknown instruction %q", line)
			}
		}
	}
}

// amxKernel are the lines of a kernel.
func amxKernel(t *testing.T, rows, columns int) []string {
	t.Helper()
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(text), fmt.Sprintf("\nTEXT ·amx%dx%dBF16(SB)", (rows+15)&^15, (columns+15)&^15))
	if !ok {
		t.Fatal("no kernel")
	}
	_, body, _ = strings.Cut(body, "\n")
	body, _, _ = strings.Cut(body, "\nTEXT ")
	var lines []string
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// The parts of a product, run one by one, are the product. Numbers are so small that sums are
// exact in any order.
func TestAMXMachine(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {1, 32, 2}, {2, 33, 3}, {17, 16, 33}, {32, 32, 32}, {33, 48, 64}, {16, 49, 31}, {73, 73, 905}, {230, 7, 70}, {3, 100, 416}} {
		m, n, k := s[0], s[1], s[2]
		small := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(i*i%7 - 3)
			}
			return x
		}
		a, b, bias := small(m*k), small(n*k), small(n)
		p := PackBF16(b, k, n)
		r := RowsBF16{m: m, k: k, pairs: make([]uint32, m*((k+1)/2))}
		eachRow(r.pairs, a, m, k, pairPortable)
		for _, bias := range [][]float32{nil, bias} {
			want, got := make([]float32, m*n), small(m*n)
			amxPortable(want, a, m, k, p, bias)
			machine := amxMachine{t: t, memory: []region{regionOf(r.pairs), regionOf(p.data), regionOf(words(bias)), regionOf(words(zeros[:])), regionOf(words(got))}}
			for p := range partsAMX(got, &r, p, bias) {
				machine.shape = p.shape
				pointer := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
				machine.args = []uint64{
					1, uint64(p.steps), uint64(p.blocks), uint64(p.panels), pointer(unsafe.Pointer(p.a)), uint64(p.lda),
					pointer(unsafe.Pointer(p.b)), uint64(p.panel), pointer(unsafe.Pointer(p.init)), uint64(p.ldi), uint64(p.next),
					pointer(unsafe.Pointer(p.c)), uint64(p.ldc),
				}
				machine.run(amxKernel(t, p.rows, p.columns))
			}
			for i, x := range want {
				if got[i] != x {
					t.Fatalf("%d×%d×%d: [%d,%d] = %v, want %v", m, n, k, i/n, i%n, got[i], x)
				}
			}
		}
	}
}

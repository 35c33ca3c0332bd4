package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// given is an instruction that is bytes in kernels_amd64.s, and what its comment says it is.
type given struct {
	comment string
	code    []byte
}

var directive = regexp.MustCompile(`^\t(LONG|WORD|BYTE) +\$(0x[0-9a-f]+)$`)

func readGiven(t *testing.T) []given {
	t.Helper()
	text, err := os.ReadFile("../kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	var all []given
	comment := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if s, ok := strings.CutPrefix(line, "\t// "); ok {
			comment = s
			continue
		}
		m := directive.FindStringSubmatch(line)
		if m == nil {
			comment = ""
			continue
		}
		if comment != "" {
			all, comment = append(all, given{comment: comment}), ""
		}
		x, err := strconv.ParseUint(m[2], 0, 32)
		if err != nil || len(all) == 0 {
			t.Fatal(line, err)
		}
		n := map[string]int{"LONG": 4, "WORD": 2, "BYTE": 1}[m[1]]
		last := &all[len(all)-1]
		last.code = append(last.code, binary.LittleEndian.AppendUint64(nil, x)[:n]...)
	}
	if len(all) < 500 {
		t.Fatalf("%d instructions", len(all))
	}
	return all
}

// decode reads the few instructions that the generator writes as bytes, by the tables of Intel's
// manual and not by the generator's functions.
func decode(b []byte) (string, error) {
	bit := func(x byte, i int) int { return int(x>>i) & 1 }
	fail := func() (string, error) { return "", fmt.Errorf("unknown instruction % x", b) }
	if len(b) < 5 {
		return fail()
	}
	switch b[0] {
	case 0x62: // EVEX
		names := map[int]string{0x252: "VDPBF16PS", 0x372: "VCVTNE2PS2BF16"}
		name, ok := names[int(b[2]&3)<<8|int(b[4])]
		if len(b) != 6 || !ok || b[1]&15 != 2 || b[2]&0x84 != 4 || b[3]&0xf7 != 0x40 || b[5]>>6 != 3 {
			return fail()
		}
		dst := int(b[5]>>3&7) + 8*(1-bit(b[1], 7)) + 16*(1-bit(b[1], 4))
		first := 15 - int(b[2]>>3&15) + 16*(1-bit(b[3], 3))
		second := int(b[5]&7) + 8*(1-bit(b[1], 5)) + 16*(1-bit(b[1], 6))
		return fmt.Sprintf("%s Z%d, Z%d, Z%d", name, second, first, dst), nil
	case 0xc4: // VEX
		if b[1]&0x9f != 0x82 || b[2]&0x84 != 0 { // map 0F38, 128 bits, tiles below 8
			return fail()
		}
		v, reg, rm := 15-int(b[2]>>3&15), int(b[4]>>3&7), int(b[4]&7)
		base := [...]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}
		switch kind := int(b[3])<<8 | int(b[2]&3); {
		case kind == 0x5c02 && len(b) == 5 && b[4]>>6 == 3 && b[1]&0x60 == 0x60 && v < 8:
			return fmt.Sprintf("TDPBF16PS TMM%d, TMM%d, TMM%d", v, rm, reg), nil
		case kind == 0x4900 && len(b) == 5 && b[1] == 0xe2 && b[2] == 0x78 && b[4] == 0xc0:
			return "TILERELEASE", nil
		case kind == 0x4900 && len(b) == 5 && b[2] == 0x78 && b[4]>>6 == 0 && reg == 0 && rm != 4 && rm != 5:
			return fmt.Sprintf("LDTILECFG (%s)", base[rm+8*(1-bit(b[1], 5))]), nil
		case (kind == 0x4b03 || kind == 0x4b02) && len(b) >= 6 && v == 0 && rm == 4 && b[5]>>6 == 0:
			at := fmt.Sprintf("(%s)(%s*1)", base[int(b[5]&7)+8*(1-bit(b[1], 5))], base[int(b[5]>>3&7)+8*(1-bit(b[1], 6))])
			switch {
			case b[4]>>6 == 1 && len(b) == 7:
				at = fmt.Sprint(int8(b[6])) + at
			case b[4]>>6 != 0 || len(b) != 6 || b[5]&7 == 5: // 5 means that there is no base
				return fail()
			}
			if kind == 0x4b03 {
				return fmt.Sprintf("TILELOADD %s, TMM%d", at, reg), nil
			}
			return fmt.Sprintf("TILESTORED TMM%d, %s", reg, at), nil
		}
	}
	return fail()
}

// Every instruction given as bytes is the one that its comment names.
func TestBytes(t *testing.T) {
	seen := map[string]int{}
	for _, g := range readGiven(t) {
		got, err := decode(g.code)
		if err != nil || got != g.comment {
			t.Errorf("% x is %q, the comment says %q: %v", g.code, got, g.comment, err)
		}
		name, _, _ := strings.Cut(g.comment, " ")
		seen[name]++
	}
	for _, name := range []string{"VDPBF16PS", "VCVTNE2PS2BF16", "LDTILECFG", "TILELOADD", "TDPBF16PS", "TILESTORED", "TILERELEASE"} {
		if seen[name] == 0 {
			t.Errorf("no %s", name)
		}
	}
}

var spaces = regexp.MustCompile(`\s+`)

// objdump reads them in the same way.
func TestObjdump(t *testing.T) {
	program, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("needs objdump of binutils 2.35 or later, which know AMX: ", err)
	}
	all := readGiven(t)
	var code []byte
	for _, g := range all {
		code = append(code, g.code...)
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn", file).CombinedOutput()
	if err != nil {
		t.Skipf("objdump does not read code of amd64 here: %v: %s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		if _, inst, ok := strings.Cut(line, ":\t"); ok {
			got = append(got, strings.TrimSpace(spaces.ReplaceAllString(inst, " ")))
		}
	}
	if len(got) != len(all) {
		t.Fatalf("%d instructions, want %d", len(got), len(all))
	}
	for i, g := range all {
		if want := atAndT(g.comment); got[i] != want {
			t.Errorf("% x is %q, want %q", g.code, got[i], want)
		}
	}
}

var (
	address  = regexp.MustCompile(`\((\w+)\)(?:\((\w+)\*1\))?`)
	register = regexp.MustCompile(`\b(TMM|Z)(\d+)\b`)
)

// atAndT is a comment as objdump writes it: 64(SI)(R8*1) is 0x40(%rsi,%r8,1).
func atAndT(comment string) string {
	name, operands, _ := strings.Cut(comment, " ")
	operands = address.ReplaceAllStringFunc(operands, func(s string) string {
		m := address.FindStringSubmatch(s)
		whole := func(r string) string {
			if r = strings.ToLower(r); r[0] != 'r' {
				r = "r" + r
			}
			return "%" + r
		}
		if m[2] == "" {
			return "(" + whole(m[1]) + ")"
		}
		return "(" + whole(m[1]) + "," + whole(m[2]) + ",1)"
	})
	operands = register.ReplaceAllStringFunc(operands, func(s string) string {
		return "%" + strings.ToLower(strings.Replace(s, "Z", "ZMM", 1))
	})
	operands = strings.ReplaceAll(strings.ReplaceAll(operands, ", ", ","), "64(", "0x40(")
	return strings.TrimSpace(strings.ToLower(name) + " " + operands)
}

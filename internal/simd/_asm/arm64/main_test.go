package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

var words = regexp.MustCompile(`WORD \$(0x[0-9a-f]{8}) // (.*)`)

// Every instruction given as a number is the one that its comment names, as Go's
// disassembler reads it.
func TestWords(t *testing.T) {
	text, err := os.ReadFile("../../kernels_arm64.s")
	if err != nil {
		t.Fatal(err)
	}
	all := words.FindAllStringSubmatch(string(text), -1)
	if len(all) < 500 {
		t.Fatalf("%d instructions", len(all))
	}
	for _, m := range all {
		bits, err := strconv.ParseUint(m[1], 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(bits)))
		if err != nil {
			t.Errorf("%s, %s: %v", m[1], m[2], err)
			continue
		}
		want := strings.ReplaceAll(m[2], ", ", ",")
		if got := strings.ReplaceAll(strings.ToLower(arm64asm.GNUSyntax(inst)), ", ", ","); got != want {
			t.Errorf("%s is %q, the comment says %q", m[1], got, want)
		}
	}
}

// What is checked in is what the generator writes.
func TestUpToDate(t *testing.T) {
	dir := t.TempDir()
	asm, stubs := filepath.Join(dir, "kernels_arm64.s"), filepath.Join(dir, "kernels_arm64.go")
	if out, err := exec.Command("go", "run", ".", "-out", asm, "-stubs", stubs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range []string{asm, stubs} {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "..", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate ./internal/simd", filepath.Base(file))
		}
	}
}

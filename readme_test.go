package mteval_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program of the README compiles as pasted, and runs.
func TestReadmeProgram(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command, which is not on PATH")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "\n```go\n")
	program, _, ended := strings.Cut(rest, "\n```\n")
	if !ok || !ended {
		t.Fatal("README.md has no block of Go")
	}
	// The go command is told of a file that is elsewhere, so that none is written here.
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]map[string]string{"Replace": {filepath.Join(here, "readmeprogram", "main.go"): source}}
	files, err := json.Marshal(replace)
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{source: []byte(program + "\n"), overlay: files} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), goCommand, "run", "-overlay", overlay, "./readmeprogram").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The number is what sacreBLEU 2.6.0 prints for these texts.
	const want = "72.28 nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:mteval-0.1.0\n"
	if !strings.HasPrefix(string(out), want) {
		t.Errorf("it prints\n%s", out)
	}
}

// Package clitest runs the command for tests of its parts.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/root"
)

// CheckGolden compares with a file of testdata, which -update writes: as text, or with options as
// JSON.
func CheckGolden(t *testing.T, name, got string, options ...cmp.Option) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		Write(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	d := cmp.Diff(string(want), got)
	if len(options) > 0 {
		d = cmp.Diff(Decode(t, want), Decode(t, []byte(got)), options...)
	}
	if d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

var update = flag.Bool("update", false, "write the outputs to testdata")

// Sample is the folder of the sample data.
const Sample = "../../examples/data/"

// Main takes out of the environment what the command reads there, as whoever comes from
// sacreBLEU may have it: tests set what they need.
func Main(m *testing.M) {
	// Paths in commands, and in recorded outputs, are as from cmd/mteval. A process that a test
	// starts is there already.
	dir, err := os.Getwd()
	if err == nil && filepath.Base(filepath.Dir(dir)) == "internal" {
		err = os.Chdir("../..")
	}
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"SACREBLEU", "SACREBLEU_FORMAT", "SACREBLEU_SEED"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// Exec runs the command.
func Exec(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = root.Run(context.Background(), args, &out, &err)
	return out.String(), err.String(), status
}

// Args splits at white space, with $D the sample data and $T a folder of the test.
func Args(dir, s string) []string {
	var out []string
	for _, a := range strings.Fields(s) {
		a = strings.ReplaceAll(strings.ReplaceAll(a, "$D", Sample), "$T", dir)
		if paths, _ := filepath.Glob(a); strings.Contains(a, "*") && len(paths) > 0 {
			out = append(out, paths...)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// Write writes a file.
func Write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Decode reads JSON.
func Decode(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

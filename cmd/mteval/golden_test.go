package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkGolden compares with a file of testdata, which -update writes: as text, or with options as
// JSON.
func checkGolden(t *testing.T, name, got string, options ...cmp.Option) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		write(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	d := cmp.Diff(string(want), got)
	if len(options) > 0 {
		d = cmp.Diff(decode(t, want), decode(t, []byte(got)), options...)
	}
	if d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

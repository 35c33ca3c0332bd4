// Package shareddata finds the recorded values and WMT data that lie beside a
// checkout of the project, in ../shared, for tests that check against them.
// They are other people's texts and not part of the project; a test that needs
// them is skipped where they are absent.
package shareddata

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path returns the path of a file or folder of ../shared, and skips the test
// where it does not exist. MTEVAL_SHARED names another folder than ../shared.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("MTEVAL_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "doc.go")); err == nil {
				if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
					break
				}
			}
			up := filepath.Dir(dir)
			if up == dir {
				t.Fatal("no go.mod above the test")
			}
			dir = up
		}
		root = filepath.Join(dir, "..", "shared")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s, which is not here", filepath.Join(append([]string{"../shared"}, elem...)...))
	}
	return path
}

// ReadFile reads a file, of the project's own or at a Path, unpacked if its name ends in .gz.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// ReadLines is ReadFile by line.
func ReadLines(t testing.TB, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(ReadFile(t, path)), "\n"), "\n")
}

// ReadJSON is ReadFile of recorded values into v.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	if err := json.Unmarshal(ReadFile(t, path), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

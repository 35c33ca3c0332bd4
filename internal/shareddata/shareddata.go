// Package shareddata finds the recorded values and WMT data that lie beside a
// checkout of the project, in ../shared, for tests that check against them.
// They are other people's texts and not part of the project; a test that needs
// them is skipped where they are absent.
package shareddata

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// ReadJSON reads a file of recorded values, of the project's own or at a Path, into v.
func ReadJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

package bounded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		most int64
		want string // an error; "": none
	}{
		{path, 5, ""},
		{path, 6, ""},
		{path, 4, "has more than 4 bytes"},
		{path, 0, "has more than 0 bytes"},
		{dir, 9, "is no regular file"},
		{filepath.Join(dir, "b"), 9, "no such file"},
	} {
		got, err := ReadFile(tt.path, tt.most)
		if tt.want == "" {
			if err != nil || string(got) != "12345" {
				t.Errorf("%s, %d: %q, %v", tt.path, tt.most, got, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %d: error %v, want %q", tt.path, tt.most, err, tt.want)
		}
	}
}

// A sparse file takes no memory before it is refused.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(path, 1<<10); err == nil {
		t.Error("no error")
	}
}

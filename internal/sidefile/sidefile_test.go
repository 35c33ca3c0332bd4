package sidefile

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/race"
)

func zip(t *testing.T, write func(w io.Writer)) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	write(z)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestText(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"plain":      strings.NewReader("a\nb"),
		"BOM":        strings.NewReader("\ufeffa\nb"),
		"gzip":       zip(t, func(w io.Writer) { _, _ = io.WriteString(w, "a\nb") }),
		"gzip + BOM": zip(t, func(w io.Writer) { _, _ = io.WriteString(w, "\ufeffa\nb") }),
	} {
		in, err := Text(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != "a\nb" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if in, err := Text(strings.NewReader("")); err != nil {
		t.Error(err)
	} else if got, err := io.ReadAll(in); err != nil || len(got) > 0 {
		t.Errorf("nothing: %q, %v", got, err)
	}
	if _, err := Text(strings.NewReader("\x1f\x8bx")); err == nil {
		t.Error("no error for damaged gzip data")
	}
}

func TestExpands(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	bomb := zip(t, func(w io.Writer) {
		block := make([]byte, 1<<20)
		for range 256 {
			_, _ = w.Write(block)
		}
	})
	in, err := Text(bomb)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, in)
	if err == nil || !strings.Contains(err.Error(), "100 times its size") || n > 64<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestReadAll(t *testing.T) {
	for _, tt := range []struct {
		most int64
		ok   bool
	}{{3, false}, {4, true}} {
		if got, err := ReadAll(strings.NewReader("four"), tt.most); (err == nil) != tt.ok || tt.ok && string(got) != "four" {
			t.Errorf("at most %d: %q, %v", tt.most, got, err)
		}
	}
}

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
		{path, 4, "more than 4 bytes"},
		{path, 0, "more than 0 bytes"},
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
		t.Skip("no sparse files here: ", err)
	}
	if _, err := ReadFile(path, 1<<10); err == nil {
		t.Error("no error")
	}
}

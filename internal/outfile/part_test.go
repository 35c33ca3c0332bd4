package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A part stays where it is until it is whole.
func TestPart(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		before     map[string]string
		part       string // of the path
		after      map[string]string
	}{
		{"new", "a", map[string]string{}, "a.part", map[string]string{"a": "abcdefghi"}},
		{"old", "a", map[string]string{"a": "old"}, "a.part", map[string]string{"a": "abcdefghi"}},
		{"link", "l", map[string]string{"d/a": "old", "l": "-> d/a"}, "d/a.part", map[string]string{"d/a": "abcdefghi", "l": "-> d/a"}},
		{"link to what is not yet", "l", map[string]string{"d/b": "b", "l": "-> d/a"}, "d/a.part", map[string]string{"d/b": "b", "d/a": "abcdefghi", "l": "-> d/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.before)
			path := filepath.Join(dir, tt.path)
			write := func(from int64, text string) *Part {
				t.Helper()
				p, err := OpenPart(t.Context(), path, from)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := p.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if err := p.Sync(); err != nil {
					t.Fatal(err)
				}
				return p
			}
			if err := write(0, "abcdeX").Close(); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{tt.part: "abcdeX"}
			for name, text := range tt.before {
				want[name] = text
			}
			if d := cmp.Diff(want, list(t, dir)); d != "" {
				t.Fatal(d)
			}
			if at, err := PartPath(path); err != nil || !strings.HasSuffix(at, filepath.FromSlash(tt.part)) {
				t.Errorf("%s, %v", at, err)
			}
			p := write(5, "fghi")
			if err := p.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if d := cmp.Diff(tt.after, list(t, dir)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestPartErrors(t *testing.T) {
	dir := tree(t, map[string]string{"a": "old", "a.part": "abc", "b.part": "-> a", "d/x": ""})
	for path, want := range map[string]string{
		"a": "$/a.part has 3 bytes, and had 5: remove it to begin anew", "b": "$/b.part is no regular file", "d": "is a folder", "no/a": "no such file or directory", "c": "no such file or directory",
	} {
		_, err := OpenPart(t.Context(), filepath.Join(dir, path), 5)
		var p *fs.PathError
		if !errors.As(err, &p) || p.Op != "write" || !strings.HasSuffix(err.Error(), strings.ReplaceAll(want, "$", dir)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := PartPath(filepath.Join(dir, "no/a")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := OpenPart(ctx, filepath.Join(dir, "a"), 1)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := p.Write([]byte("x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.Sync(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := OpenPart(ctx, filepath.Join(dir, "a"), 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a")); string(data) != "old" || err != nil {
		t.Errorf("%s, %v", data, err)
	}
}

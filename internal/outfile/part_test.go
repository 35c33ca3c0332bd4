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
			write := func(before, text string) *Part {
				t.Helper()
				p, err := OpenPart(t.Context(), path, before != "")
				if err != nil {
					t.Fatal(err)
				}
				if p.Made() != (before == "") {
					t.Error("made ", p.Made())
				}
				if err := p.Keep(int64(len(before)), AddSum(0, []byte(before))); err != nil {
					t.Fatal(err)
				}
				if _, err := p.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if n, sum := p.Written(); n != int64(len(before+text)) || sum != AddSum(0, []byte(before+text)) {
					t.Errorf("%d bytes with the sum %08x", n, sum)
				}
				if err := p.Save([]byte(text)); err != nil {
					t.Fatal(err)
				}
				return p
			}
			if err := write("", "abcdeX").Close(); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{tt.part: "abcdeX", strings.Replace(tt.part, ".part", ".progress", 1): "abcdeX"}
			for name, text := range tt.before {
				want[name] = text
			}
			if d := cmp.Diff(want, list(t, dir)); d != "" {
				t.Fatal(d)
			}
			if at, err := PartOf(path); err != nil || !strings.HasSuffix(at.Part, filepath.FromSlash(tt.part)) {
				t.Errorf("%v, %v", at, err)
			}
			if _, err := OpenPart(t.Context(), path, false); !errors.Is(err, ErrBegun) {
				t.Errorf("begun twice: %v", err)
			}
			p := write("abcde", "fghi")
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
	dir := tree(t, map[string]string{"a": "old", "a.part": "abc", "a.progress": "{}", "b.part": "-> a", "d/x": "", "e.progress": "{}",
		"f.progress": "-> e.progress", "g.part/x": "", "h.progress/x": "", "i.progress.tmp": "-> a", "j.part": "another's"})
	for _, tt := range []struct {
		path   string
		resume bool
		want   string
	}{
		{"b", true, "/b.part: is no regular file: remove it, or write to another path"}, {"b", false, "/b.part: is no regular file: remove it, or write to another path"},
		{"f", true, "/f.progress: is no regular file: remove it, or write to another path"}, {"g", true, "/g.part: is no regular file: remove it, or write to another path"},
		{"h", false, "/h.progress: is no regular file: remove it, or write to another path"}, {"i", true, "/i.progress.tmp: is no regular file: remove it, or write to another path"},
		{"j", true, "/j.part: there is no $/j.progress that says what this file is, so it stays as it is: move or remove it, or write to another path"},
		{"j", false, "/j.part: there is no $/j.progress that says what this file is, so it stays as it is: move or remove it, or write to another path"},
		{"d", true, "is a folder"}, {"no/a", true, "no such file or directory"},
		{"a", false, "there is a part of it already, $/a.part: go on with it, or remove it"},
		{"e", false, "there is a part of it already, $/e.progress: go on with it, or remove it"},
	} {
		before := list(t, dir)
		_, err := OpenPart(t.Context(), filepath.Join(dir, tt.path), tt.resume)
		if err == nil || !strings.HasSuffix(err.Error(), strings.ReplaceAll(tt.want, "$", dir)) {
			t.Errorf("%s: %v", tt.path, err)
		}
		if d := cmp.Diff(before, list(t, dir)); d != "" {
			t.Errorf("%s: files are changed:\n%s", tt.path, d)
		}
	}
	if _, err := PartOf(filepath.Join(dir, "no/a")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := OpenPart(ctx, filepath.Join(dir, "a"), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Keep(5, 0); err == nil || !strings.Contains(err.Error(), "a.part: it has 3 bytes, and had 5: remove it and ") {
		t.Error(err)
	}
	if err := p.Keep(2, AddSum(0, []byte("aB"))); err == nil || !strings.Contains(err.Error(), "a.part: it was changed since it was written: remove it and ") {
		t.Error(err)
	}
	if err := p.Keep(2, AddSum(0, []byte("ab"))); err != nil {
		t.Error(err)
	}
	cancel()
	if _, err := p.Write([]byte("x")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.Save([]byte("note")); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenPart(ctx, filepath.Join(dir, "a"), true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	want := map[string]string{"a": "old", "a.part": "ab", "a.progress": "note", "b.part": "-> a", "d/x": "", "e.progress": "{}",
		"f.progress": "-> e.progress", "g.part/x": "", "h.progress/x": "", "i.progress.tmp": "-> a", "j.part": "another's"}
	if d := cmp.Diff(want, list(t, dir)); d != "" {
		t.Error(d)
	}
}

// Of a part that was never saved nothing stays, nor what a killed process left of a note.
func TestPartLeavesNothing(t *testing.T) {
	dir := tree(t, map[string]string{"a.progress.tmp": "half a no"})
	open := func() *Part {
		t.Helper()
		p, err := OpenPart(t.Context(), filepath.Join(dir, "a"), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"a.progress.tmp": "half a no"}, list(t, dir)); d != "" {
		t.Error(d)
	}
	p := open()
	if err := errors.Join(p.Begin([]byte("first note")), p.Close()); err != nil {
		t.Fatal(err)
	}
	p = open()
	if err := errors.Join(p.Save([]byte("note")), p.Discard()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{}, list(t, dir)); d != "" {
		t.Error(d)
	}
	// Nor of one that was ended between its first steps.
	if err := os.WriteFile(filepath.Join(dir, "a.part"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p = open()
	if err := errors.Join(p.Save([]byte("note")), p.Commit(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"a": "text"}, list(t, dir)); d != "" {
		t.Error(d)
	}
}

// Two don't write the same part.
func TestPartLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	first, err := OpenPart(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	for _, resume := range []bool{false, true} {
		second, err := OpenPart(t.Context(), path, resume)
		if err == nil {
			second.Close()
			if resume {
				t.Skip("there are no locks here")
			}
		}
		if !errors.Is(err, ErrUnderWay) || err.Error() != path+": another run is writing it" {
			t.Errorf("resume %v: %v", resume, err)
		}
	}
	if _, err := first.Write([]byte("text")); err != nil {
		t.Error(err)
	}
	if err := errors.Join(first.Save(nil), first.Commit()); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(map[string]string{"a": "text"}, list(t, filepath.Dir(path))); d != "" {
		t.Error(d)
	}
}

package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree makes a folder: text is a file's, "-> x" a link to x, and a name with a slash at
// its end a folder.
func tree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(data, "-> "); ok {
			if err = os.Symlink(filepath.FromSlash(target), path); err != nil && runtime.GOOS == "windows" {
				t.Skip("links can't be made here: ", err)
			}
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// list is what tree took.
func list(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if target, err := os.Readlink(path); err == nil {
			files[filepath.ToSlash(name)] = "-> " + filepath.ToSlash(target)
			return nil
		}
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestWrite(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		files      map[string]string
		want       map[string]string // nil is an error and no change
	}{
		{"new", "a", nil, map[string]string{"a": "new"}},
		{"replaced", "a", map[string]string{"a": "a longer one"}, map[string]string{"a": "new"}},
		{"long name", strings.Repeat("a", 255), nil, map[string]string{strings.Repeat("a", 255): "new"}},
		{"link", "l", map[string]string{"l": "-> d/a", "d/a": "old"}, map[string]string{"l": "-> d/a", "d/a": "new"}},
		{"links", "l", map[string]string{"l": "-> d/m", "d/m": "-> ../a", "a": "old"},
			map[string]string{"l": "-> d/m", "d/m": "-> ../a", "a": "new"}},
		{"link to nothing yet", "l", map[string]string{"l": "-> d/a", "d/": ""}, map[string]string{"l": "-> d/a", "d/a": "new"}},
		{"link of a folder", "l/a", map[string]string{"l": "-> d", "d/a": "old"}, map[string]string{"l": "-> d", "d/a": "new"}},
		{"above the target of a link", "l/../a", map[string]string{"l": "-> d/e", "d/e/": ""},
			map[string]string{"l": "-> d/e", "d/a": "new"}},
		{"cycle", "l", map[string]string{"l": "-> m", "m": "-> l"}, nil},
		{"link to itself", "l", map[string]string{"l": "-> l"}, nil},
		{"link into no folder", "l", map[string]string{"l": "-> d/a"}, nil},
		{"no folder", "d/a", nil, nil},
		{"below a file", "a/b", map[string]string{"a": "old"}, nil},
		{"folder", "d", map[string]string{"d/": ""}, nil},
		{"new folder", "d/", nil, nil},
		{"file as folder", "a/", map[string]string{"a": "old"}, nil},
		{"dot", ".", nil, nil},
		{"nothing", "", nil, nil},
		{"NUL byte", "a\x00b", nil, nil},
		{"too long", strings.Repeat("a", 256), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.files)
			before := list(t, dir)
			t.Chdir(dir)
			err := Write(t.Context(), filepath.FromSlash(tt.path), []byte("new"))
			want := tt.want
			if want == nil {
				want = before
				var p *fs.PathError
				if !errors.As(err, &p) || p.Op != "write" || p.Path != filepath.FromSlash(tt.path) {
					t.Errorf("error %#v", err)
				}
			} else if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, list(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommit(t *testing.T) {
	dir := tree(t, map[string]string{"a": "old"})
	path := filepath.Join(dir, "a")
	begin := func(ctx context.Context) *File {
		t.Helper()
		f, err := Create(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		return f
	}
	still := func(want string) {
		t.Helper()
		if diff := cmp.Diff(map[string]string{"a": want}, list(t, dir)); diff != "" {
			t.Error(diff)
		}
	}

	f := begin(t.Context())
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("before its end: %q, %v", data, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	still("old")
	if _, err := f.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
	still("old")

	cause := errors.New("cause")
	for _, late := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		f = begin(ctx)
		cancel(cause)
		if !late {
			if _, err := f.Write([]byte("more")); err != cause {
				t.Error(err)
			}
		}
		if err := f.Commit(); err != cause {
			t.Error(err)
		}
		f.Close()
		still("old")
		if _, err := Create(ctx, path); err != cause {
			t.Error(err)
		}
	}

	f = begin(t.Context())
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	still("new")
}

// What was written so far goes as soon as the context is done, whoever writes.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Create(ctx, filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cancel()
	if runtime.GOOS == "windows" {
		t.Skip("open files can't be removed here")
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		if left, err := os.ReadDir(dir); err != nil || len(left) == 0 {
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatal("it is still there")
		}
	}
	if err := f.Commit(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The path became a folder meanwhile.
func TestCommitFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	var p *fs.PathError
	if err := f.Commit(); !errors.As(err, &p) || p.Op != "write" || p.Path != path {
		t.Errorf("%#v", err)
	}
	if e, _ := os.ReadDir(filepath.Dir(path)); len(e) != 1 {
		t.Errorf("%v", e)
	}
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPermissions(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := tree(t, nil)
	for name, perm := range map[string]fs.FileMode{"private": 0o600, "wide": 0o666, "script": 0o755, "new": 0} {
		path := filepath.Join(dir, name)
		want := perm
		if perm == 0 {
			want = 0o640
		} else if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, perm)); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), path, []byte("new")); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anything")
	}
	dir := tree(t, map[string]string{"a": "old", "d/a": "old"})
	for path, perm := range map[string]fs.FileMode{"a": 0o444, "d": 0o555} {
		if err := os.Chmod(filepath.Join(dir, path), perm); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "d"), 0o755)
	if p, err := OpenPart(t.Context(), filepath.Join(dir, "a"), false); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a part of a: %v", err)
		p.Close()
	}
	for _, path := range []string{"a", "d/a", "d/b"} {
		if err := Write(t.Context(), filepath.Join(dir, path), []byte("new")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "old", "d/a": "old"}, list(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestDevices(t *testing.T) {
	for path, want := range map[string]error{"/dev/null": nil, "/dev/full": syscall.ENOSPC} {
		info, err := os.Stat(path)
		if err != nil {
			t.Logf("no %s here", path)
			continue
		}
		err = Write(t.Context(), path, []byte("new"))
		var p *fs.PathError
		if !errors.Is(err, want) || want != nil && (!errors.As(err, &p) || p.Op != "write" || p.Path != path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if after, err := os.Stat(path); err != nil || after.Mode() != info.Mode() {
			t.Errorf("%s: %v, %v", path, after, err)
		}
	}
}

// A disk that is full, and one that says so only at the end.
func TestFull(t *testing.T) {
	for _, dev := range []string{"/dev/full", "/dev/null"} {
		bad, err := os.OpenFile(dev, os.O_WRONLY, 0)
		if err != nil {
			t.Skip("it can't be made here: ", err)
		}
		dir := tree(t, map[string]string{"a": "old"})
		f, err := Create(t.Context(), filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		f.file.Close()
		f.file = bad
		if _, err := f.Write([]byte("new")); (err != nil) != (dev == "/dev/full") {
			t.Errorf("%s: %v", dev, err)
		} else if err == nil {
			if err := f.Commit(); err == nil {
				t.Skip("here devices can be synced")
			}
		}
		f.Close()
		if diff := cmp.Diff(map[string]string{"a": "old"}, list(t, dir)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStandardOutput(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip("it can't be made here: ", err)
	}
	dir := tree(t, map[string]string{"l": "-> out"})
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = out
	out.WriteString("before ")
	for _, path := range []string{"out", "l"} {
		if err := Write(t.Context(), filepath.Join(dir, path), []byte("new ")); err != nil {
			t.Error(err)
		}
	}
	out.WriteString("after")
	if diff := cmp.Diff(map[string]string{"l": "-> out", "out": "before new new after"}, list(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("it can't be made here: ", err)
	}
	got := make(chan string)
	go func() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		got <- string(data)
	}()
	if err := Write(t.Context(), path, []byte("new")); err != nil {
		t.Error(err)
	}
	if data := <-got; data != "new" {
		t.Errorf("%q", data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("%v, %v", info, err)
	}

	// Nobody reads.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := Write(ctx, path, []byte("new")); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	// Somebody opens it and reads nothing.
	r, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := Write(ctx, path, make([]byte, 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

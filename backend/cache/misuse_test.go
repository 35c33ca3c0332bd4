package cache

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/internal/kit"
)

// What is in the folder under a text's name and is no file of its own is not used: a pipe
// would be waited for, and a device may have no end.
func TestNoFile(t *testing.T) {
	text := "some words"
	want := embed(t, backendtest.NewFake(fakeOptions), text)
	for name, make := range map[string]func(t *testing.T, path string) error{
		"a link":   func(_ *testing.T, path string) error { return os.Symlink(os.DevNull, path) },
		"no aim":   func(_ *testing.T, path string) error { return os.Symlink("nowhere", path) },
		"a circle": func(_ *testing.T, path string) error { return os.Symlink(path, path) },
		"a link to what it should be": func(t *testing.T, path string) error {
			dir := t.TempDir()
			c, _ := open(t, Options{Dir: dir}, fakeOptions)
			embed(t, c, text)
			return os.Symlink(filepath.Join(dir, c.dir.key(text).name()), path)
		},
		"1 TB": func(_ *testing.T, path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 1<<40))
		},
		"a pipe": func(_ *testing.T, path string) error { return mkfifo(path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c, fake := open(t, Options{Dir: dir}, fakeOptions)
			path := filepath.Join(dir, c.dir.key(text).name())
			if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := make(t, path); err != nil {
				t.Skip("the file system has no such thing: ", err)
			}
			same(t, embed(t, c, text), want, "batch")
			if fake.Texts() != 1 {
				t.Errorf("asked for %d texts, want 1", fake.Texts())
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
				t.Errorf("it was not replaced: %v, error %v", info, err)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		dir := t.TempDir()
		c, _ := open(t, Options{Dir: dir}, fakeOptions)
		if err := os.MkdirAll(filepath.Join(dir, c.dir.key(text).name()), 0o777); err != nil {
			t.Fatal(err)
		}
		same(t, embed(t, c, text), want, "batch")
		if err := c.Close(); err == nil {
			t.Error("Close does not say that nothing was written")
		}
	})
}

// Files whose sum is right are held against the contract, too: whoever wrote them.
func TestFilesThatLie(t *testing.T) {
	text := "some words"
	for name, change := range map[string]func(*entry){
		"weight":     func(e *entry) { e.tokens[1].Weight = 2 },
		"weight NaN": func(e *entry) { e.tokens[1].Weight = float32(math.NaN()) },
		"place":      func(e *entry) { e.tokens[1].End = 99 },
		"vector":     func(e *entry) { e.data[3] = float32(math.Inf(1)) },
	} {
		dir := t.TempDir()
		c, fake := open(t, Options{Dir: dir}, fakeOptions)
		want := embed(t, backendtest.NewFake(fakeOptions), text)
		e := &entry{text: text, tokens: append([]mteval.Token(nil), want.Tokens...), data: append([]float32(nil), want.Data...)}
		change(e)
		if err := c.dir.write(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		same(t, embed(t, c, text), want, name)
		if fake.Texts() != 1 {
			t.Errorf("%s: asked for %d texts, want 1", name, fake.Texts())
		}
	}
}

// A backend that lies is an error, and nothing of it is kept.
func TestLies(t *testing.T) {
	nan := float32(math.NaN())
	for name, spoil := range map[string]func(*backend.Batch){
		"first offset":      func(b *backend.Batch) { b.Offsets[0] = 2 },
		"negative offset":   func(b *backend.Batch) { b.Offsets[1] = -1 },
		"truncated twice":   func(b *backend.Batch) { b.Truncated = []int{0, 0} },
		"truncated at -1":   func(b *backend.Batch) { b.Truncated = []int{-1} },
		"weight NaN":        func(b *backend.Batch) { b.Tokens[1].Weight = nan },
		"weight negative":   func(b *backend.Batch) { b.Tokens[1].Weight = -1 },
		"place outside":     func(b *backend.Batch) { b.Tokens[1].End = 50 },
		"vector with NaN":   func(b *backend.Batch) { b.Data[len(b.Data)-1] = nan },
		"vector with a sum": func(b *backend.Batch) { b.Data[0] = float32(math.Inf(-1)) },
	} {
		dir := t.TempDir()
		b := &broken{Fake: backendtest.NewFake(fakeOptions), embed: spoil}
		c, err := New(b, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Embed(t.Context(), new(backend.Batch), []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "fake") {
			t.Errorf("%s: error %v", name, err)
		}
		if paths, _ := files(t, dir); len(paths) != 0 {
			t.Errorf("%s: files %q", name, paths)
		}
		b.embed = nil
		same(t, embed(t, c, "a", "b"), embed(t, backendtest.NewFake(fakeOptions), "a", "b"), name)
	}
}

// Reading and writing a long text stop when ctx is cancelled, and leave nothing half done.
func TestCancelledWithinAText(t *testing.T) {
	text := strings.Repeat("w ", 100_000) // 13 MB with 32 numbers a token
	o := backendtest.FakeOptions{Dim: 32}
	looks := func(what, dir string) (n int64) {
		for after := int64(1); ; after += 1 + after/4 {
			c, _ := open(t, Options{Dir: dir, Bytes: 1}, o)
			err := c.Embed(kit.NewCountdown(after), new(backend.Batch), []string{text})
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			paths, _ := files(t, dir)
			for _, p := range paths {
				if strings.HasPrefix(filepath.Base(p), prefix) {
					t.Errorf("%s: left %s", what, p)
				}
			}
			if err == nil {
				return after
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error %v", what, err)
			}
			if what == "writing" && len(paths) > 0 {
				return after // it was cancelled when all was done
			}
		}
	}
	dir := t.TempDir()
	if n := looks("writing", dir); n < 20 {
		t.Errorf("ctx is looked at %d times when a text is written", n)
	}
	if n := looks("reading", dir); n < 20 {
		t.Errorf("ctx is looked at %d times when a text is read", n)
	}
}

func TestOddCalls(t *testing.T) {
	var zero Backend
	if err := zero.Embed(t.Context(), new(backend.Batch), []string{"a"}); err == nil {
		t.Error("no error for a Backend not made with New")
	}
	if info := zero.Info(); info.Dim != 0 {
		t.Errorf("Info %+v", info)
	}
	if err := zero.Close(); err != nil {
		t.Error(err)
	}
	// A text that a Backend of MaxTokens below 0, or without Dim, would cut.
	for _, change := range []func(*backend.Info){
		func(i *backend.Info) { i.MaxTokens = -1 },
		func(i *backend.Info) { i.Dim = -1 },
	} {
		if _, err := New(&broken{Fake: backendtest.NewFake(fakeOptions), info: change}, Options{}); err == nil {
			t.Error("no error")
		}
	}
	c, _ := open(t, Options{}, fakeOptions)
	for _, texts := range [][]string{nil, {}} {
		if b := embed(t, c, texts...); b.Len() != 0 || len(b.Offsets) != 1 {
			t.Errorf("%+v of no texts", b)
		}
	}
}

package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
)

var fakeOptions = backendtest.FakeOptions{Dim: 5, Special: true, MaxTokens: 9}

// tester is what testing.T and rapid.T share.
type tester interface {
	Helper()
	Cleanup(func())
	Errorf(string, ...any)
	Fatal(...any)
}

func open(t tester, o Options, f backendtest.FakeOptions) (*Backend, *backendtest.Fake) {
	t.Helper()
	fake := backendtest.NewFake(f)
	c, err := New(fake, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, fake
}

func embed(t testing.TB, b backend.Backend, texts ...string) *backend.Batch {
	t.Helper()
	dst := new(backend.Batch)
	if err := b.Embed(t.Context(), dst, texts); err != nil {
		t.Fatal(err)
	}
	return dst
}

// same compares batches but for whether an empty slice is nil.
func same(t tester, got, want *backend.Batch, what string) {
	t.Helper()
	bits := func(v []float32) []uint32 {
		out := make([]uint32, len(v))
		for i, x := range v {
			out[i] = math.Float32bits(x)
		}
		return out
	}
	if got.Dim != want.Dim || !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Tokens, want.Tokens) ||
		!slices.Equal(got.Truncated, want.Truncated) || !slices.Equal(bits(got.Data), bits(want.Data)) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}

// files returns the paths of all files below a folder.
func files(t testing.TB, dir string) (paths []string, total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		paths = append(paths, path)
		total += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths, total
}

// The contract of backend.Backend is kept whatever is kept besides.
func TestConformance(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		opt  Options
	}{
		{"default", Options{}},
		{"one byte", Options{Bytes: 1}},
		{"few texts", Options{Bytes: 3000}},
		{"folder", Options{Dir: dir}},
		{"the same folder", Options{Dir: dir}},
		{"folder alone", Options{Bytes: 1, Dir: dir}},
		{"small folder", Options{Bytes: 3000, Dir: t.TempDir(), DirBytes: 5000}},
	} {
		for _, f := range []backendtest.FakeOptions{{}, fakeOptions} {
			t.Run(fmt.Sprintf("%s/max %d", tt.name, f.MaxTokens), func(t *testing.T) {
				open := func() (backend.Backend, error) { return New(backendtest.NewFake(f), tt.opt) }
				if err := backendtest.Test(open, backendtest.Options{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Only what is missing is asked for, and once.
func TestOnce(t *testing.T) {
	c, fake := open(t, Options{}, fakeOptions)
	long := strings.Repeat("long ", 20)
	texts := []string{"a b", long, "a b", "", long, "c"}
	want := embed(t, backendtest.NewFake(fakeOptions), texts...)
	for range 3 {
		same(t, embed(t, c, texts...), want, "batch")
		if fake.Texts() != 4 || fake.Calls() != 1 {
			t.Fatalf("%d texts in %d calls, want 4 in 1", fake.Texts(), fake.Calls())
		}
	}
	texts = []string{"new", "c", "newer", "c", "new", long}
	same(t, embed(t, c, texts...), embed(t, backendtest.NewFake(fakeOptions), texts...), "mixed batch")
	if fake.Texts() != 6 || fake.Calls() != 2 {
		t.Errorf("%d texts in %d calls, want 6 in 2", fake.Texts(), fake.Calls())
	}
}

// What is kept takes no more than it may, and what was not asked for longest goes.
func TestBound(t *testing.T) {
	one := embed(t, backendtest.NewFake(fakeOptions), "a")
	n := size("a", one.Tokens, one.Data)
	c, fake := open(t, Options{Bytes: 3 * n}, fakeOptions)
	for i, step := range []struct {
		texts string
		asked int // for how many texts of it
	}{
		{"a b c", 3}, {"a b c", 0}, {"a", 0}, {"d", 1}, {"a c d", 0}, {"b", 1}, {"a", 1},
		{"e f g h i", 5}, {"g h i", 0}, {"f", 1}, {"h i", 0},
	} {
		before := fake.Texts()
		embed(t, c, strings.Fields(step.texts)...)
		if got := fake.Texts() - before; got != step.asked {
			t.Errorf("step %d, %s: asked for %d texts, want %d", i, step.texts, got, step.asked)
		}
		if c.size > c.limit || len(c.kept) != c.order.Len() || c.size != n*int64(len(c.kept)) {
			t.Errorf("step %d: %d of %d bytes for %d texts", i, c.size, c.limit, len(c.kept))
		}
	}
	// A text that is too large leaves the others where they are.
	before := len(c.kept)
	embed(t, c, "f", strings.Repeat("x", int(4*n)))
	if len(c.kept) != before {
		t.Errorf("%d texts are left, want %d", len(c.kept), before)
	}
}

// Another process, here another backend, finds what is in the folder.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	texts := []string{"a b", strings.Repeat("long ", 20), "", "ä\x00\xff c"}
	want := embed(t, backendtest.NewFake(fakeOptions), texts...)
	for run, asked := range []int{4, 0, 0} {
		c, fake := open(t, Options{Dir: dir, Bytes: int64(1 + run%2*1e6)}, fakeOptions)
		same(t, embed(t, c, texts...), want, "batch")
		if fake.Texts() != asked {
			t.Errorf("run %d: asked for %d texts, want %d", run, fake.Texts(), asked)
		}
	}
	// A backend with another signature does not.
	other := fakeOptions
	other.MaxTokens = 8
	c, fake := open(t, Options{Dir: dir}, other)
	same(t, embed(t, c, texts...), embed(t, backendtest.NewFake(other), texts...), "another backend's batch")
	if fake.Texts() != 4 {
		t.Errorf("asked for %d texts, want 4", fake.Texts())
	}
	if paths, _ := files(t, dir); len(paths) != 8 || slices.ContainsFunc(paths, func(p string) bool { return filepath.Ext(p) != suffix }) {
		t.Errorf("files %q", paths)
	}
}

// A damaged file is not used, and is replaced.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, Options{Dir: dir}, fakeOptions)
	want := embed(t, c, "some words", "others")
	paths, _ := files(t, dir)
	if len(paths) != 2 {
		t.Fatalf("files %q", paths)
	}
	good := make([][]byte, 2)
	for i, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		good[i] = data
	}
	damage := map[string][]byte{
		"empty":         {},
		"cut":           good[0][:len(good[0])-1],
		"longer":        append(slices.Clone(good[0]), 0),
		"another text":  good[1],
		"half":          good[0][:len(good[0])/2],
		"something":     []byte("something else, that is long enough to have all that there has to be: a header and the sum of it"),
		"a bit":         nil,
		"the last byte": nil,
	}
	for name, at := range map[string]int{"a bit": len(good[0]) / 2, "the last byte": len(good[0]) - 1} {
		damage[name] = slices.Clone(good[0])
		damage[name][at] ^= 1
	}
	for name, data := range damage {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(paths[0], data, 0o666); err != nil {
				t.Fatal(err)
			}
			c, fake := open(t, Options{Dir: dir}, fakeOptions)
			same(t, embed(t, c, "some words", "others"), want, "batch")
			if fake.Texts() != 1 {
				t.Errorf("asked for %d texts, want 1", fake.Texts())
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if now, err := os.ReadFile(paths[0]); err != nil || !bytes.Equal(now, good[0]) {
				t.Errorf("the file was not replaced: %v", err)
			}
		})
	}
}

// The files in the folder take no more than they may; others are left alone.
func TestFolderBound(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, Options{Dir: dir}, fakeOptions)
	embed(t, c, "a")
	paths, n := files(t, dir)
	old := time.Now().Add(-time.Hour)
	left := filepath.Join(filepath.Dir(paths[0]), prefix+"1")
	foreign := filepath.Join(filepath.Dir(paths[0]), "README")
	for _, p := range []string{left, foreign} {
		if err := os.WriteFile(p, make([]byte, 2*n), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	// Memory for nothing, so that all is asked of the folder.
	o := Options{Bytes: 1, Dir: dir, DirBytes: 3 * n}
	c, fake := open(t, o, fakeOptions)
	step := func(texts string, asked int) {
		t.Helper()
		before := fake.Texts()
		for _, text := range strings.Fields(texts) {
			embed(t, c, text)
		}
		if got := fake.Texts() - before; got != asked {
			t.Errorf("%s: asked for %d texts, want %d", texts, got, asked)
		}
		paths, total := files(t, dir)
		if total -= 2 * n; total > 3*n || !slices.Contains(paths, foreign) {
			t.Errorf("%s: %d bytes of %d in %q", texts, total, 3*n, paths)
		}
	}
	step("a", 0)
	step("b", 1)
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was left half written is still there: %v", err)
	}
	step("c a d", 2) // b goes
	step("a c d", 0)
	step("b", 1)
	step("c", 0)
	// What does not fit at all is not written.
	step(strings.Repeat("x", int(4*n)), 1)
	// A smaller bound removes the oldest on opening.
	o.DirBytes = n
	open(t, o, fakeOptions)
	if _, total := files(t, dir); total-2*n > n {
		t.Errorf("%d bytes, want at most %d", total-2*n, n)
	}
}

// That a file can't be written is no reason to fail, but is told.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	c, _ := open(t, Options{Dir: dir}, fakeOptions)
	// Where there is to be a folder is a file.
	if err := os.WriteFile(filepath.Dir(filepath.Join(dir, c.dir.key("a").name())), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	same(t, embed(t, c, "a"), embed(t, backendtest.NewFake(fakeOptions), "a"), "batch")
	embed(t, c, "b")
	if err := c.Close(); err == nil {
		t.Error("Close says nothing of it")
	}
	if err := c.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
	if paths, _ := files(t, dir); len(paths) != 1 {
		t.Errorf("files %q", paths)
	}
}

// broken is a backend that breaks the contract, or counts calls of Close.
type broken struct {
	*backendtest.Fake
	info   func(*backend.Info)
	embed  func(*backend.Batch)
	closed int
	err    error
}

func (b *broken) Info() backend.Info {
	info := b.Fake.Info()
	if b.info != nil {
		b.info(&info)
	}
	return info
}

func (b *broken) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	err := b.Fake.Embed(ctx, dst, texts)
	if b.embed != nil {
		b.embed(dst)
	}
	return err
}

func (b *broken) Close() error { b.closed++; return b.err }

func TestErrors(t *testing.T) {
	fake := backendtest.NewFake(fakeOptions)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		b    backend.Backend
		o    Options
		want string
	}{
		{nil, Options{}, "no backend"},
		{fake, Options{Bytes: -1}, "Bytes -1"},
		{fake, Options{Dir: "x", DirBytes: -2}, "DirBytes -2"},
		{fake, Options{DirBytes: 2}, "without Dir"},
		{fake, Options{Dir: file}, "file"},
		{&broken{Fake: fake, info: func(i *backend.Info) { i.Dim = 0 }}, Options{}, "Dim 0"},
		{&broken{Fake: fake, info: func(i *backend.Info) { i.Signature = nil }}, Options{Dir: t.TempDir()}, "no signature"},
	} {
		if _, err := New(tt.b, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}

	for name, spoil := range map[string]func(*backend.Batch){
		"Dim":       func(b *backend.Batch) { b.Dim++ },
		"Offsets":   func(b *backend.Batch) { b.Offsets = b.Offsets[:1] },
		"order":     func(b *backend.Batch) { b.Offsets[1] = 100 },
		"Data":      func(b *backend.Batch) { b.Data = b.Data[1:] },
		"Tokens":    func(b *backend.Batch) { b.Tokens = b.Tokens[1:] },
		"Truncated": func(b *backend.Batch) { b.Truncated = []int{2} },
	} {
		c, err := New(&broken{Fake: backendtest.NewFake(fakeOptions), embed: spoil}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Embed(t.Context(), new(backend.Batch), []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "batch of") {
			t.Errorf("%s: error %v", name, err)
		}
	}

	// An error of the backend within is returned, and nothing is kept.
	o := fakeOptions
	o.FailAt = 1
	c, inner := open(t, Options{}, o)
	if err := c.Embed(t.Context(), new(backend.Batch), []string{"a"}); !errors.Is(err, backendtest.ErrFake) {
		t.Errorf("error %v, want %v", err, backendtest.ErrFake)
	}
	if embed(t, c, "a"); inner.Texts() != 1 {
		t.Errorf("asked for %d texts, want 1", inner.Texts())
	}
	if err := c.Embed(t.Context(), nil, []string{"a"}); err == nil {
		t.Error("no error without a batch")
	}

	b := &broken{Fake: fake, err: errors.New("can't close")}
	if c, err := New(b, Options{}); err != nil {
		t.Fatal(err)
	} else if err := c.Close(); !errors.Is(err, b.err) {
		t.Errorf("Close: error %v, want %v", err, b.err)
	} else if err := c.Close(); err != nil || b.closed != 1 {
		t.Errorf("the second Close: error %v, the backend was closed %d times", err, b.closed)
	}
}

// Texts and vectors that are kept are not those of callers, who may change them.
func TestOwnMemory(t *testing.T) {
	c, _ := open(t, Options{}, fakeOptions)
	want := embed(t, backendtest.NewFake(fakeOptions), "a b", "c")
	for range 2 {
		got := embed(t, c, "a b", "c")
		same(t, got, want, "batch")
		clear(got.Data)
		clear(got.Tokens)
	}
}

// Any sequence of calls gives what the backend within gives, whatever is kept.
func TestAnySequence(t *testing.T) {
	words := []string{"", "a", "b", "a b", "c d e", strings.Repeat("x ", 12), strings.Repeat("y ", 15), "ß"}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Bytes: rapid.Int64Range(1, 4000).Draw(t, "bytes")}
		if rapid.Bool().Draw(t, "folder") {
			o.Dir, o.DirBytes = dir, rapid.Int64Range(0, 2000).Draw(t, "folder bytes")
		}
		c, _ := open(t, o, fakeOptions)
		var dst backend.Batch
		for _, texts := range rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12), 1, 6).Draw(t, "calls") {
			if err := c.Embed(context.Background(), &dst, texts); err != nil {
				t.Fatal(err)
			}
			var want backend.Batch
			if err := backendtest.NewFake(fakeOptions).Embed(context.Background(), &want, texts); err != nil {
				t.Fatal(err)
			}
			same(t, &dst, &want, "batch")
		}
	})
}

// Goroutines that evict each other's texts, in memory and on disk, get their own.
func TestConcurrent(t *testing.T) {
	c, _ := open(t, Options{Bytes: 2000, Dir: t.TempDir(), DirBytes: 2000}, fakeOptions)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			var dst, want backend.Batch
			fake := backendtest.NewFake(fakeOptions)
			for i := range 30 {
				texts := []string{fmt.Sprint("text ", (i+w)%9), fmt.Sprint("text ", i%5), "text 0"}
				if err := errors.Join(c.Embed(t.Context(), &dst, texts), fake.Embed(t.Context(), &want, texts)); err != nil {
					t.Error(err)
					return
				}
				same(t, &dst, &want, "batch")
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzDecode checks that no file makes decode panic, and that what it reads can be
// written and read again.
func FuzzDecode(f *testing.F) {
	b := embed(f, backendtest.NewFake(fakeOptions), "some words")
	var k key
	e := &entry{"some words", b.Tokens, b.Data, true}
	f.Add(encoded(f, e, k, b.Dim))
	e.tokens = []mteval.Token{{Text: "odd", Start: -1, End: math.MaxInt, Weight: float32(math.NaN())}}
	e.data = e.data[:b.Dim]
	f.Add(encoded(f, e, k, b.Dim))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Without a sum that is right the fuzzer would never come far.
		data = withSum(data)
		got, err := decode(t.Context(), data, k, "some words", b.Dim)
		if err != nil {
			return
		}
		again, err := decode(t.Context(), encoded(t, got, k, b.Dim), k, "some words", b.Dim)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encoded(t, got, k, b.Dim), encoded(t, again, k, b.Dim)) {
			t.Errorf("read %+v, then %+v", got, again)
		}
	})
}

func encoded(t testing.TB, e *entry, k key, dim int) []byte {
	t.Helper()
	data, err := encode(t.Context(), e, k, dim)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func withSum(data []byte) []byte {
	data = data[:max(0, len(data)-sha256.Size)]
	sum := sha256.Sum256(data)
	return append(slices.Clone(data), sum[:]...)
}

package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home makes a cache folder, with nothing else in the environment that counts.
func home(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, v := range []string{"HF_HOME", "XDG_CACHE_HOME", "HF_ENDPOINT", "HF_TOKEN"} {
		t.Setenv(v, "")
	}
	t.Setenv("HF_HUB_CACHE", root)
	return root
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// has fails the test unless the error says all of the texts.
func has(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", texts)
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%v\nsays nothing of %q", err, s)
		}
	}
}

func TestFind(t *testing.T) {
	user := t.TempDir()
	for _, tt := range []struct {
		name, root string
		env        map[string]string
	}{
		{"HF_HUB_CACHE", "a", map[string]string{"HF_HUB_CACHE": "$/a", "HF_HOME": "$/b", "XDG_CACHE_HOME": "$/c"}},
		{"HF_HOME", "b/hub", map[string]string{"HF_HOME": "$/b", "XDG_CACHE_HOME": "$/c"}},
		{"XDG_CACHE_HOME", "c/huggingface/hub", map[string]string{"XDG_CACHE_HOME": "$/c"}},
		{"home", ".cache/huggingface/hub", nil},
		{"tilde", "d/hub", map[string]string{"HF_HOME": "~/d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home(t)
			t.Setenv("HF_HUB_CACHE", "")
			t.Setenv("HOME", user)
			t.Setenv("USERPROFILE", user)
			for k, v := range tt.env {
				t.Setenv(k, strings.ReplaceAll(v, "$", user))
			}
			for name, in := range map[string]string{"bert": "models--bert", "org/bert": "models--org--bert"} {
				model := filepath.Join(user, filepath.FromSlash(tt.root), in)
				want := filepath.Join(model, "snapshots", "c0ffee")
				write(t, filepath.Join(want, "config.json"), "{}")
				write(t, filepath.Join(model, "refs", "main"), "c0ffee\n")
				if got, err := Find(name); err != nil || got != want {
					t.Errorf("%s: %q, %v; want %q", name, got, err, want)
				}
				if err := os.RemoveAll(model); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestFindNot(t *testing.T) {
	root := home(t)
	model := filepath.Join(root, "models--org--bert")
	missing := func(path string) {
		t.Helper()
		_, err := Find("org/bert")
		has(t, err, "org/bert", path, "`mteval model get org/bert`")
		var e *NotFoundError
		if !errors.Is(err, ErrNotFound) || !errors.As(err, &e) || e.Path != path {
			t.Errorf("%#v", err)
		}
	}
	missing(model)
	write(t, filepath.Join(model, "blobs", "x"), "")
	missing(filepath.Join(model, "refs", "main"))
	write(t, filepath.Join(model, "refs", "main"), "c0ffee")
	missing(filepath.Join(model, "snapshots", "c0ffee"))
	write(t, filepath.Join(model, "refs", "main"), "../../../etc")
	_, err := Find("org/bert")
	has(t, err, "refs", "not a commit")
}

func TestResolve(t *testing.T) {
	root := home(t)
	dir := t.TempDir()
	if got, err := Resolve(dir); err != nil || got != dir {
		t.Errorf("%q, %v", got, err)
	}
	want := filepath.Join(root, "models--org--bert", "snapshots", "c0ffee")
	write(t, filepath.Join(want, "config.json"), "{}")
	write(t, filepath.Join(root, "models--org--bert", "refs", "main"), "c0ffee")
	if got, err := Resolve("org/bert"); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join("org", "bert"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Resolve("org/bert"); err != nil || got != "org/bert" {
		t.Errorf("a folder goes first: %q, %v", got, err)
	}
	if _, err := Resolve("org/other"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	_, err := Resolve("no/such/folder")
	has(t, err, "no/such/folder", "neither a folder")
}

func TestResolveLinks(t *testing.T) {
	root := home(t)
	t.Chdir(t.TempDir())
	write(t, filepath.Join(root, "models--broken", "refs", "main"), "c0ffee")
	write(t, filepath.Join(root, "models--broken", "snapshots", "c0ffee", "config.json"), "{}")
	if err := os.MkdirAll(filepath.Join("mine", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"l": "mine", "broken": "none", "a": "b", "b": "a", "self": "self", "to": "broken"} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip("links can't be made here: ", err)
		}
	}
	for _, dir := range []string{".", "./", "mine", "mine/", "mine/.", "l", "l/", "l/.", "l/sub/.."} {
		if got, err := Resolve(dir); err != nil || got != dir {
			t.Errorf("%q, %v", got, err)
		}
	}
	for dir, want := range map[string]string{
		"broken":     "broken is a link to none, which is not there",
		"broken/":    "broken is a link to none, which is not there",
		"broken/sub": "broken is a link to none, which is not there",
		"to":         "to is a link to broken, which is not there",
		"a":          "a is a link to b: ",
		"a/sub":      "a is a link to b: ",
		"self":       "self is a link to self: ",
		"l/none/sub": "neither a folder",
	} {
		_, err := Resolve(dir)
		has(t, err, dir, want)
	}
	// Get goes by names only.
	if _, err := Find("broken"); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	home(t)
	for _, name := range []string{"", "/", "a/", "/a", "..", "../a", "a/..", "a/b/c", `a\b`, `..\a`, "a--b", "a..b",
		"/etc", "C:", "C:/a", "a b", "a?b", "a%2fb", ".a", "a.", "a\x00", "ä", strings.Repeat("a", 201)} {
		if _, err := Find(name); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("Find(%q): %v", name, err)
		}
		if _, err := Get(t.Context(), name, Options{}); err == nil || !strings.Contains(err.Error(), "not a model's name") {
			t.Errorf("Get(%q): %v", name, err)
		}
	}
	for _, rev := range []string{"..", "../a", "a/../b", "/a", `a\b`, "a//b", ".", "a..b"} {
		if _, err := Get(t.Context(), "a", Options{Revision: rev}); err == nil || !strings.Contains(err.Error(), "not a revision's name") {
			t.Errorf("revision %q: %v", rev, err)
		}
	}
	for _, endpoint := range []string{"huggingface.co", "file:///a", "https://", "https://a?b"} {
		t.Setenv("HF_ENDPOINT", endpoint)
		_, err := Get(t.Context(), "a", Options{})
		has(t, err, "HF_ENDPOINT")
	}
}

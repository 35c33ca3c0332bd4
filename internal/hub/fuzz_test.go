package hub

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is accepted as a name is a path within its folder that every platform can have.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"main", "refs/pr/1", "../x", "con", "a/NUL.txt", "a..b", "a//b", "C:x", strings.Repeat("a", 256), "a--b", "org/model"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe := func(what, p string) {
			if !filepath.IsLocal(p) || strings.ContainsAny(p, "\\:\x00 ~\x1b") || filepath.ToSlash(filepath.Clean(p)) != p {
				t.Errorf("%s %q is accepted", what, s)
			}
			for part := range strings.SplitSeq(p, "/") {
				if len(part) > 255 || strings.HasSuffix(part, ".") {
					t.Errorf("%s %q is accepted", what, s)
				}
			}
		}
		if checkName(s) == nil {
			safe("name", s)
			safe("folder", filepath.Base(folder("root", s)))
		}
		if checkRevision(s) == nil {
			safe("revision", s)
		}
		if checkSegment(s) == nil && strings.Contains(s, "/") {
			t.Errorf("%q is accepted", s)
		}
	})
}

func FuzzContentRange(f *testing.F) {
	for _, s := range []string{"bytes 5-9/10", "bytes 5-9/*", "bytes */10", "bytes 5-/10", "5-9/10", "bytes 5-9223372036854775807/9223372036854775807"} {
		f.Add(s, int64(5), int64(10))
	}
	f.Fuzz(func(t *testing.T, told string, at, size int64) {
		resp := &http.Response{Header: http.Header{"Content-Range": {told}}, ContentLength: -1}
		if continues(resp, at, size) == nil && (at < 0 || size >= 0 && at >= size) {
			t.Errorf("%q at %d of %d is accepted", told, at, size)
		}
	})
}

func FuzzIndex(f *testing.F) {
	for _, s := range []string{`{"weight_map":{"a":"x.safetensors","b":"y.safetensors"}}`, `{"weight_map":{"a":"../x.safetensors"}}`, `{"weight_map":null}`, `[]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		path := filepath.Join(t.TempDir(), "model.safetensors.index.json")
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		g := &getter{listed: map[string]bool{"x.safetensors": true, "X.safetensors": true, "y.safetensors": true, "../x.safetensors": true, "con.safetensors": true}}
		names, err := g.shards(path)
		if (err == nil) != (len(names) > 0) {
			t.Errorf("%q, %v", names, err)
		}
		for _, n := range names {
			if n != "x.safetensors" && n != "X.safetensors" && n != "y.safetensors" {
				t.Errorf("%q is accepted", n)
			}
		}
	})
}

package hub

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mteval/mteval/internal/fetch"
)

const (
	commit = "0123456789abcdef0123456789abcdef01234567"
	token  = "hf_secret"
)

// A fake is a hub with one model, org/model, whose safetensors files are on another
// host.
type fake struct {
	t      *testing.T
	root   string
	files  map[string][]byte
	extra  []string // listed only
	etags  map[string]string
	hub    *httptest.Server
	cdn    *httptest.Server
	before func(w http.ResponseWriter, r *http.Request) (answered bool)

	mu   sync.Mutex
	log  []string // "GET hub /path range"
	auth map[string]bool
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, root: home(t), etags: make(map[string]string), auth: make(map[string]bool)}
	f.mu.Lock() // for who serves another process
	defer f.mu.Unlock()
	weights := make([]byte, 3<<20)
	for i := range weights {
		weights[i] = byte(i * i >> 7)
	}
	f.files = map[string][]byte{
		"config.json":           []byte(`{"model_type":"bert"}`),
		"tokenizer.json":        []byte(`{}`),
		"tokenizer_config.json": []byte(`{"do_lower_case":false}`),
		"vocab.txt":             []byte("[PAD]\n"),
		"README.md":             []byte("read me"),
		"model.safetensors":     weights,
	}
	f.extra = []string{"pytorch_model.bin", "onnx/model.onnx"}
	f.hub = httptest.NewServer(f.handler("hub"))
	f.cdn = httptest.NewServer(f.handler("cdn"))
	t.Cleanup(f.hub.Close)
	t.Cleanup(f.cdn.Close)
	t.Setenv("HF_ENDPOINT", f.hub.URL+"/")
	return f
}

func (f *fake) etag(name string) string {
	data := f.files[name]
	if e, ok := f.etags[name]; ok {
		return e
	}
	if strings.HasSuffix(name, ".safetensors") {
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)))
}

func (f *fake) blob(name string) string {
	return filepath.Join(f.root, "models--org--model", "blobs", f.etag(name))
}

func (f *fake) handler(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.log = append(f.log, strings.TrimSpace(r.Method+" "+host+" "+r.URL.EscapedPath()+" "+r.Header.Get("Range")))
		if a := r.Header.Get("Authorization"); a != "" {
			f.auth[host+" "+a] = true
		}
		before := f.before
		f.mu.Unlock()
		if before != nil && before(w, r) {
			return
		}
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		data, ok := f.files[name]
		switch {
		case host == "cdn" && r.URL.Query().Get("signature") != "":
			w.Header().Set("ETag", `"another"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		case strings.HasPrefix(r.URL.Path, "/api/models/org/model/revision/"):
			type sibling struct {
				Name string `json:"rfilename"`
			}
			var all []sibling
			for _, n := range append(slices.Sorted(maps.Keys(f.files)), f.extra...) {
				all = append(all, sibling{n})
			}
			json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": all, "tags": []string{"license:mit"}})
		case ok && r.URL.Path == "/org/model/resolve/"+commit+"/"+name && strings.HasSuffix(name, ".safetensors"):
			w.Header().Set("X-Repo-Commit", commit)
			w.Header().Set("X-Linked-Etag", `"`+f.etag(name)+`"`)
			w.Header().Set("X-Linked-Size", fmt.Sprint(len(data)))
			http.Redirect(w, r, f.cdn.URL+"/"+name+"?signature=x", http.StatusFound)
		case ok && r.URL.Path == "/org/model/resolve/"+commit+"/"+name:
			// As Hugging Face does for small files.
			http.Redirect(w, r, "/resolve-cache/"+name, http.StatusTemporaryRedirect)
		case ok && r.URL.Path == "/resolve-cache/"+name:
			w.Header().Set("X-Repo-Commit", commit)
			w.Header().Set("ETag", `W/"`+f.etag(name)+`"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		default:
			http.NotFound(w, r)
		}
	})
}

// get is Get without the waiting.
func (f *fake) get(o Options) (string, error) {
	o.wait = func(int) time.Duration { return time.Millisecond }
	return Get(f.t.Context(), "org/model", o)
}

// requests returns those that contain the text, and forgets all.
func (f *fake) requests(text string) (some []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.log {
		if strings.Contains(r, text) {
			some = append(some, r)
		}
	}
	f.log = nil
	return some
}

// complete checks the model on disk.
func (f *fake) complete(dir string, err error, names ...string) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	if got, err := Find("org/model"); err != nil || got != dir {
		f.t.Errorf("Find: %q, %v; want %q", got, err, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil || !bytes.Equal(data, f.files[e.Name()]) {
			f.t.Errorf("%s: %d bytes, %v; want %d", e.Name(), len(data), err, len(f.files[e.Name()]))
		}
	}
	names = slices.Sorted(slices.Values(names))
	if !slices.Equal(got, names) {
		f.t.Errorf("files %q, want %q", got, names)
	}
	if left, _ := filepath.Glob(filepath.Join(f.root, "*", "*", "*.incomplete")); left != nil {
		f.t.Errorf("left: %q", left)
	}
}

var whole = []string{"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"}

func TestGet(t *testing.T) {
	f := newFake(t)
	t.Setenv("HF_TOKEN", token)
	var done, total int64
	progress := func(d, all int64) {
		if d < done || total != 0 && all != total || d > all {
			t.Errorf("progress %d of %d after %d of %d", d, all, done, total)
		}
		done, total = d, all
	}
	dir, err := f.get(Options{Progress: progress})
	f.complete(dir, err, whole...)
	if want := filepath.Join(f.root, "models--org--model", "snapshots", commit); dir != want {
		t.Errorf("%s, want %s", dir, want)
	}
	var want int64
	for _, n := range whole {
		want += int64(len(f.files[n]))
		if target, err := os.Readlink(filepath.Join(dir, n)); err != nil || target != filepath.Join("..", "..", "blobs", f.etag(n)) {
			t.Errorf("%s: link to %q, %v", n, target, err)
		}
	}
	if done != want || total != want {
		t.Errorf("progress ended with %d of %d, want %d", done, total, want)
	}
	// The token went to the hub and nowhere else.
	if want := map[string]bool{"hub Bearer " + token: true}; !maps.Equal(f.auth, want) {
		t.Errorf("authorization %v", f.auth)
	}
	if r := f.requests("cdn"); len(r) != 1 {
		t.Errorf("%q", r)
	}

	// All is there; only sizes and hashes are asked for.
	done, total = 0, 0
	dir, err = f.get(Options{Progress: progress})
	f.complete(dir, err, whole...)
	if done != want || total != want {
		t.Errorf("progress ended with %d of %d, want %d", done, total, want)
	}
	if r := f.requests("GET"); len(r) != 1 || !strings.Contains(r[0], "/api/") {
		t.Errorf("downloaded again: %q", r)
	}

	// A blob that was damaged since, and a link that was lost.
	write(t, f.blob("config.json"), "broken")
	if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	dir, err = f.get(Options{})
	f.complete(dir, err, whole...)
	if r := f.requests("GET hub /org"); len(r) != 1 || !strings.Contains(r[0], "config.json") {
		t.Errorf("downloaded again: %q", r)
	}
}

func TestGetRevision(t *testing.T) {
	f := newFake(t)
	dir, err := f.get(Options{Revision: "refs/pr/1", Client: f.hub.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if r := f.requests("/api/models/org/model/revision/refs%2Fpr%2F1"); len(r) != 1 {
		t.Errorf("%q", r)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "..", "..", "refs", "refs", "pr", "1")); err != nil || string(data) != commit {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Find("org/model"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	// A commit needs no record.
	if _, err := f.get(Options{Revision: commit}); err != nil {
		t.Fatal(err)
	}
	if e, _ := os.ReadDir(filepath.Join(dir, "..", "..", "refs")); len(e) != 1 {
		t.Errorf("%v", e)
	}
}

func TestGetVocab(t *testing.T) {
	f := newFake(t)
	delete(f.files, "tokenizer.json")
	delete(f.files, "tokenizer_config.json")
	f.files["special_tokens_map.json"] = []byte("{ }")
	dir, err := f.get(Options{})
	f.complete(dir, err, "config.json", "vocab.txt", "special_tokens_map.json", "model.safetensors")
}

// Microsoft's models of DeBERTa have neither tokenizer.json nor safetensors files.
func TestGetDeberta(t *testing.T) {
	for _, pieces := range [][]string{{"spm.model"}, {"vocab.json", "merges.txt"}} {
		for _, weights := range [][]string{{"pytorch_model.bin"}, {"pytorch_model.bin.index.json", "part-1.bin", "part-2.bin"}} {
			f := newFake(t)
			f.extra = nil
			for _, n := range []string{"tokenizer.json", "vocab.txt", "model.safetensors"} {
				delete(f.files, n)
			}
			names := slices.Concat([]string{"config.json", "tokenizer_config.json", "added_tokens.json"}, pieces, weights)
			for _, n := range names[2:] {
				f.files[n] = []byte(`{"weight_map":{"a":"part-1.bin","b":"part-2.bin"}}`)
			}
			dir, err := f.get(Options{})
			f.complete(dir, err, names...)
		}
	}
	f := newFake(t)
	f.extra = nil
	for _, n := range []string{"tokenizer.json", "vocab.txt"} {
		delete(f.files, n)
	}
	f.files["vocab.json"] = []byte("{}")
	_, err := f.get(Options{})
	has(t, err, "org/model", "vocab.json and merges.txt")
}

func TestGetLacking(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"config.json", "no config.json"},
		{"tokenizer.json", "neither tokenizer.json nor vocab.txt"},
		{"model.safetensors", "has no weights: neither model.safetensors nor pytorch_model.bin"},
	} {
		f := newFake(t)
		f.extra = nil
		delete(f.files, "vocab.txt")
		delete(f.files, tt.name)
		_, err := f.get(Options{})
		has(t, err, "org/model", tt.want)
	}
}

func TestGetCopies(t *testing.T) {
	f := newFake(t)
	o := Options{symlink: func(string, string) error { return errors.New("not permitted") }}
	dir, err := f.get(o)
	f.complete(dir, err, whole...)
	if info, err := os.Lstat(filepath.Join(dir, "config.json")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v, %v", info, err)
	}
	// Without their blobs the copies still count.
	if err := os.RemoveAll(filepath.Join(dir, "..", "..", "blobs")); err != nil {
		t.Fatal(err)
	}
	f.requests("")
	dir, err = f.get(o)
	f.complete(dir, err, whole...)
	if r := f.requests("cdn"); r != nil {
		t.Errorf("downloaded again: %q", r)
	}
}

// cut lets the weights break off after n bytes of each answer, times times.
func (f *fake) cut(n int64, times int) {
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Host != strings.TrimPrefix(f.cdn.URL, "http://") || times == 0 {
			return false
		}
		times--
		data := f.files["model.safetensors"]
		var at int64
		if s := r.Header.Get("Range"); s != "" {
			fmt.Sscanf(s, "bytes=%d-", &at)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(data)-1, len(data)))
		}
		w.Header().Set("Content-Length", fmt.Sprint(int64(len(data))-at))
		if at > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		w.Write(data[at : at+n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestGetCut(t *testing.T) {
	f := newFake(t)
	// More cuts than tries: each got further.
	f.cut(200_000, 10)
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	r := f.requests("GET cdn")
	if len(r) != 11 || r[10] != "GET cdn /model.safetensors bytes=2000000-" {
		t.Errorf("%q", r)
	}
}

func TestGetResume(t *testing.T) {
	f := newFake(t)
	data := f.files["model.safetensors"]
	for _, tt := range []struct {
		name   string
		part   []byte
		before func(w http.ResponseWriter, r *http.Request) bool
		want   []string
	}{
		{"half", data[:1<<20], nil, []string{" bytes=1048576-"}},
		{"all", data, nil, nil},
		{"too much", append(slices.Clone(data), 1), nil, []string{""}},
		{"no ranges", data[:1<<20], func(w http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("Range")
			return false
		}, []string{" bytes=1048576-"}},
		{"wrong range", data[:1<<20], func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Range") != "" && r.URL.RawQuery != "" {
				w.Header().Set("Content-Range", "bytes 5-9/10")
				w.WriteHeader(http.StatusPartialContent)
				return true
			}
			return false
		}, []string{" bytes=1048576-", ""}},
		{"416", data[:1<<20], func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Range") != "" && r.URL.RawQuery != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return true
			}
			return false
		}, []string{" bytes=1048576-", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(f.root, "models--org--model")); err != nil {
				t.Fatal(err)
			}
			f.requests("")
			f.before = tt.before
			write(t, f.blob("model.safetensors")+".incomplete", string(tt.part))
			dir, err := f.get(Options{})
			f.complete(dir, err, whole...)
			var want []string
			for _, r := range tt.want {
				want = append(want, "GET cdn /model.safetensors"+r)
			}
			if r := f.requests("GET cdn"); !slices.Equal(r, want) {
				t.Errorf("%q, want %q", r, want)
			}
		})
	}
}

func TestGetMismatch(t *testing.T) {
	wrong := strings.Repeat("ab", 32)
	for _, tt := range []struct {
		name, file string
		change     func(f *fake)
		want       []string
	}{
		{"SHA-256", "model.safetensors", func(f *fake) { f.etags["model.safetensors"] = wrong },
			[]string{wrong, "SHA-256"}},
		{"SHA-1", "config.json", func(f *fake) { f.etags["config.json"] = wrong[:40] },
			[]string{wrong[:40], "SHA-1"}},
		{"resumed", "model.safetensors", func(f *fake) {
			write(f.t, f.blob("model.safetensors")+".incomplete", "something else")
		}, []string{"SHA-256"}},
		{"short", "model.safetensors", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.RawQuery != "" {
					w.Write([]byte("short"))
					return true
				}
				return false
			}
		}, []string{"5 bytes", "3145728"}},
		{"long", "model.safetensors", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.RawQuery != "" {
					w.Write(f.files["model.safetensors"])
					w.Write([]byte("more"))
					return true
				}
				return false
			}
		}, []string{"more than 3145728"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			right := f.etag(tt.file)
			tt.change(f)
			_, err := f.get(Options{})
			has(t, err, append(tt.want, "org/model", tt.file, "deleted")...)
			if tt.name == "SHA-256" || tt.name == "SHA-1" {
				has(t, err, right)
			}
			if !errors.Is(err, ErrMismatch) {
				t.Errorf("%v is not ErrMismatch", err)
			}
			for _, path := range []string{f.blob(tt.file), f.blob(tt.file) + ".incomplete"} {
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s: %v", path, err)
				}
			}
			if _, err := Find("org/model"); !errors.Is(err, ErrNotFound) {
				t.Error(err)
			}
		})
	}
}

func TestGetRefused(t *testing.T) {
	for _, tt := range []struct {
		name, token, at, code string
		status, requests      int
		is                    error
		want                  []string
	}{
		{"401", "", "/api/", "", 401, 1, ErrToken, []string{"401", "HF_TOKEN", "no such model"}},
		{"401 token", token, "/api/", "", 401, 1, ErrToken, []string{"401", "HF_TOKEN's token"}},
		{"gated", "", "config.json", "GatedRepo", 403, 2, ErrToken, []string{"config.json", "403", "HF_TOKEN"}},
		{"404", "", "/api/", "RepoNotFound", 404, 1, ErrNoModel, []string{"no such model"}},
		{"revision", "", "/api/", "RevisionNotFound", 404, 1, ErrNoModel, []string{"no revision main"}},
		{"file", "", "config.json", "", 404, 2, nil, []string{"config.json", "404"}},
		{"500", "", "/api/", "", 500, fetch.Tries, nil, []string{"500", "tried 5 times"}},
		{"429", "", "config.json", "", 429, fetch.Tries + 1, nil, []string{"429", "tried 5 times"}},
		{"signature", "", "signature", "", 403, 0, nil, []string{"model.safetensors", "403"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			t.Setenv("HF_TOKEN", tt.token)
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.String(), tt.at) {
					return false
				}
				w.Header().Set("X-Error-Code", tt.code)
				w.WriteHeader(tt.status)
				return true
			}
			_, err := f.get(Options{})
			has(t, err, append(tt.want, "org/model")...)
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "signature") {
				t.Errorf("tells a secret: %v", err)
			}
			if r := f.requests(""); tt.requests > 0 && len(r) != tt.requests {
				t.Errorf("%d requests, want %d: %q", len(r), tt.requests, r)
			}
		})
	}
}

func TestGetRetry(t *testing.T) {
	f := newFake(t)
	seen := make(map[string]int)
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		key := r.Method + r.URL.Path
		f.mu.Lock()
		defer f.mu.Unlock()
		seen[key]++
		switch seen[key] {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		case 2:
			panic(http.ErrAbortHandler)
		}
		return false
	}
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
}

func TestGetNoServer(t *testing.T) {
	f := newFake(t)
	f.hub.Close()
	_, err := f.get(Options{})
	has(t, err, "tried 5 times", strings.TrimPrefix(f.hub.URL, "http://"))
}

func TestGetCancelled(t *testing.T) {
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	data := f.files["model.safetensors"]
	stop := make(chan struct{})
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.RawQuery == "" {
			return false
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data[:1<<20])
		w.(http.Flusher).Flush()
		select { // the rest never comes
		case <-stop:
		case <-r.Context().Done():
		}
		return true
	}
	defer close(stop)
	small := int64(0)
	for _, n := range whole[:3] {
		small += int64(len(f.files[n]))
	}
	start := time.Now()
	_, err := Get(ctx, "org/model", Options{Progress: func(done, _ int64) {
		if done == small+1<<20 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("stopped after %v", d)
	}
	if part, err := os.ReadFile(f.blob("model.safetensors") + ".incomplete"); err != nil || !bytes.Equal(part, data[:1<<20]) {
		t.Errorf("%d bytes, %v", len(part), err)
	}
	if _, err := Find("org/model"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	f.before = nil
	f.requests("")
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	if r := f.requests("cdn"); len(r) != 1 || r[0] != "GET cdn /model.safetensors bytes=1048576-" {
		t.Errorf("%q", r)
	}

	// While waiting for the next try.
	ctx, cancel = context.WithCancel(t.Context())
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	_, err = Get(ctx, "org/model", Options{wait: func(int) time.Duration {
		cancel()
		return time.Hour
	}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func (f *fake) shard(index string) {
	delete(f.files, "model.safetensors")
	f.files["model.safetensors.index.json"] = []byte(index)
	f.files["model-00001-of-00002.safetensors"] = []byte("one")
	f.files["model-00002-of-00002.safetensors"] = []byte("and two")
}

func TestGetSharded(t *testing.T) {
	f := newFake(t)
	f.shard(`{"metadata":{"total_size":10},"weight_map":{"a":"model-00002-of-00002.safetensors",
		"b":"model-00001-of-00002.safetensors","c":"model-00002-of-00002.safetensors"}}`)
	var done, total int64
	dir, err := f.get(Options{Progress: func(d, all int64) { done, total = d, all }})
	names := append(whole[:3:3], "model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
	f.complete(dir, err, names...)
	var want int64
	for _, n := range names {
		want += int64(len(f.files[n]))
	}
	if done != want || total != want {
		t.Errorf("progress ended with %d of %d, want %d", done, total, want)
	}
}

func TestGetShardedWrong(t *testing.T) {
	for index, want := range map[string]string{
		`{`:                                     "index.json",
		`{}`:                                    "names no file",
		`{"weight_map":{"a":"../x"}}`:           "refused",
		`{"weight_map":{"a":"/x.safetensors"}}`: "refused",
		`{"weight_map":{"a":"x\\y.safetensors"}}`: "refused",
		`{"weight_map":{"a":"config.json"}}`:      "refused",
		`{"weight_map":{"a":"z.safetensors"}}`:    "no file z.safetensors",
	} {
		f := newFake(t)
		f.shard(index)
		_, err := f.get(Options{})
		has(t, err, "index.json", want)
	}
}

func TestGetHostile(t *testing.T) {
	for _, name := range []string{"../x", "a/../../x", "/etc/x", `a\b`, `..\x`, "C:x", "", "a//b", "./x", "a\x00"} {
		f := newFake(t)
		f.extra = []string{name}
		_, err := f.get(Options{})
		has(t, err, "refused")
		if r := f.requests(""); len(r) != 1 {
			t.Errorf("%q: %q", name, r)
		}
	}
	for _, etag := range []string{"../../x", `a\b`, "a.incomplete", "", "a b", strings.Repeat("a", 200)} {
		f := newFake(t)
		f.etags["model.safetensors"] = etag
		_, err := f.get(Options{})
		if etag == "" {
			// The other host's is taken where the hub tells none.
			if err != nil {
				t.Error(err)
			}
			continue
		}
		has(t, err, "model.safetensors", "no usable etag")
	}
	for _, answer := range []string{`{"sha":"../../x"}`, `{}`, `[]`, `<html>`} {
		f := newFake(t)
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			io.WriteString(w, answer)
			return true
		}
		if _, err := f.get(Options{}); err == nil {
			t.Errorf("%s: no error", answer)
		}
	}
}

func TestGetRedirects(t *testing.T) {
	f := newFake(t)
	// A model that was renamed.
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		rest, ok := strings.CutPrefix(r.URL.Path, "/api/models/old/")
		if ok {
			http.Redirect(w, r, "/api/models/org/model/"+rest, http.StatusTemporaryRedirect)
			return true
		}
		rest, ok = strings.CutPrefix(r.URL.Path, "/old/")
		if ok {
			http.Redirect(w, r, "/org/model/"+rest, http.StatusTemporaryRedirect)
		}
		return ok
	}
	if dir, err := Get(t.Context(), "old", Options{}); err != nil || !strings.Contains(dir, "models--old") {
		t.Errorf("%q, %v", dir, err)
	}
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
		return true
	}
	_, err := f.get(Options{})
	has(t, err, "more than 10 redirects")

	// No way back from https.
	s := httptest.NewTLSServer(http.RedirectHandler(f.hub.URL, http.StatusFound))
	defer s.Close()
	t.Setenv("HF_ENDPOINT", s.URL)
	_, err = f.get(Options{Client: s.Client()})
	has(t, err, "from https to http")
	// Nor a second try with a certificate that is not known.
	_, err = f.get(Options{})
	has(t, err, "certificate")
	if strings.Contains(err.Error(), "tried") {
		t.Error(err)
	}
}

func TestGetOtherEtag(t *testing.T) {
	f := newFake(t)
	f.etags["model.safetensors"] = "5d41402abc4b2a76b9719d911017c592-7"
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
}

// Two at once don't write into one file.
func TestGetTwice(t *testing.T) {
	f := newFake(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := f.get(Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	if r := f.requests("GET cdn"); len(r) != 1 {
		t.Errorf("%q", r)
	}
}

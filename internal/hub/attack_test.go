package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mteval/mteval/internal/fetch"
	"github.com/mteval/mteval/internal/filelock"
)

// once is get where a second try is an error: what is tested will not pass.
func (f *fake) once(o Options) (string, error) {
	f.t.Helper()
	o.Note = func(text string) { f.t.Errorf("waited: %s", text) }
	return f.get(o)
}

// symlink makes a link and whatever folders it needs.
func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("links can't be made here: ", err)
	}
}

// unchanged fails the test unless the file has the text still.
func unchanged(t *testing.T, path, want string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%s: %.80q, %v; want %q", path, data, err, want)
	}
}

// etagsAre gives all files one etag.
func (f *fake) etagsAre(etag string) {
	for n := range f.files {
		f.etags[n] = etag
	}
}

func TestGetOneEtag(t *testing.T) {
	for _, etag := range []string{"x", "etag-of-all", "d41d8cd98f00b204e9800998ecf8427e", "5d41402abc4b2a76b9719d911017c592-7", strings.Repeat("0", 39)} {
		t.Run(etag, func(t *testing.T) {
			f := newFake(t)
			f.etagsAre(etag)
			// Same sizes, so that nothing but the content differs.
			f.files["config.json"] = []byte(`{"a":"b"}`)
			f.files["tokenizer.json"] = []byte(`{"c":"d"}`)
			dir, err := f.get(Options{})
			f.complete(dir, err, whole...)
			f.requests("")
			dir, err = f.get(Options{})
			f.complete(dir, err, whole...)
			if r := f.requests("GET"); len(r) != 1 {
				t.Errorf("downloaded again: %q", r)
			}

			// Damage is found by the content, though the server has no hash.
			blob, err := filepath.EvalSymlinks(filepath.Join(dir, "config.json"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, blob, `{"a":"B"}`)
			dir, err = f.get(Options{})
			f.complete(dir, err, whole...)
			if r := f.requests("GET hub /org"); len(r) != 1 || !strings.Contains(r[0], "config.json") {
				t.Errorf("downloaded again: %q", r)
			}

			// As versions before this one left it, and as a link to the other file's
			// blob has it.
			other, err := os.Readlink(filepath.Join(dir, "tokenizer.json"))
			if err != nil {
				t.Fatal(err)
			}
			old := filepath.Join(dir, "..", "..", "blobs", etag)
			write(t, old, string(f.files["tokenizer.json"]))
			for _, target := range []string{filepath.Join("..", "..", "blobs", etag), other} {
				symlink(t, target, filepath.Join(dir, "config.json"))
				dir, err = f.get(Options{})
				f.complete(dir, err, whole...)
			}
		})
	}
}

// Another commit's file under the same etag is another file.
func TestGetOneEtagCommits(t *testing.T) {
	f := newFake(t)
	f.etagsAre("x")
	const next = "fedcba9876543210fedcba9876543210fedcba98"
	first, err := f.get(Options{})
	f.complete(first, err, whole...)
	was := string(f.files["config.json"])
	f.files["config.json"] = bytes.ToUpper(f.files["config.json"])
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		switch {
		case strings.Contains(r.URL.Path, "/api/"):
			fmt.Fprintf(w, `{"sha":%q,"siblings":[{"rfilename":"config.json"},{"rfilename":"tokenizer.json"},
				{"rfilename":"tokenizer_config.json"},{"rfilename":"model.safetensors"}]}`, next)
		case strings.Contains(r.URL.Path, next):
			w.Header().Set("ETag", `"x"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.files[name]))
		default:
			return false
		}
		return true
	}
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	if filepath.Base(dir) != next {
		t.Error(dir)
	}
	unchanged(t, filepath.Join(first, "config.json"), was)
}

func TestGetOneEtagCopies(t *testing.T) {
	f := newFake(t)
	f.etagsAre("x")
	o := Options{symlink: func(string, string) error { return errors.New("not permitted") }}
	for _, change := range []func(dir string){
		func(string) {},
		func(dir string) { write(t, filepath.Join(dir, "config.json"), `{"model_type":"BERT"}`) },
		func(dir string) { write(t, filepath.Join(dir, "config.json"), string(f.files["tokenizer.json"])) },
		func(dir string) { os.RemoveAll(filepath.Join(dir, "..", "..", "blobs")) },
	} {
		dir, err := f.get(o)
		f.complete(dir, err, whole...)
		change(dir)
		dir, err = f.get(o)
		f.complete(dir, err, whole...)
	}
	f.requests("")
	dir, err := f.get(o)
	f.complete(dir, err, whole...)
	if r := f.requests("GET"); len(r) != 1 {
		t.Errorf("downloaded again: %q", r)
	}
}

// What is left of an unhashed file is not continued: nothing would tell that it is wrong.
func TestGetOtherEtagResume(t *testing.T) {
	f := newFake(t)
	f.etags["model.safetensors"] = "x"
	m := meta{name: "model.safetensors", commit: commit, etag: "x"}
	part := filepath.Join(f.root, "models--org--model", "blobs", m.key()+".incomplete")
	write(t, part, strings.Repeat("\x00", 1<<20))
	// Within one Get it is.
	f.cut(200_000, 3)
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	if r := f.requests("GET cdn"); len(r) != 4 || r[0] != "GET cdn /model.safetensors" || r[3] != "GET cdn /model.safetensors bytes=600000-" {
		t.Errorf("%q", r)
	}
}

// A link or another kind of file planted in the cache is neither written through nor
// believed.
func TestGetPlanted(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	for _, tt := range []struct {
		name string
		at   func(f *fake) string
	}{
		{"incomplete", func(f *fake) string { return f.blob("config.json") + ".incomplete" }},
		{"incomplete weights", func(f *fake) string { return f.blob("model.safetensors") + ".incomplete" }},
		{"blob", func(f *fake) string { return f.blob("config.json") }},
		{"lock", func(f *fake) string {
			return filepath.Join(f.root, ".locks", "models--org--model", f.etag("config.json")+".lock")
		}},
		{"ref", func(f *fake) string { return filepath.Join(f.root, "models--org--model", "refs", "main") }},
		{"snapshot", func(f *fake) string {
			return filepath.Join(f.root, "models--org--model", "snapshots", commit, "config.json")
		}},
	} {
		for _, kind := range []string{"link", "link to nothing", "link to itself", "hard link", "folder"} {
			t.Run(tt.name+" "+kind, func(t *testing.T) {
				f := newFake(t)
				path := tt.at(f)
				write(t, victim, "keep me")
				nothing := filepath.Join(outside, "nothing")
				switch kind {
				case "link":
					symlink(t, victim, path)
				case "link to nothing":
					symlink(t, nothing, path)
				case "link to itself":
					symlink(t, filepath.Base(path), path)
				case "hard link":
					symlink(t, victim, path)
					if err := errors.Join(os.Remove(path), os.Link(victim, path)); err != nil {
						t.Skip("no hard links here: ", err)
					}
				case "folder":
					write(t, filepath.Join(path, "file"), "keep me")
				}
				dir, err := f.get(Options{})
				if kind == "folder" {
					if err == nil {
						t.Error("no error")
					}
					unchanged(t, filepath.Join(path, "file"), "keep me")
					return
				}
				f.complete(dir, err, whole...)
				unchanged(t, victim, "keep me")
				if _, err := os.Lstat(nothing); err == nil {
					t.Error("a file was made outside")
				}
				if info, err := os.Lstat(path); tt.name != "snapshot" && err == nil && !info.Mode().IsRegular() {
					t.Errorf("%v is left", info.Mode())
				}
			})
		}
	}
}

// A snapshot's link out of the cache is not believed even where what it leads to is right
// today; what the cache has is not downloaded again for it.
func TestGetOutsideLink(t *testing.T) {
	f := newFake(t)
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	f.requests("")
	copied := filepath.Join(t.TempDir(), f.etag("config.json"))
	write(t, copied, string(f.files["config.json"]))
	symlink(t, copied, filepath.Join(dir, "config.json"))
	dir, err = f.get(Options{})
	f.complete(dir, err, whole...)
	if target, err := os.Readlink(filepath.Join(dir, "config.json")); err != nil || target != filepath.Join("..", "..", "blobs", f.etag("config.json")) {
		t.Errorf("link to %q, %v", target, err)
	}
	if r := f.requests("GET"); len(r) != 1 {
		t.Errorf("downloaded again: %q", r)
	}
}

// endless answers without end and without a length.
func endless(w http.ResponseWriter, r *http.Request) {
	block := bytes.Repeat([]byte(" "), 1<<16)
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestGetEndless(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(f *fake)
		want   []string
	}{
		{"list", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool { endless(w, r); return true }
		}, []string{"list of files", fmt.Sprint(maxList)}},
		{"announced", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/config.json") {
					return false
				}
				endless(w, r)
				return true
			}
		}, []string{"config.json", "more than 21 bytes", "deleted"}},
		{"not announced", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "/config.json") {
					return false
				}
				w.Header().Set("ETag", `"x"`)
				if w.(http.Flusher).Flush(); r.Method == http.MethodGet {
					endless(w, r)
				}
				return true
			}
		}, []string{"config.json", fmt.Sprint(maxJSON), "deleted"}},
		{"too large", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "/config.json") {
					return false
				}
				w.Header().Set("ETag", `"x"`)
				w.Header().Set("X-Linked-Size", "9223372036854775807")
				return true
			}
		}, []string{"config.json", "9223372036854775807", fmt.Sprint(maxJSON)}},
		{"weights too large", func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodHead && strings.HasSuffix(r.URL.Path, ".safetensors") {
					w.Header().Set("ETag", `"x"`)
					w.Header().Set("Content-Length", "4611686018427387904")
					return true
				}
				return false
			}
		}, []string{"model.safetensors", "4611686018427387904"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.change(f)
			_, err := f.once(Options{})
			has(t, err, tt.want...)
			if left, _ := filepath.Glob(filepath.Join(f.root, "models--org--model", "blobs", "*")); left != nil {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// A length that is not told is no fault in itself.
func TestGetNoLength(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		data, ok := f.files[name]
		if !ok || strings.Contains(r.URL.Path, "/api/") {
			return false
		}
		w.Header().Set("ETag", `"x"`)
		if w.(http.Flusher).Flush(); r.Method == http.MethodGet {
			w.Write(data)
		}
		return true
	}
	dir, err := f.once(Options{})
	f.complete(dir, err, whole...)
}

func TestGetPermanent(t *testing.T) {
	for status, again := range map[int]bool{
		400: false, 401: false, 402: false, 403: false, 404: false, 405: false, 410: false, 418: false, 451: false, 501: false, 505: false,
		204: false, 206: false, 300: false, 304: false,
		408: true, 429: true, 500: true, 502: true, 503: true, 504: true, 599: true,
	} {
		for _, at := range []string{"/api/", "HEAD config.json", "GET config.json", "signature"} {
			t.Run(fmt.Sprint(status, at), func(t *testing.T) {
				f := newFake(t)
				method, part, ok := strings.Cut(at, " ")
				if !ok {
					method, part = "", at
				}
				f.before = func(w http.ResponseWriter, r *http.Request) bool {
					if !strings.Contains(r.URL.String(), part) || method != "" && r.Method != method {
						return false
					}
					w.WriteHeader(status)
					return true
				}
				notes := 0
				_, err := f.get(Options{Note: func(string) { notes++ }})
				if status == 206 && part != "/api/" && method != "HEAD" {
					has(t, err, "when asked for what follows byte 0")
				} else {
					has(t, err, map[bool]string{true: "no such model", false: fmt.Sprint(status, " ", http.StatusText(status))}[status == 404 && part == "/api/"])
				}
				if want := map[bool]int{true: fetch.Tries - 1}[again]; notes != want {
					t.Errorf("%d notes, want %d: %v", notes, want, err)
				}
			})
		}
	}
}

// What the connection itself tells for good.
func TestGetPermanentConnection(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := func(c *tls.Config) *httptest.Server {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.TLS = c
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	old := secure(&tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	mutual := secure(&tls.Config{ClientAuth: tls.RequireAnyClientCert})
	unknown := secure(nil)
	ssh, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ssh.Close()
	go func() {
		for {
			c, err := ssh.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.Read(make([]byte, 1<<10))
				io.WriteString(c, "SSH-2.0-none\r\n")
			}()
		}
	}()
	for _, tt := range []struct {
		name, endpoint, token string
		client                *http.Client
		want                  string
	}{
		{name: "HTTP in place of HTTPS", endpoint: "https://" + plain.Listener.Addr().String(), want: "HTTP response to HTTPS client"},
		{name: "old TLS", endpoint: old.URL, client: old.Client(), want: "protocol version"},
		{name: "client's certificate", endpoint: mutual.URL, client: mutual.Client(), want: "certificate required"},
		{name: "unknown certificate", endpoint: unknown.URL, want: "certificate"},
		{name: "not HTTP", endpoint: "http://" + ssh.Addr().String(), want: "SSH-2.0"},
		{name: "neither TLS", endpoint: "https://" + ssh.Addr().String(), want: "TLS"},
		{name: "no such host", endpoint: "https://mteval.invalid", client: &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "mteval.invalid", IsNotFound: true}}
			}}}, want: "no such host"},
		{name: "token", endpoint: plain.URL, token: "hf_a\nb", want: "HF_TOKEN has characters"},
		{name: "endpoint without host", endpoint: "http://:80", want: "HF_ENDPOINT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			t.Setenv("HF_ENDPOINT", tt.endpoint)
			t.Setenv("HF_TOKEN", tt.token)
			_, err := f.once(Options{Client: tt.client})
			has(t, err, tt.want)
			if tt.token != "" && strings.Contains(err.Error(), "hf_a") {
				t.Errorf("tells a secret: %v", err)
			}
		})
	}
}

func TestGetProxy(t *testing.T) {
	for status, again := range map[int]bool{403: false, 407: false, 503: true} {
		f := newFake(t)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }))
		defer proxy.Close()
		g, err := newGetter(f.root, "org/model", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer g.client.Close()
		tr := g.client.HTTP.Transport.(*http.Transport)
		tr.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
		g.endpoint = &url.URL{Scheme: "https", Host: "hub.invalid"}
		g.wait = func(int) time.Duration { return time.Millisecond }
		notes := 0
		g.Note = func(string) { notes++ }
		err = g.run(t.Context())
		has(t, err, http.StatusText(status))
		if (notes > 0) != again {
			t.Errorf("%d: %d notes", status, notes)
		}
	}
}

func TestGetRedirectsWrong(t *testing.T) {
	for location, want := range map[string]string{
		"":                     "redirect to nowhere",
		"ftp://a/b":            "redirect to nowhere",
		"file:///etc/passwd":   "redirect to nowhere",
		"javascript:alert(1)":  "redirect to nowhere",
		"http:///x":            "redirect to nowhere",
		"http://[::1":          "redirect to nowhere",
		"//%zz/":               "redirect to nowhere",
		"/api/models/again?%d": "more than 10 redirects",
	} {
		f := newFake(t)
		n := 0
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			n++
			to := location
			if strings.Contains(to, "%d") {
				to = fmt.Sprintf(to, n)
			}
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return true
		}
		_, err := f.once(Options{})
		has(t, err, want)
	}
}

// The token stays with the hub: not to another host, another port, or the hub's name
// within another's.
func TestGetTokenElsewhere(t *testing.T) {
	f := newFake(t)
	t.Setenv("HF_TOKEN", token)
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		hub := strings.TrimPrefix(f.hub.URL, "http://")
		if r.Host != hub {
			return false
		}
		if strings.Contains(r.URL.Path, "/api/") {
			http.Redirect(w, r, "http://"+strings.TrimPrefix(f.cdn.URL, "http://")+r.URL.Path, http.StatusFound)
			return true
		}
		if strings.HasSuffix(r.URL.Path, "/config.json") {
			// With the hub's name as a user's.
			http.Redirect(w, r, "http://"+"127.0.0.1@"+strings.TrimPrefix(f.cdn.URL, "http://")+"/resolve-cache/config.json", http.StatusFound)
			return true
		}
		return false
	}
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	for a := range f.auth {
		if !strings.HasPrefix(a, "hub ") && strings.Contains(a, token) {
			t.Errorf("the token went to %s", a)
		}
	}
}

func TestGetCompressed(t *testing.T) {
	for _, at := range []string{"/api/", "HEAD", "GET /config.json"} {
		f := newFake(t)
		f.etagsAre("x")
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.Method+" "+r.URL.Path, "GET /resolve-cache/config.json") && strings.HasPrefix(at, "GET") ||
				at == "HEAD" && r.Method == "HEAD" || strings.Contains(r.URL.Path, at) {
				w.Header().Set("Content-Encoding", "gzip")
			}
			return false
		}
		_, err := f.once(Options{})
		has(t, err, "compressed form", "gzip")
		if _, err := Find("org/model"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestGetRanges(t *testing.T) {
	f := newFake(t)
	data := f.files["model.safetensors"]
	const at = 1 << 20
	size := len(data)
	for _, told := range []string{
		"", "bytes", "bytes */3145728", "bytes 0-3145727/3145728", "bytes 1048577-3145727/3145728", "bytes 1048576-3145727/3145729",
		"bytes 1048576-3145728/3145728", "bytes 1048576-3145727/9", "bytes 1048576-5/3145728", "bytes 10485760-3145727/3145728",
		"bytes 1048576-x/3145728", "bytes 1048576-3145727", "bytes -1048576-3145727/3145728",
	} {
		t.Run(told, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(f.root, "models--org--model")); err != nil {
				t.Fatal(err)
			}
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.RawQuery == "" || r.Header.Get("Range") == "" {
					return false
				}
				w.Header().Set("Content-Range", told)
				w.WriteHeader(http.StatusPartialContent)
				w.Write(make([]byte, size-at)) // wrong, and of the right size
				return true
			}
			write(t, f.blob("model.safetensors")+".incomplete", string(data[:at]))
			dir, err := f.get(Options{})
			f.complete(dir, err, whole...)
		})
	}
	// What is right: all in pieces, and a total that is not told.
	for _, total := range []string{fmt.Sprint(size), "*"} {
		if err := os.RemoveAll(filepath.Join(f.root, "models--org--model")); err != nil {
			t.Fatal(err)
		}
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			var from int
			if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n == 0 || r.URL.RawQuery == "" {
				return false
			}
			to := min(from+at, size)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%s", from, to-1, total))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(data[from:to])
			return true
		}
		write(t, f.blob("model.safetensors")+".incomplete", string(data[:at/2]))
		f.requests("")
		dir, err := f.get(Options{})
		f.complete(dir, err, whole...)
		if r := f.requests("GET cdn"); len(r) != 3 {
			t.Errorf("%q", r)
		}
	}
}

// What is refused is refused before any request.
func TestGetRefusedFirst(t *testing.T) {
	f := newFake(t)
	long := strings.Repeat("a", 256)
	for _, tt := range []struct{ name, revision, want string }{
		{"org/model", long, "too long"},
		{"org/model", "a/" + long, "too long"},
		{"org/model", strings.Repeat("a/", 600) + "a", "too long"},
		{"org/model", "con", "device"},
		{"org/model", "refs/NUL.x", "device"},
		{"org/model", "a/Com1", "device"},
		{"org/model", "a\tb", "characters"},
		{"org/model", "a\x1b[31m", "characters"},
		{"org/model", "a:b", "characters"},
		{"org/model", "a.", "characters"},
		{"org/model", "~/a", "characters"},
		{"org/" + strings.Repeat("a", 200), "", "not a model's name"},
		{strings.Repeat("a/", 1<<20), "", "not a model's name"},
		{"org/model\n", "", "not a model's name"},
	} {
		_, err := Get(t.Context(), tt.name, Options{Revision: tt.revision})
		has(t, err, tt.want)
		if len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\n\t\x1b") {
			t.Errorf("%d bytes: %.200q", len(err.Error()), err)
		}
	}
	if r := f.requests(""); r != nil {
		t.Errorf("%q", r)
	}
	if e, err := os.ReadDir(f.root); err != nil || len(e) != 0 {
		t.Errorf("%v, %v", e, err)
	}
	// Names that only look so.
	for _, name := range []string{"con", "org/aux"} {
		if _, err := Get(t.Context(), name, Options{Revision: "console"}); !errors.Is(err, ErrNoModel) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := f.get(Options{Revision: strings.Repeat("b", 255)}); err != nil {
		t.Error(err)
	}
}

func TestGetRevisionUnrecordable(t *testing.T) {
	f := newFake(t)
	refs := filepath.Join(f.root, "models--org--model", "refs")
	write(t, filepath.Join(refs, "a"), commit)
	write(t, filepath.Join(refs, "b", "c"), commit)
	for _, revision := range []string{"a/b", "b"} {
		f.requests("")
		_, err := f.get(Options{Revision: revision})
		has(t, err, "revision "+revision+" can't be recorded")
		if r := f.requests(""); len(r) != 1 {
			t.Errorf("%q", r)
		}
	}
	// Another commit than the one that was asked for.
	other := strings.Repeat("ab", 20)
	_, err := f.get(Options{Revision: other})
	has(t, err, commit+" in place of "+other)
}

func TestGetShardNames(t *testing.T) {
	long := strings.Repeat("a", 256) + ".safetensors"
	for index, want := range map[string]string{
		`{"weight_map":{"a":"con.safetensors"}}`:                                             "refused",
		`{"weight_map":{"a":"Aux.1.safetensors"}}`:                                           "refused",
		`{"weight_map":{"a":"` + long + `"}}`:                                                "refused",
		`{"weight_map":{"a":"a\u001b.safetensors"}}`:                                         "refused",
		`{"weight_map":{"a":"a..safetensors"}}`:                                              "refused",
		`{"weight_map":{"a":".safetensors"}}`:                                                "refused",
		`{"weight_map":{"a":"x.safetensors","b":"X.safetensors"}}`:                           "differ in case only",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"nul.bin.safetensors"}}`:  "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"../x.safetensors"}}`:     "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"/etc/x.safetensors"}}`:   "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"C:\\x.safetensors"}}`:    "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"no-such.safetensors"}}`:  "no file",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"tokenizer.json"}}`:       "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model.safetensors\n"}}`:  "refused",
		`{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model.safetensors.gz"}}`: "refused",
	} {
		f := newFake(t)
		f.shard(index)
		f.extra = append(f.extra, "con.safetensors", "Aux.1.safetensors", long, "x.safetensors", "X.safetensors", "nul.bin.safetensors")
		_, err := f.once(Options{})
		has(t, err, want)
		if r := f.requests("model-0000"); r != nil {
			t.Errorf("%s: %q", index, r)
		}
	}
}

func TestFindRef(t *testing.T) {
	root := home(t)
	ref := filepath.Join(root, "models--org--bert", "refs", "main")
	for _, data := range []string{"", "\n", "a b", "a/b", "..", "/etc", "c0ffee\nf00d", "c0ffee\x00", "\ufeffc0ffee", strings.Repeat("a", 65), strings.Repeat(" ", 1<<20) + "c0ffee"} {
		write(t, ref, data)
		_, err := Find("org/bert")
		has(t, err, ref, "not a commit", "`mteval model get org/bert` mends it")
	}
	if err := os.Remove(ref); err != nil {
		t.Fatal(err)
	}
	symlink(t, os.DevNull, ref)
	_, err := Find("org/bert")
	has(t, err, "not a commit")
	// Get mends it.
	f := newFake(t)
	for _, data := range []string{"", "../../x", strings.Repeat("a", 1<<20)} {
		write(t, filepath.Join(f.root, "models--org--model", "refs", "main"), data)
		dir, err := f.get(Options{})
		f.complete(dir, err, whole...)
	}
}

// Whoever has to wait says for what, and stops waiting at once.
func TestGetWaits(t *testing.T) {
	f := newFake(t)
	path := filepath.Join(f.root, ".locks", "models--org--model", f.etag("config.json")+".lock")
	write(t, path, "")
	held, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if !filelock.Try(held) {
		t.Fatal("not locked")
	}
	if again, err := os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	} else if locked := filelock.Try(again); again.Close() == nil && locked {
		t.Skip("no locks here")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	notes := make(chan string, 10)
	done := make(chan error)
	o := Options{patience: time.Millisecond, Note: func(text string) { notes <- text }}
	go func() {
		_, err := Get(ctx, "org/model", o)
		done <- err
	}()
	if text := <-notes; !strings.Contains(text, "waiting for another process") || !strings.Contains(text, "config.json") || !strings.Contains(text, path) {
		t.Error(text)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}

	// Once it is given back, all goes on.
	go func() {
		_, err := Get(t.Context(), "org/model", o)
		done <- err
	}()
	<-notes
	held.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if len(notes) > 0 {
		t.Errorf("told more than once: %s", <-notes)
	}
}

// helper makes the test's program a process that gets org/model.
const helper = "MTEVAL_TEST_HUB_GET"

func TestMain(m *testing.M) {
	if os.Getenv(helper) != "" {
		dir, err := Get(context.Background(), "org/model", Options{})
		fmt.Println(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Processes at once: each ends well, and each file comes once.
func TestGetProcesses(t *testing.T) {
	for _, etag := range []string{"", "x"} {
		f := newFake(t)
		f.mu.Lock()
		if etag != "" {
			f.etagsAre(etag)
		}
		var running atomic.Int32
		f.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet && r.URL.RawQuery != "" {
				if running.Add(1) > 1 {
					t.Error("two downloads at once")
				}
				time.Sleep(10 * time.Millisecond)
				running.Add(-1)
			}
			return false
		}
		f.mu.Unlock()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				c := exec.CommandContext(t.Context(), os.Args[0])
				c.Env = append(os.Environ(), helper+"=1")
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		wg.Wait()
		if r := f.requests("GET cdn"); len(r) != 1 {
			t.Errorf("%q", r)
		}
		dir, err := f.get(Options{})
		f.complete(dir, err, whole...)
	}
}

func TestKey(t *testing.T) {
	sha := fmt.Sprintf("%x", sha256.Sum256(nil))
	for _, tt := range []struct {
		a, b meta
		same bool
	}{
		{meta{name: "a", etag: sha}, meta{name: "b", etag: sha}, true},
		{meta{name: "a", etag: sha}, meta{name: "a", etag: strings.ToUpper(sha)}, true},
		{meta{name: "a", etag: "x"}, meta{name: "b", etag: "x"}, false},
		{meta{name: "a", etag: "x"}, meta{name: "a", etag: "y"}, false},
		{meta{name: "a", etag: "x", commit: "1"}, meta{name: "a", etag: "x", commit: "2"}, false},
		{meta{name: "a", etag: sha[1:]}, meta{name: "b", etag: sha[1:]}, false},
	} {
		if same := tt.a.key() == tt.b.key(); same != tt.same {
			t.Errorf("%v, %v: same %v", tt.a, tt.b, same)
		}
	}
}

// A disk that takes no more ends the download at once, and what came is continued.
func TestGetDiskFull(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no limit of a file's size here")
	}
	f := newFake(t)
	// In blocks of 512 bytes, or of 1024 with some shells: less than the weights.
	c := exec.CommandContext(t.Context(), sh, "-c", `ulimit -f 2048 && exec "$0"`, os.Args[0])
	c.Env = append(os.Environ(), helper+"=1")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), ".incomplete: file too large") || strings.Contains(string(out), "tried") {
		t.Errorf("%v: %s", err, out)
	}
	if r := f.requests("GET cdn"); len(r) != 1 {
		t.Errorf("%q", r)
	}
	dir, err := f.get(Options{})
	f.complete(dir, err, whole...)
	if r := f.requests("GET cdn"); len(r) != 1 || !strings.Contains(r[0], "bytes=") {
		t.Errorf("%q", r)
	}
}

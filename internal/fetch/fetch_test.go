package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mteval/mteval/internal/filelock"
)

var content = bytes.Repeat([]byte("one line of a test set\n"), 20_000)

// server answers with the handler and counts the requests.
func server(t *testing.T, h http.HandlerFunc) (address string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/set.tgz", requests
}

func serve(w http.ResponseWriter, r *http.Request) { w.Write(content) }

// quick is the options without waiting.
func quick(o Options) Options {
	o.wait = func(int) time.Duration { return time.Millisecond }
	o.stall = 50 * time.Millisecond
	return o
}

// left fails the test if the folder has anything but these files.
func left(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the folder has %q, want %q", got, names)
	}
}

func TestFile(t *testing.T) {
	address, requests := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		// As some servers have it for archives: what is sent is the file all the same.
		w.Header().Set("Content-Encoding", "x-gzip")
		serve(w, r)
	})
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "set.tgz")
	var done, total int64
	o := quick(Options{
		MD5:      fmt.Sprintf("%X", md5.Sum(content)),
		SHA256:   fmt.Sprintf("%x", sha256.Sum256(content)),
		Progress: func(d, all int64) { done, total = d, all },
	})
	for range 2 { // the second finds it there
		if err := File(t.Context(), address, path, o); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, content) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	left(t, dir, "set.tgz", "set.tgz.lock")
	if size := int64(len(content)); requests.Load() != 1 || done != size || total != size {
		t.Errorf("%d requests, progress %d of %d", requests.Load(), done, total)
	}

	// One that is damaged, and one that an earlier try of another program left empty.
	for _, tt := range []struct {
		data string
		o    Options
		want int64
	}{
		{"broken", o, 2},
		{"", quick(Options{}), 3},
		{"anything", quick(Options{}), 3},
	} {
		if err := os.WriteFile(path, []byte(tt.data), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := File(t.Context(), address, path, tt.o); err != nil {
			t.Fatal(err)
		}
		if requests.Load() != tt.want {
			t.Errorf("%q: %d requests, want %d", tt.data, requests.Load(), tt.want)
		}
	}
}

func TestFileErrors(t *testing.T) {
	wrong := strings.Repeat("ab", 16)
	short := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:100_000])
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
	}
	for _, tt := range []struct {
		name     string
		handler  http.HandlerFunc
		o        Options
		requests int64
		want     []string
	}{
		{"MD5", serve, Options{MD5: wrong}, 1, []string{"MD5", wrong, fmt.Sprintf("%x", md5.Sum(content))}},
		{"SHA-256", serve, Options{MD5: fmt.Sprintf("%x", md5.Sum(content)), SHA256: wrong + wrong}, 1,
			[]string{"SHA-256", wrong + wrong, fmt.Sprintf("%x", sha256.Sum256(content))}},
		{"cut", short, Options{}, Tries, []string{"unexpected EOF", "100000 bytes", "tried 5 times"}},
		{"stall", func(w http.ResponseWriter, r *http.Request) {
			w.Write(content[:1000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, Options{}, Tries, []string{"sent nothing more", "tried 5 times"}},
		{"no answer", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, Options{}, Tries,
			[]string{"sent nothing more", "tried 5 times"}},
		{"404", status(404), Options{}, 1, []string{"404 Not Found"}},
		{"503", status(503), Options{}, Tries, []string{"503 Service Unavailable", "tried 5 times"}},
		{"empty", func(http.ResponseWriter, *http.Request) {}, Options{}, 1, []string{"empty file"}},
		{"told too large", serve, Options{Max: 1000}, 1, []string{"more than 1000"}},
		{"too large", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			serve(w, r)
		}, Options{Max: 1000}, 1, []string{"more than 1000 bytes"}},
		{"endless redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) },
			Options{}, 10, []string{"more than 10 redirects"}},
		{"redirect to a file", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		},
			Options{}, 1, []string{"redirect to nowhere"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			address, requests := server(t, tt.handler)
			dir := t.TempDir()
			err := File(t.Context(), address, filepath.Join(dir, "set.tgz"), quick(tt.o))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(tt.want, address+": ") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			if n := requests.Load(); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			left(t, dir, "set.tgz.lock")
		})
	}
}

// What comes to nothing leaves what was there.
func TestFileKeeps(t *testing.T) {
	address, _ := server(t, serve)
	path := filepath.Join(t.TempDir(), "set.tgz")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := File(t.Context(), address, path, quick(Options{MD5: strings.Repeat("0", 32)})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFilePlaces(t *testing.T) {
	address, requests := server(t, serve)
	dir := t.TempDir()
	for _, tt := range []struct{ address, path, want string }{
		{"file:///etc/passwd", filepath.Join(dir, "x"), "no address that can be fetched"},
		{"http://", filepath.Join(dir, "x"), "no address that can be fetched"},
		{"set.tgz", filepath.Join(dir, "x"), "no address that can be fetched"},
		{address, dir, "is a folder"},
		{address, filepath.Join(dir, "x", "y"), filepath.Join(dir, "x")},
	} {
		if tt.path == filepath.Join(dir, "x", "y") {
			if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := File(t.Context(), tt.address, tt.path, quick(Options{})); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s to %s: %v, want %q", tt.address, tt.path, err, tt.want)
		}
	}
	if requests.Load() != 0 {
		t.Errorf("%d requests", requests.Load())
	}
}

// A cut, then a server that is busy, then all of it.
func TestFileAgain(t *testing.T) {
	try := 0
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch try++; try {
		case 1:
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			w.Write(content[:100_000])
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			serve(w, r)
		}
	})
	var notes []string
	path := filepath.Join(t.TempDir(), "set.tgz")
	o := Options{MD5: fmt.Sprintf("%x", md5.Sum(content)), Note: func(text string) { notes = append(notes, text) }}
	if err := File(t.Context(), address, path, quick(o)); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "trying again") || !strings.Contains(notes[1], "429") {
		t.Errorf("%q", notes)
	}
}

func TestFileCancel(t *testing.T) {
	cause := errors.New("the user has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		cancel(cause)
		<-r.Context().Done()
	})
	dir := t.TempDir()
	if err := File(ctx, address, filepath.Join(dir, "set.tgz"), Options{}); !errors.Is(err, cause) {
		t.Error(err)
	}
	left(t, dir, "set.tgz.lock")
}

// Whoever comes second waits, says so, and finds the file.
func TestFileTwo(t *testing.T) {
	waited := make(chan string, 1)
	address, requests := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		<-waited
		w.Write(content[1000:])
	})
	path := filepath.Join(t.TempDir(), "set.tgz")
	probe := filepath.Join(filepath.Dir(path), "probe")
	unlock, err := Lock(t.Context(), probe, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(probe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if filelock.Try(f) {
		t.Skip("no locks here")
	}
	f.Close()
	unlock()
	o := Options{
		MD5:      fmt.Sprintf("%x", md5.Sum(content)),
		Note:     func(text string) { waited <- text; waited <- text },
		patience: time.Millisecond,
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := File(t.Context(), address, path, o); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if text := <-waited; !strings.Contains(text, "waiting for another process") || !strings.Contains(text, path+".lock") {
		t.Error(text)
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
}

// What began encrypted stays so.
func TestFileDowngrade(t *testing.T) {
	address, requests := server(t, serve)
	s := httptest.NewTLSServer(http.RedirectHandler(address, http.StatusFound))
	defer s.Close()
	err := File(t.Context(), s.URL, filepath.Join(t.TempDir(), "set.tgz"), quick(Options{Client: s.Client()}))
	if err == nil || !strings.Contains(err.Error(), "from https to http, which is refused") || requests.Load() != 0 {
		t.Errorf("%v, %d requests", err, requests.Load())
	}
	// The other way is fine.
	tls := httptest.NewTLSServer(http.HandlerFunc(serve))
	defer tls.Close()
	address, _ = server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, tls.URL, http.StatusFound) })
	if err := File(t.Context(), address, filepath.Join(t.TempDir(), "set.tgz"), quick(Options{Client: tls.Client()})); err != nil {
		t.Error(err)
	}
}

func TestHome(t *testing.T) {
	t.Setenv("SACREBLEU", "/some/where")
	if got := Home(); got != "/some/where" {
		t.Error(got)
	}
	t.Setenv("SACREBLEU", "")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder: ", err)
	}
	if got := Home(); got != filepath.Join(home, ".sacrebleu") {
		t.Error(got)
	}
}

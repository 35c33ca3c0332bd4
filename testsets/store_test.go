package testsets

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/fetch"
)

// An item is what an archive has: a file, or something else by its type.
type item struct {
	name, text string
	typ        byte // 0: a regular file
}

func tarball(t *testing.T, items ...item) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, i := range items {
		h := &tar.Header{Name: i.name, Mode: 0o644, Size: int64(len(i.text)), Typeflag: tar.TypeReg}
		if i.typ != 0 {
			h.Typeflag, h.Linkname, h.Size, i.text = i.typ, i.text, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(i.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return gzipped(t, b.String())
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipped(t *testing.T, items ...item) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, i := range items {
		f, err := w.Create(i.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(i.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sum(text string) string {
	s := md5.Sum([]byte(text))
	return hex.EncodeToString(s[:])
}

// A site serves the archives of a set, and counts who asks.
type site struct {
	dir    string
	set    *Set
	client *http.Client
	asked  atomic.Int32
	mu     sync.Mutex
	notes  []string
}

// serve returns a site that has contents in place of a set's archives. The set has their sums.
func serve(t *testing.T, name string, contents ...string) *site {
	t.Helper()
	known, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(contents) != len(known.archives) {
		t.Fatalf("%d archives, %s has %d", len(contents), name, len(known.archives))
	}
	of := *known
	of.archives = slices.Clone(known.archives)
	s := &site{dir: t.TempDir(), set: &of}
	byPath := make(map[string]string)
	for i, a := range of.archives {
		of.archives[i].MD5 = sum(contents[i])
		byPath[strings.TrimPrefix(a.URL, "https:/")] = contents[i]
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		text, ok := byPath[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	// An address of the net is the path of an address of the server.
	s.client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		to := r.Clone(r.Context())
		to.URL.Scheme, to.URL.Host = "http", strings.TrimPrefix(server.URL, "http://")
		to.URL.Path, to.Host = "/"+r.URL.Host+r.URL.Path, ""
		return http.DefaultTransport.RoundTrip(to)
	})}
	return s
}

func (s *site) options() Options {
	return Options{Dir: s.dir, Client: s.client, Note: func(text string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notes = append(s.notes, text)
	}}
}

func (s *site) open(t *testing.T, pair string) *Data {
	t.Helper()
	d, err := Open(s.set.Name, pair, s.options())
	if err != nil {
		t.Fatal(err)
	}
	d.parts[0].set = s.set // with other sums
	return d
}

// tree is all files below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ask(t *testing.T, d *Data, field string, want ...string) {
	t.Helper()
	got, err := d.Field(t.Context(), field)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("field %s (-want +got):\n%s", field, diff)
	}
}

const (
	sgmSource    = "<srcset>\n<doc docid=\"d\" genre=\"news\" origlang=\"en\">\n<seg id=\"1\">one</seg>\n<seg id=\"2\">two</seg>\n</doc>\n</srcset>\n"
	sgmReference = "<refset>\n<doc docid=\"d\">\n<seg id=\"1\">eins</seg>\n<seg id=\"2\">zwei</seg>\n</doc>\n</refset>\n"
)

// An archive is downloaded once, and only what the set needs is unpacked, wherever the names in
// it point.
func TestDownload(t *testing.T) {
	s := serve(t, "wmt19", tarball(t,
		item{name: "../evil.sgm", text: "x"}, item{name: "/evil.sgm", text: "x"}, item{name: "sgm/other.sgm", text: "x"},
		item{name: "sgm/../../../evil.sgm", text: "x"}, item{name: "link", text: "/etc", typ: tar.TypeSymlink},
		item{name: "./sgm/newstest2019-ende-src.en.sgm", text: sgmSource}, item{name: "sgm/newstest2019-ende-ref.de.sgm", text: sgmReference},
		item{name: "sgm/newstest2019-deen-src.de.sgm", text: "<seg id=\"1\">drei</seg>\n"}))
	d := s.open(t, "en-de")
	ask(t, d, "src", "one", "two")
	ask(t, d, "ref", "eins", "zwei")
	ask(t, d, "origlang", "en", "en")
	ask(t, s.open(t, "en-de"), "ref", "eins", "zwei")
	if n := s.asked.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	want := []string{
		"wmt19/raw/sgm/newstest2019-deen-src.de.sgm", "wmt19/raw/sgm/newstest2019-ende-ref.de.sgm", "wmt19/raw/sgm/newstest2019-ende-src.en.sgm",
		"wmt19/raw/wmt19.test.tgz", "wmt19/raw/wmt19.test.tgz.lock",
		"wmt19/wmt19.en-de.docid", "wmt19/wmt19.en-de.genre", "wmt19/wmt19.en-de.origlang", "wmt19/wmt19.en-de.ref", "wmt19/wmt19.en-de.src",
	}
	if diff := cmp.Diff(want, tree(t, s.dir)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	if len(s.notes) != 1 || !strings.HasPrefix(s.notes[0], "downloading https://data.statmt.org/wmt19/translation-task/test.tgz to ") {
		t.Errorf("notes %q", s.notes)
	}
	// What was removed is unpacked again, without the net.
	if err := os.RemoveAll(filepath.Join(s.dir, "wmt19/raw/sgm")); err != nil {
		t.Fatal(err)
	}
	if kept, err := s.open(t, "en-de").Keep(t.Context(), "en", ""); err != nil || len(kept) != 2 || s.asked.Load() != 1 {
		t.Errorf("kept %v, error %v, %d requests", kept, err, s.asked.Load())
	}
}

// Other forms of archives: zip, gzip, plain files, and several of them, of which no more are
// asked for than it takes.
func TestDownloadForms(t *testing.T) {
	t.Run("zip", func(t *testing.T) {
		s := serve(t, "wmt20/robust/set3", zipped(t, item{name: "../evil", text: "x"}, item{name: "robustness20-3-sets/"},
			item{name: "robustness20-3-sets/robustness20-set3-deen.de", text: "a \nb\n"}, item{name: "robustness20-3-sets/robustness20-set3-deen.en", text: "c\nd"}))
		d := s.open(t, "de-en")
		ask(t, d, "src", "a", "b")
		ask(t, d, "ref", "c", "d")
	})
	t.Run("gzip", func(t *testing.T) {
		s := serve(t, "multi30k/2018", tarball(t, item{name: "test_2018_flickr.en", text: "a\nb\n"}), gzipped(t, "cs\nČ\n"), gzipped(t, "de\nß\n"), gzipped(t, "fr\né\n"))
		d := s.open(t, "en-de")
		ask(t, d, "src", "a", "b")
		ask(t, d, "ref", "de", "ß")
		if n := s.asked.Load(); n != 3 { // not the French one
			t.Errorf("%d requests, want 3", n)
		}
	})
	t.Run("plain", func(t *testing.T) {
		s := serve(t, "wmt19/google/ar", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource}), "EINS \nZWEI\n")
		d := s.open(t, "en-de")
		ask(t, d, "ref", "EINS", "ZWEI")
		ask(t, d, "docid", "d", "d")
		if _, err := os.Stat(filepath.Join(s.dir, "wmt19/google/ar/wmt19_google_ar.en-de.ref")); err != nil {
			t.Error(err)
		}
	})
}

func TestDownloadErrors(t *testing.T) {
	good := tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource}, item{name: "sgm/newstest2019-ende-ref.de.sgm", text: sgmReference})
	for _, tt := range []struct {
		name, archive, md5 string
		want               string
	}{
		{"a wrong sum", good, strings.Repeat("0", 32), "damaged download: MD5 is " + sum(good)},
		{"no such file", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource}), "", "no file sgm/newstest2019-ende-ref.de.sgm, which test set wmt19 needs for en-de"},
		{"a link in its place", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource},
			item{name: "sgm/newstest2019-ende-ref.de.sgm", text: "/etc/hostname", typ: tar.TypeSymlink}), "", "no file sgm/newstest2019-ende-ref.de.sgm"},
		{"no archive", "nothing that could be unpacked", "", "wmt19.test.tgz: can't be unpacked: "},
		{"cut off", good[:len(good)/2], "", "wmt19.test.tgz: can't be unpacked: "},
		{"not UTF-8", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: "a\n\xff"}, item{name: "sgm/newstest2019-ende-ref.de.sgm", text: "x"}), "", "src.en.sgm:2: not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, "wmt19", tt.archive)
			if tt.md5 != "" {
				s.set.archives[0].MD5 = tt.md5
			}
			_, err := s.open(t, "en-de").References(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want …%s…", err, tt.want)
			}
			for _, file := range tree(t, s.dir) {
				if strings.HasSuffix(file, ".tmp") || strings.HasPrefix(file, "wmt19/wmt19.") || tt.md5 != "" && strings.HasSuffix(file, ".tgz") {
					t.Errorf("%s is there", file)
				}
			}
		})
	}
}

// An archive that is damaged in the folder is replaced, and an address that has none is said,
// with what to do.
func TestDownloadAgain(t *testing.T) {
	s := serve(t, "wmt20/robust/set3", zipped(t, item{name: "robustness20-3-sets/robustness20-set3-deen.de", text: "a\n"}, item{name: "robustness20-3-sets/robustness20-set3-deen.en", text: "b\n"}))
	lay(t, s.dir, map[string]string{"wmt20/robust/set3/raw/wmt20_robust_set3.robustness20-3-sets.zip": "cut off"})
	ask(t, s.open(t, "de-en"), "ref", "b")

	s = serve(t, "wmt20/robust/set3", "x")
	s.set.archives[0].URL = "https://example.org/gone.zip"
	_, err := s.open(t, "de-en").Field(t.Context(), "src")
	at := filepath.Join(s.dir, "wmt20/robust/set3/raw")
	if err == nil || !strings.Contains(err.Error(), "https://example.org/gone.zip: ") || !strings.HasSuffix(err.Error(), "unpack it in "+at) {
		t.Errorf("error %v", err)
	}
	lay(t, at, map[string]string{"robustness20-3-sets/robustness20-set3-deen.de": "c\n", "robustness20-3-sets/robustness20-set3-deen.en": "d\n"})
	ask(t, s.open(t, "de-en"), "ref", "d")

	// The lock of an archive that is there can't be had.
	s = serve(t, "wmt19", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource}, item{name: "sgm/newstest2019-ende-ref.de.sgm", text: sgmReference}))
	ask(t, s.open(t, "en-de"), "src", "one", "two")
	at = filepath.Join(s.dir, "wmt19/raw/wmt19.test.tgz.lock")
	for _, gone := range []string{at, filepath.Join(s.dir, "wmt19/raw/sgm")} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	lay(t, at, map[string]string{"file": "x"})
	if _, err := s.open(t, "en-de").Keep(t.Context(), "en", ""); err == nil || !strings.HasPrefix(err.Error(), "testsets: test set wmt19: ") || !strings.Contains(err.Error(), at) {
		t.Errorf("error %v", err)
	}

	// Where the disk is at fault, no other place helps.
	s = serve(t, "wmt20/robust/set3", "x")
	lay(t, s.dir, map[string]string{"wmt20": "no folder"})
	if _, err := s.open(t, "de-en").Field(t.Context(), "src"); err == nil || strings.Contains(err.Error(), "elsewhere") || !strings.Contains(err.Error(), filepath.Join(s.dir, "wmt20")) {
		t.Errorf("error %v", err)
	}
}

func TestDownloadTogether(t *testing.T) {
	s := serve(t, "wmt19", tarball(t, item{name: "sgm/newstest2019-ende-src.en.sgm", text: sgmSource}, item{name: "sgm/newstest2019-ende-ref.de.sgm", text: sgmReference}))
	var wg sync.WaitGroup
	for range 4 {
		d := s.open(t, "en-de")
		wg.Go(func() {
			refs, err := d.References(t.Context())
			if diff := cmp.Diff([][]string{{"eins", "zwei"}}, refs); diff != "" || err != nil {
				t.Errorf("error %v, references (-want +got):\n%s", err, diff)
			}
		})
	}
	wg.Wait()
	if n := s.asked.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestCancelled(t *testing.T) {
	s := serve(t, "wmt19", "x")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := s.open(t, "en-de").References(ctx); !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}
	if n := s.asked.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestProgress(t *testing.T) {
	text := zipped(t, item{name: "robustness20-3-sets/robustness20-set3-deen.de", text: "a\n"}, item{name: "robustness20-3-sets/robustness20-set3-deen.en", text: "b\n"})
	s := serve(t, "wmt20/robust/set3", text)
	o := s.options()
	var done, total int64
	o.Progress = func(url string, d, of int64) {
		if url != s.set.archives[0].URL {
			t.Errorf("progress of %s", url)
		}
		done, total = d, of
	}
	d, err := Open(s.set.Name, "de-en", o)
	if err != nil {
		t.Fatal(err)
	}
	d.parts[0].set = s.set
	ask(t, d, "src", "a")
	if done != int64(len(text)) || total != done {
		t.Errorf("%d of %d bytes, want %d", done, total, len(text))
	}
}

// A text that can't be kept is had all the same.
func TestNotKept(t *testing.T) {
	dir := t.TempDir()
	lay(t, filepath.Join(dir, "wmt19/raw/sgm"), map[string]string{"newstest2019-ende-src.en.sgm": sgmSource, "newstest2019-ende-ref.de.sgm": sgmReference})
	if err := os.Mkdir(filepath.Join(dir, "wmt19/wmt19.en-de.src"), 0o755); err != nil {
		t.Fatal(err)
	}
	var notes []string
	d, err := Open("wmt19", "en-de", Options{Dir: dir, Client: noNet, Note: func(text string) { notes = append(notes, text) }})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, d, "src", "one", "two")
	ask(t, d, "ref", "eins", "zwei")
	ask(t, d, "src", "one", "two")
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "the text is not kept: ") {
		t.Errorf("notes %q", notes)
	}
	// Who asks for the file is not told that it is there.
	set, err := Find("wmt19")
	if err != nil {
		t.Fatal(err)
	}
	files, err := set.Download(t.Context(), "en-de", Options{Dir: dir, Client: noNet})
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "wmt19/wmt19.en-de.src")) {
		t.Errorf("files %q, error %v", files, err)
	}
}

// Texts of different lengths are an error that names both files; an empty one is made anew.
func TestLengths(t *testing.T) {
	dir := t.TempDir()
	raw := map[string]string{"raw/sgm/newstest2019-ende-src.en.sgm": sgmSource, "raw/sgm/newstest2019-ende-ref.de.sgm": sgmReference}
	lay(t, filepath.Join(dir, "wmt19"), raw)
	lay(t, filepath.Join(dir, "wmt19"), map[string]string{"wmt19.en-de.src": "", "wmt19.en-de.ref": "eins\n"})
	d, err := Open("wmt19", "en-de", Options{Dir: dir, Client: noNet})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, d, "src", "one", "two")
	_, err = d.References(t.Context())
	want := filepath.Join(dir, "wmt19/wmt19.en-de.ref") + ": it has 1 lines, the source " + filepath.Join(dir, "wmt19/wmt19.en-de.src") + " has 2"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
	// A source that is not that of the archive has other documents.
	lay(t, filepath.Join(dir, "wmt19"), map[string]string{"wmt19.en-de.src": "one\n"})
	want = filepath.Join(dir, "wmt19/wmt19.en-de.src") + ": it has 1 lines, the file it was made of has 2 segments"
	if _, err := d.Keep(t.Context(), "en", ""); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
}

// The folder is sacreBLEU's.
func TestFolder(t *testing.T) {
	t.Setenv("SACREBLEU", filepath.Join("some", "where"))
	s, err := newStore(Options{})
	if err != nil || s.dir != fetch.Home() || s.dir != filepath.Join("some", "where") {
		t.Errorf("folder %q, error %v", s.dir, err)
	}
	set, err := Find("wmt21/systems")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.text(set, "de-en", "ref:A"), filepath.Join("some", "where", "wmt21", "systems", "wmt21_systems.de-en.ref-A"); got != want {
		t.Errorf("text at %s, want %s", got, want)
	}
}

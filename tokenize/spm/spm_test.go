package spm_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/spm"
)

const small = "testdata/small.model"

func open(t testing.TB) *spm.Tokenizer {
	t.Helper()
	tok, err := spm.Open(small, spm.Options{Name: "flores101"})
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// recorded is testdata/sacrebleu.json, written by scripts/record_sentencepiece.py: what
// sacreBLEU's tokenizer flores101 and its BLEU make of texts, with the small model in the
// place of its own.
type recorded struct {
	References, Hypotheses, Edges []string
	Lines                         []string // tokenized: hypotheses, and then edges
	Corpus                        float64
	Segments                      []float64
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	r := new(recorded)
	shareddata.ReadJSON(t, "testdata/sacrebleu.json", r)
	return r
}

// Lines are sacreBLEU's, byte for byte, from many goroutines as from one.
func TestLines(t *testing.T) {
	r := readRecorded(t)
	tok := open(t)
	if tok.Name() != "flores101" {
		t.Errorf("the name is %q", tok.Name())
	}
	texts := append(r.Hypotheses, r.Edges...)
	if len(texts) != len(r.Lines) || len(texts) == 0 {
		t.Fatalf("%d texts, %d lines", len(texts), len(r.Lines))
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, text := range texts {
				if got := string(tok.Append([]byte("kept "), text)); got != "kept "+r.Lines[i] {
					t.Errorf("%q:\n      got %q\nsacreBLEU %q", text, got, "kept "+r.Lines[i])
				}
			}
		})
	}
	group.Wait()
}

// BLEU is sacreBLEU's, of the corpus and of segments.
func TestBLEU(t *testing.T) {
	r := readRecorded(t)
	score := func(o bleu.Options, refs, hyps []string) float64 {
		o.Tokenizer = open(t)
		s, err := bleu.New(o)
		if err != nil {
			t.Fatal(err)
		}
		segments, err := mteval.Segments(refs)
		if err != nil {
			t.Fatal(err)
		}
		result, err := mteval.Corpus(t.Context(), s, segments, hyps)
		if err != nil {
			t.Fatal(err)
		}
		if sig := result.Signature; !strings.Contains(sig.String(), "|tok:flores101|") {
			t.Errorf("signature %s", sig)
		}
		return result.Score
	}
	if got := score(bleu.Options{}, r.References, r.Hypotheses); math.Abs(got-r.Corpus) > 1e-9 {
		t.Errorf("BLEU %v, sacreBLEU has %v", got, r.Corpus)
	}
	for i, want := range r.Segments {
		if got := score(bleu.Options{EffectiveOrder: true}, r.References[i:i+1], r.Hypotheses[i:i+1]); math.Abs(got-want) > 1e-9 {
			t.Errorf("segment %d: BLEU %v, sacreBLEU has %v", i+1, got, want)
		}
	}
}

// The name is the file's unless one is given.
func TestName(t *testing.T) {
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, option, want string }{
		{"a/b.model", "", "b"},
		{"a/b.spm", "", "b.spm"},
		{"a/b.model", "spBLEU-1K", "spBLEU-1K"},
	} {
		tok, err := spm.Read(bytes.NewReader(data), c.file, spm.Options{Name: c.option})
		if err != nil {
			t.Fatal(err)
		}
		if tok.Name() != c.want {
			t.Errorf("%s, %q: the name is %q, want %q", c.file, c.option, tok.Name(), c.want)
		}
	}
}

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Errors name the file.
func TestErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.model")
	if _, err := spm.Open(missing, spm.Options{}); err == nil || !strings.HasPrefix(err.Error(), "spm: ") || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := spm.Read(strings.NewReader("<html>"), "x.model", spm.Options{}); err == nil || !strings.HasPrefix(err.Error(), "x.model: not a model of SentencePiece") {
		t.Errorf("a page: %v", err)
	}
	if _, err := spm.Read(endless{}, "x.model", spm.Options{}); err == nil || err.Error() != "x.model: a model of more than 64 MB" {
		t.Errorf("an endless file: %v", err)
	}
	if _, err := spm.Open(".", spm.Options{}); err == nil {
		t.Error("a folder is read")
	}
}

// Append allocates nothing once its memory has grown.
func TestAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	tok := open(t)
	line := strings.Repeat("The old kettle sings ☃☃ near the river. ", 8)
	dst := tok.Append(nil, line)
	if n := testing.AllocsPerRun(100, func() { dst = tok.Append(dst[:0], line) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	tok := open(b)
	r := readRecorded(b)
	var dst []byte
	n, size := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		line := r.References[n%len(r.References)]
		dst = tok.Append(dst[:0], line)
		n++
		size += len(line)
	}
	b.SetBytes(int64(size / n))
}

// Tokens are text between white space, whatever the line.
func FuzzAppend(f *testing.F) {
	tok := open(f)
	for _, s := range readRecorded(f).Edges {
		f.Add(s)
	}
	f.Add("\xff\xf0\x9f ☃")
	f.Fuzz(func(t *testing.T, line string) {
		first := tokenize.String(tok, line)
		if again := tokenize.String(tok, line); again != first {
			t.Errorf("%q: %q, and then %q", line, first, again)
		}
		if strings.HasPrefix(first, " ") || strings.HasSuffix(first, "  ") {
			t.Errorf("%q: %q", line, first)
		}
		last := 0
		for _, s := range tokenize.AppendSpans(nil, tok, line) {
			if s.Text == "" || s.End > 0 && s.Start < last || s.End > len(line) {
				t.Errorf("%q: span %+v after %d", line, s, last)
			}
			last = s.End
		}
	})
}

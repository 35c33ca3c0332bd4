package jamecab

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/mteval/mteval/internal/sacretest"
	"github.com/mteval/mteval/internal/spantest"
	"github.com/mteval/mteval/tokenize"
)

func newTokenizer(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// The values of testdata/mecab.json are MeCab's: see scripts/record_mecab.py.
func TestMeCab(t *testing.T) {
	data, err := os.ReadFile("testdata/mecab.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec struct{ Cases [][2]string }
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	if len(rec.Cases) < 25 {
		t.Errorf("%d cases", len(rec.Cases))
	}
	tok := newTokenizer(t)
	for _, c := range rec.Cases {
		if got := tokenize.String(tok, c[0]); got != c[1] {
			t.Errorf("%q:\n  got %q\nMeCab %q", c[0], got, c[1])
		}
	}
	for _, tok := range []*Tokenizer{tok, {}} {
		if got := string(tok.Append([]byte("kept "), "猫")); got != "kept 猫" {
			t.Errorf("Append gave %q", got)
		}
	}
}

// The two lines on which kagome differs are Chinese, see the package's doc.
func TestGolden(t *testing.T) {
	known := []string{"sb-0583", "sb-0593"}
	tok := newTokenizer(t)
	for _, c := range sacretest.Golden(t, "tokenizer:ja-mecab") {
		var in, want struct{ Text string }
		sacretest.Decode(t, c.Input, &in)
		sacretest.Decode(t, c.Expected, &want)
		got := tokenize.String(tok, in.Text)
		if differs := got != want.Text; differs != slices.Contains(known, c.ID) {
			t.Errorf("%s: %q:\n  got %q\nMeCab %q", c.ID, in.Text, got, want.Text)
		}
	}
}

func FuzzSpans(f *testing.F) {
	tok := newTokenizer(f)
	for _, s := range []string{"", "猫が\u3000好き", "\u0085\xc2 0", "猫\xe3\x81 \u2028\xe2", "\x00ア\ufffd\xed\xa0\x80", "\u00a0\xff\xff。", "😀\xf0\x9f\x98"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) { spantest.Test(t, tok, line) })
}

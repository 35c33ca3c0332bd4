package bert

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

// tokenized is what transformers' tokenizer gave for texts.
type tokenized struct {
	Pieces int
	Cases  []struct {
		Text   string
		IDs    []int32
		Tokens []string
	}
}

// Tokenizers without a tokenizer.json give what scripts/record_deberta.py recorded.
func TestDebertaTokenizers(t *testing.T) {
	for name, kind := range map[string]string{"deberta-bpe": "deberta", "deberta-bpe-prefix": "deberta", "deberta-bpe-old": "deberta",
		"deberta-spm": "deberta-v2", "deberta-spm-listed": "deberta-v2", "deberta-spm-lower": "deberta-v2"} {
		dir := filepath.Join("testdata", name)
		var recorded tokenized
		shareddata.ReadJSON(t, filepath.Join(dir, "ids.json"), &recorded)
		tok, _, err := openTokenizer(dir, kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := tok.Check(recorded.Pieces); err != nil {
			t.Error(err)
		}
		if len(recorded.Cases) == 0 {
			t.Fatal("no cases")
		}
		if !race.Enabled {
			var pieces []Piece
			n := kit.Allocations(func() {
				for i := range recorded.Cases {
					pieces = tok.Encode(pieces[:0], recorded.Cases[i].Text)
				}
			})
			if n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
		for _, c := range recorded.Cases {
			var ids []int32
			for _, p := range tok.Encode(nil, c.Text) {
				ids = append(ids, p.ID)
				if !p.Special && (p.Start > p.End || p.End > len(c.Text)) {
					t.Errorf("%s, %q: piece %+v", name, c.Text, p)
				}
			}
			if d := cmp.Diff(c.IDs, ids); d != "" {
				t.Errorf("%s, %q: %q (-want +got):\n%s", name, c.Text, c.Tokens, d)
			}
		}
	}
}

// The golden tokenizers, from tokenizer.json and from what was there before that.
func TestGoldenDebertaTokenizers(t *testing.T) {
	root := shareddata.Path(t, "golden", "comet")
	texts := make(map[string]string)
	for _, line := range shareddata.ReadLines(t, filepath.Join(root, "lines.jsonl")) {
		var one struct{ ID, Text string }
		unmarshal(t, line, &one)
		texts[one.ID] = one.Text
	}
	for name, kind := range map[string]string{"deberta-v1": "deberta", "deberta-v2-conv": "deberta-v2"} {
		var expected struct {
			MaxLength int `json:"max_length"`
			Rows      []struct {
				ID  string
				IDs []int32 `json:"input_ids"`
			}
		}
		shareddata.ReadJSON(t, filepath.Join(root, "expect", name+".json"), &expected)
		bare := t.TempDir()
		if err := os.CopyFS(bare, os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(bare, "tokenizer.json")); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{filepath.Join(root, name), bare} {
			tok, _, err := openTokenizer(dir, kind)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range expected.Rows {
				var ids []int32
				pieces, _ := tok.EncodeMax(nil, texts[row.ID], expected.MaxLength)
				for _, p := range pieces {
					ids = append(ids, p.ID)
				}
				if d := cmp.Diff(row.IDs, ids); d != "" {
					t.Errorf("%s, %q (-want +got):\n%s", dir, texts[row.ID], d)
				}
			}
		}
	}
}

func unmarshal(t *testing.T, line string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), v); err != nil {
		t.Fatal(err)
	}
}

// What the files of a tokenizer lack, or have too much of, is an error that names it.
func TestDebertaTokenizerErrors(t *testing.T) {
	for _, c := range []struct {
		from, kind, file, text, want string
	}{
		{"deberta-bpe", "deberta", "vocab.json", "", "vocab.json: not JSON"},
		{"deberta-bpe", "deberta", "vocab.json", "{\"a\":0", "vocab.json: not JSON"},
		{"deberta-bpe", "deberta", "vocab.json", "[]", "vocab.json: vocab: "},
		{"deberta-bpe", "deberta", "vocab.json", `{"a":0,"b":0}`, "id 0 twice"},
		{"deberta-bpe", "deberta", "vocab.json", `{"a":-1}`, "-1"},
		{"deberta-bpe", "deberta", "merges.txt", "#version\na b\nab\n", "merges.txt:2: "},
		{"deberta-bpe", "deberta", "merges.txt", "#version\nt h e\n", "merges.txt:2: not two pieces"},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"cls_token":"<s>"}`, `cls_token: "<s>" is not [CLS]`},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"mask_token":{"content":"<mask>","lstrip":true}}`, `mask_token: "<mask>" is not [MASK]`},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"sep_token":7}`, `sep_token: `},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"added_tokens_decoder":{"x":{"content":"y"}}}`, `added_tokens_decoder: "x" is no id`},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"added_tokens_decoder":{"9000":{"content":"y"}}}`, `tokenizer_config.json: added_tokens_decoder: "y"`},
		{"deberta-bpe", "deberta", "tokenizer_config.json", `{"additional_special_tokens":[7]}`, "additional_special_tokens: "},
		{"deberta-bpe", "deberta", "added_tokens.json", `{"new":7}`, `added_tokens_decoder: "new"`},
		{"deberta-bpe", "deberta", "added_tokens.json", `[]`, "added_tokens.json: "},
		{"deberta-bpe", "deberta", "special_tokens_map.json", `{"unk_token":"<unk>"}`, `special_tokens_map.json: unk_token: "<unk>" is not [UNK]`},
		{"deberta-bpe", "deberta-v2", "", "", "no tokenizer.json in it, and no spm.model"},
		{"deberta-spm", "deberta", "", "", "no tokenizer.json in it, and no vocab.json"},
		{"deberta-spm", "deberta-v2", "spm.model", "x", "spm.model: not a model of SentencePiece"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", c.from))); err != nil {
			t.Fatal(err)
		}
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := openTokenizer(dir, c.kind); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error %v, want %q", c.file, c.from, err, c.want)
		}
	}
}

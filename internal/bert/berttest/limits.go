package berttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/kit"
)

// tokenizer is a tokenizer.json of the pieces 0 to n-1, with what is put around a text.
func tokenizer(n int, fields string) []byte {
	vocab := map[string]int{"[UNK]": 0}
	for i := 1; i < n; i++ {
		vocab[fmt.Sprint("p", i)] = i
	}
	pieces, err := json.Marshal(vocab)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{%s"pre_tokenizer":{"type":"WhitespaceSplit"},"model":{"type":"WordPiece","unk_token":"[UNK]",
		"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":%s}}`, fields, pieces)
}

// template puts a special piece of these ids around a text.
func template(ids ...int) string {
	list, _ := json.Marshal(ids)
	texts, _ := json.Marshal(make([]string, len(ids)))
	return fmt.Sprintf(`"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"s","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
		"special_tokens":{"s":{"id":"s","ids":%s,"tokens":%s}}},`, list, texts)
}

// Limits checks that a folder whose files ask for more than the model has, or than there
// can be, is an error at Open. The models are in the folder root.
func Limits(t *testing.T, open Open, root string) {
	long := make([]int, 100)
	set := func(model, name string, value any) []byte {
		data, err := os.ReadFile(filepath.Join(root, model, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		var c map[string]any
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		c[name] = value
		if data, err = json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		return data
	}
	// The model has 90 pieces, and places for 40.
	layer := 2
	numbers := bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers"}
	for _, c := range []struct {
		what, model string
		files       map[string][]byte
		o           bert.Options
		want        string
	}{
		{"all is well", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(1, 2))}, bert.Options{Layer: &layer}, ""},
		{"as many as there is room for", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(long[:39]...))}, bert.Options{Layer: &layer}, ""},
		{"no room for a piece of the text", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(long[:40]...))}, bert.Options{Layer: &layer}, "the tokenizer puts 40 special pieces around a text of at most 40"},
		{"more than there is room for", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(long...))}, bert.Options{Layer: &layer}, "the tokenizer puts 100 special pieces"},
		{"more than MaxTokens", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(long[:9]...))}, bert.Options{Layer: &layer, MaxTokens: 9}, "the tokenizer puts 9 special pieces around a text of at most 9"},
		{"a special piece out of range", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, template(90))}, bert.Options{Layer: &layer}, "has the id 90, where the model has 90"},
		{"a piece out of range", "bert", map[string][]byte{"tokenizer.json": tokenizer(91, template(1))}, bert.Options{Layer: &layer}, `"p90" has the id 90, where the model has 90`},
		{"an added token out of range", "bert", map[string][]byte{"tokenizer.json": tokenizer(90, `"added_tokens":[{"id":90,"content":"new"}],`)}, bert.Options{Layer: &layer}, `the added token "new" has the id 90, where the model has 90`},
		{"a vocab.txt out of range", "bert", map[string][]byte{"vocab.txt": []byte("[CLS]\n[SEP]\n[UNK]\n" + strings.Repeat("\n", 87) + "x\n")}, bert.Options{Layer: &layer}, `"x" has the id 90`},
		{"a line of 50 MB", "bert", map[string][]byte{"vocab.txt": []byte("[CLS]\n[SEP]\n[UNK]\n" + strings.Repeat("x", 50<<20))}, bert.Options{Layer: &layer}, "vocab.txt: line 4: a piece of 52428800 bytes"},
		{"as many buckets as tokens are far", "mpnet", map[string][]byte{"config.json": set("mpnet", "relative_attention_num_buckets", 512)}, numbers, "relative_attention_num_buckets: 512 is not in 4 to 511"},
		{"a width of millions", "bert", map[string][]byte{"config.json": set("bert", "intermediate_size", 1<<22)}, numbers, "intermediate_size: 4194304"},
		{"other positions than the weights have", "bert", map[string][]byte{"config.json": set("bert", "max_position_embeddings", 1<<20)}, numbers, "position_embeddings.weight: shape [40 24], want [1048576 24]"},
		{"other types than the weights have", "bert", map[string][]byte{"config.json": set("bert", "type_vocab_size", 1<<20)}, numbers, "token_type_embeddings.weight: shape"},
		{"other words than the weights have", "bert", map[string][]byte{"config.json": set("bert", "vocab_size", 1<<20)}, numbers, "word_embeddings.weight: shape"},
		{"other relative positions than the weights have", "deberta-v1", map[string][]byte{"config.json": set("deberta-v1", "max_relative_positions", 9)}, numbers, "encoder.rel_embeddings.weight: shape [80 16], want [18 16]"},
		{"narrower embeddings than the weights have", "deberta-v1", map[string][]byte{"config.json": set("deberta-v1", "embedding_size", 8)}, numbers, "word_embeddings.weight: shape [70 16], want [70 8]"},
		{"a convolution of more tokens", "deberta-v2-conv", map[string][]byte{"config.json": set("deberta-v2-conv", "conv_kernel_size", 5)}, numbers, "encoder.conv.conv.weight: shape [16 16 3], want [16 16 5]"},
		{"keys of positions that the weights lack", "deberta-v2-conv", map[string][]byte{"config.json": set("deberta-v2-conv", "share_att_key", false)}, numbers, "encoder.layer.0.attention.self.pos_key_proj.weight: missing"},
		{"a norm that is nothing", "bert", map[string][]byte{"config.json": set("bert", "layer_norm_eps", 1e-60)}, numbers, "layer_norm_eps"},
		{"a kind of a megabyte", "bert", map[string][]byte{"config.json": set("bert", "model_type", strings.Repeat("x", 1<<20))}, numbers, "model_type: "},
	} {
		dir := Damage(t, filepath.Join(root, c.model), c.files)
		if c.files["tokenizer.json"] == nil && c.o.Tokenizer == nil && c.files["vocab.txt"] == nil {
			t.Fatalf("%s: no tokenizer", c.what)
		}
		b, err := open(dir, c.o)
		switch {
		case err == nil:
			long := strings.Repeat("p1 ", 100)
			if err := b.Embed(ctx, new(backend.Batch), []string{long, ""}); err != nil || c.want != "" {
				t.Errorf("%s: opens, %v", c.what, err)
			}
			b.Close()
		case c.want == "" || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1500:
			t.Errorf("%s: error %.300v, want %q", c.what, err, c.want)
		}
	}

	// Files that are larger than any can be, of which the disk holds nothing.
	for _, name := range []string{"config.json", "tokenizer.json", "vocab.txt"} {
		dir := Damage(t, filepath.Join(root, "bert"), map[string][]byte{name: []byte(" ")})
		if err := os.Truncate(filepath.Join(dir, name), 1<<40); err != nil {
			t.Skip(err)
		}
		if _, err := open(dir, bert.Options{Layer: &layer}); err == nil || !strings.Contains(err.Error(), name+": more than") {
			t.Errorf("%s of 1 TB: %v", name, err)
		}
	}
}

// liar is a tokenizer that does not keep to what is asked of it.
type liar struct{ pieces []bert.Piece }

func (l liar) EncodeMax(dst []bert.Piece, text string, _ int) ([]bert.Piece, bool) {
	if text == "" {
		return dst, false
	}
	return append(dst, l.pieces...), false
}

// Liars checks that what a tokenizer gives is checked before it is used.
func Liars(t *testing.T, open Open, root string) {
	layer := 2
	for _, c := range []struct {
		pieces []bert.Piece
		want   string
	}{
		{nil, ""},
		{make([]bert.Piece, 40), ""},
		{make([]bert.Piece, 41), "the tokenizer gave 41 pieces, 40 were asked for at most"},
		{[]bert.Piece{{ID: 90}}, "has id 90, where vocab_size is 90"},
		{[]bert.Piece{{ID: -1}}, "has id -1"},
	} {
		b := open.open(t, filepath.Join(root, "bert"), bert.Options{Layer: &layer, Tokenizer: liar{c.pieces}, TokenizerName: "liar"})
		err := b.Embed(ctx, new(backend.Batch), []string{"a", "", "b"})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d pieces: error %v, want %q", len(c.pieces), err, c.want)
		}
	}
}

// Cancel checks that Embed of one worker looks at its context at least `least` times in one
// text, and wherever it is stopped gives its error and can be called again.
func Cancel(t *testing.T, open Open, root string, least int64) {
	layer := 2
	b := open.open(t, filepath.Join(root, "bert"), bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers", Workers: 1})
	texts := []string{"5 17 3 80"}
	var want, got backend.Batch
	whole := kit.NewCountdown(math.MaxInt64)
	if err := b.Embed(whole, &want, texts); err != nil {
		t.Fatal(err)
	}
	if whole.Calls() < least {
		t.Errorf("%d looks at the context, want %d", whole.Calls(), least)
	}
	for left := range whole.Calls() {
		if err := b.Embed(kit.NewCountdown(left), &got, texts); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks of %d: %v", left, whole.Calls(), err)
		}
	}
	if err := b.Embed(ctx, &got, texts); err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("%v: other vectors after a call was stopped: %v, want %v", err, got.Data, want.Data)
	}
}

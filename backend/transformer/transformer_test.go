package transformer

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/internal/shareddata"
)

// numbers is a tokenizer for texts that are the ids themselves, "12 7 3"; none of them
// special.
type numbers struct{}

func (numbers) EncodeMax(dst []Piece, text string, max int) ([]Piece, bool) {
	at := 0
	for n, f := range strings.Fields(text) {
		if n == max {
			return dst, true
		}
		id, err := strconv.Atoi(f)
		if err != nil {
			panic(err)
		}
		start := at + strings.Index(text[at:], f)
		at = start + len(f)
		dst = append(dst, Piece{ID: int32(id), Text: f, Start: start, End: at})
	}
	return dst, false
}

func text(ids []int32) string {
	var out []string
	for _, id := range ids {
		out = append(out, fmt.Sprint(id))
	}
	return strings.Join(out, " ")
}

// expected are hidden states that the reference implementation gave.
type expected struct {
	Cases []struct {
		Text   string
		IDs    []int32
		Hidden [][][]float32 // [layer][token][first numbers]
	}
}

func readExpected(t *testing.T, path string) *expected {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var e expected
	if err := json.NewDecoder(r).Decode(&e); err != nil {
		t.Fatal(err)
	}
	if len(e.Cases) == 0 {
		t.Fatal("no cases")
	}
	return &e
}

func open(t testing.TB, dir string, o Options) *Backend {
	t.Helper()
	b, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// checkModel compares every layer of every case, all in one call and each alone.
func checkModel(t *testing.T, dir, file string, tolerance float64) {
	e := readExpected(t, filepath.Join(dir, file))
	for layer := range e.Cases[0].Hidden {
		b := open(t, dir, Options{Layer: &layer, Tokenizer: numbers{}, TokenizerName: "numbers"})
		var texts []string
		for _, c := range e.Cases {
			texts = append(texts, text(c.IDs))
		}
		var all backend.Batch
		if err := b.Embed(t.Context(), &all, texts); err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, c := range e.Cases {
			var alone backend.Batch
			if err := b.Embed(t.Context(), &alone, texts[i:i+1]); err != nil {
				t.Fatal(err)
			}
			tokens, data := all.Text(i)
			if len(tokens) != len(c.IDs) {
				t.Fatalf("%d tokens of %d ids", len(tokens), len(c.IDs))
			}
			for j := range data {
				if data[j] != alone.Data[j] {
					t.Fatalf("layer %d, case %d: number %d is %v among others and %v alone", layer, i, j, data[j], alone.Data[j])
				}
			}
			for j, want := range c.Hidden[layer] {
				for k, w := range want {
					worst = max(worst, math.Abs(float64(data[j*all.Dim+k]-w)))
				}
			}
		}
		if worst > tolerance {
			t.Errorf("layer %d is off by %g", layer, worst)
		}
	}
}

// The hidden states of testdata are the reference implementation's: see
// scripts/record_models.py. They are rounded to 5 decimals.
func TestOwnModels(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*/config.json")
	if err != nil || len(dirs) != 6 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, d := range dirs {
		t.Run(filepath.Base(filepath.Dir(d)), func(t *testing.T) { checkModel(t, filepath.Dir(d), "expected.json", 2.5e-5) })
	}
}

func TestGoldenModels(t *testing.T) {
	root := shareddata.Path(t, "golden", "models")
	dirs, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(dirs) != 7 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkModel(t, dir, "expected.json.gz", 2e-5) })
	}
}

// The golden models with their own tokenizers, from text.
func TestGoldenText(t *testing.T) {
	root := shareddata.Path(t, "golden", "models")
	for _, name := range []string{"bert", "roberta", "xlm-roberta", "distilbert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(root, name)
			e := readExpected(t, filepath.Join(dir, "expected.json.gz"))
			layer := 1
			b := open(t, dir, Options{Layer: &layer, NoPrefixSpace: true})
			for i, c := range e.Cases {
				if strings.TrimSpace(c.Text) != c.Text {
					continue // Embed leaves out white space around a text
				}
				pieces, _ := b.tok.EncodeMax(nil, c.Text, b.opt.MaxTokens)
				var ids []int32
				for _, p := range pieces {
					ids = append(ids, p.ID)
				}
				if text(ids) != text(c.IDs) {
					t.Errorf("case %d, %q: ids %v, want %v", i, c.Text, ids, c.IDs)
					continue
				}
				var batch backend.Batch
				if err := b.Embed(t.Context(), &batch, []string{c.Text}); err != nil {
					t.Fatal(err)
				}
				for k, w := range c.Hidden[layer][0] {
					if math.Abs(float64(batch.Data[k]-w)) > 2e-5 {
						t.Errorf("case %d: number %d is %v, want %v", i, k, batch.Data[k], w)
					}
				}
			}
		})
	}
}

func TestConformance(t *testing.T) {
	layer := 2
	for _, o := range []Options{{Layer: &layer, Tokenizer: letters{}, TokenizerName: "letters"}, {Layer: &layer}, {Layer: &layer, Workers: 1, MaxTokens: 9}} {
		open := func() (backend.Backend, error) { return Open("testdata/bert", o) }
		if err := backendtest.Test(open, backendtest.Options{}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// letters makes a piece of every character that is not white space, between special ones.
type letters struct{}

func (letters) EncodeMax(dst []Piece, text string, max int) ([]Piece, bool) {
	dst = append(dst, Piece{ID: 2, Text: "[CLS]", Special: true})
	cut := false
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		start := i
		i += width
		if unicode.IsSpace(r) {
			continue
		}
		if len(dst) == max-1 {
			cut = true
			break
		}
		dst = append(dst, Piece{ID: 4 + r%80, Text: string(r), Start: start, End: i})
	}
	return append(dst, Piece{ID: 3, Text: "[SEP]", Special: true}), cut
}

func TestOptions(t *testing.T) {
	layer, high, low := 1, 3, -1
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Tokenizer: numbers{}, TokenizerName: "n"}, "no layer is known to be good for a model called bert"},
		{Options{Layer: &high, Tokenizer: numbers{}, TokenizerName: "n"}, "layer 3 is not in 0 to 2"},
		{Options{Layer: &low, Tokenizer: numbers{}, TokenizerName: "n"}, "layer -1 is not in 0 to 2"},
		{Options{Layer: &layer, MaxTokens: 41, Tokenizer: numbers{}, TokenizerName: "n"}, "MaxTokens 41"},
		{Options{Layer: &layer, MaxTokens: 2, Tokenizer: numbers{}, TokenizerName: "n"}, "MaxTokens 2"},
		{Options{Layer: &layer, Tokenizer: numbers{}}, "TokenizerName"},
	} {
		if _, err := Open("testdata/bert", tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.opt, err, tt.want)
		}
	}
	if _, err := Open("testdata/mpnet", Options{Layer: &layer}); err == nil || !strings.Contains(err.Error(), "no vocab.txt") {
		t.Errorf("no tokenizer: error %v", err)
	}
	long := strings.Repeat("5 ", 50)
	b := open(t, "testdata/bert", Options{Layer: &layer, Tokenizer: numbers{}, TokenizerName: "n"})
	var batch backend.Batch
	if err := b.Embed(t.Context(), &batch, []string{"1", long, "2"}); err != nil || len(batch.Truncated) != 1 || batch.Truncated[0] != 1 || batch.Offsets[2] != 41 {
		t.Errorf("truncated %v at %v, %v", batch.Truncated, batch.Offsets, err)
	}
	b = open(t, "testdata/bert", Options{Layer: &layer, RefuseLong: true, Tokenizer: numbers{}, TokenizerName: "n"})
	if err := b.Embed(t.Context(), &batch, []string{long}); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("a long text refused: error %v", err)
	}
	if err := b.Embed(t.Context(), &batch, []string{"90"}); err == nil || !strings.Contains(err.Error(), "id 90") {
		t.Errorf("an id out of range: error %v", err)
	}
	two := open(t, "testdata/distilbert", Options{Layer: &layer, Tokenizer: numbers{}, TokenizerName: "n"})
	if two.Info().Signature.String() == b.Info().Signature.String() {
		t.Error("two models with one signature")
	}
}

// A damaged model is an error that names what is wrong.
func TestDamagedModels(t *testing.T) {
	config, err := os.ReadFile("testdata/bert/config.json")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile("testdata/bert/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(config, &fields); err != nil {
		t.Fatal(err)
	}
	with := func(name string, value any) []byte {
		changed := make(map[string]any)
		for k, v := range fields {
			changed[k] = v
		}
		changed[name] = value
		if value == nil {
			delete(changed, name)
		}
		data, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	layer := 2
	for _, tt := range []struct {
		config, weights []byte
		want            string
	}{
		{[]byte("{"), weights, "config.json: "},
		{with("model_type", "t5"), weights, `model_type: "t5"`},
		{with("model_type", nil), weights, "model_type: missing"},
		{with("hidden_size", nil), weights, "hidden_size: missing"},
		{with("hidden_size", int64(1)<<40), weights, "hidden_size: "},
		{with("hidden_size", "24"), weights, "hidden_size: "},
		{with("hidden_size", 25), weights, "hidden_size: 25 can't be divided among 3 heads"},
		{with("num_attention_heads", 0), weights, "num_attention_heads: 0"},
		{with("num_hidden_layers", 5000), weights, "num_hidden_layers: 5000"},
		{with("num_hidden_layers", 3), weights, ""}, // the third is not asked for
		{with("hidden_act", "relu"), weights, `hidden_act: "relu"`},
		{with("position_embedding_type", "relative_key"), weights, "position_embedding_type"},
		{with("layer_norm_eps", -1), weights, "layer_norm_eps"},
		{with("vocab_size", 91), weights, "tensor embeddings.word_embeddings.weight: shape [90 24], want [91 24]"},
		{with("intermediate_size", 41), weights, "shape [40 24], want [41 24]"},
		{with("max_position_embeddings", 39), weights, "position_embeddings"},
		{with("is_decoder", true), weights, "is_decoder"},
		{config, weights[:len(weights)-4], "data_offsets"},
		{config, weights[:100], "header length"},
		{config, nil, "safetensors"},
		{config, []byte(strings.Replace(string(weights), "layer.1.output.dense.bias", "layer.1.output.dense.bixs", 1)), "layer.1.output.dense.bias: missing"},
	} {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"config.json": tt.config, "model.safetensors": tt.weights} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, err := Open(dir, Options{Layer: &layer, Tokenizer: numbers{}, TokenizerName: "n"})
		switch {
		case tt.want == "" && err == nil:
			b.Close()
		case tt.want == "" || err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, name := range []string{"bert", "distilbert", "mpnet", "roberta-f16"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, "config.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig(data)
		if err == nil && (c.hidden%c.heads != 0 || c.maxTokens() < 1 || c.hidden > limit) {
			t.Fatalf("%+v", c)
		}
	})
}

// BenchmarkEmbed runs MiniLM, if MTEVAL_MINILM names its folder.
func BenchmarkEmbed(b *testing.B) {
	dir := os.Getenv("MTEVAL_MINILM")
	if dir == "" {
		b.Skip("needs MTEVAL_MINILM, the folder of a MiniLM model")
	}
	data, err := os.ReadFile(shareddata.Path(b, "data", "wmt19-de-en", "ref.en"))
	if err != nil {
		b.Fatal(err)
	}
	texts := strings.Split(strings.TrimSpace(string(data)), "\n")
	layer := 6
	m := open(b, dir, Options{Layer: &layer, Workers: 1})
	var batch backend.Batch
	for b.Loop() {
		if err := m.Embed(context.Background(), &batch, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "sentences/s")
}

package transformer

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/bert/berttest"
	"github.com/mteval/mteval/internal/shareddata"
)

func openAny(dir string, o bert.Options) (backend.Backend, error) { return Open(dir, o) }

func TestOwnModels(t *testing.T)     { berttest.Own(t, openAny, "testdata", 0) }
func TestGoldenModels(t *testing.T)  { berttest.Golden(t, openAny, 0) }
func TestGoldenText(t *testing.T)    { berttest.GoldenText(t, openAny) }
func TestTiny(t *testing.T)          { berttest.Tiny(t, openAny, 2e-6) }
func TestMiniLM(t *testing.T)        { berttest.MiniLM(t, openAny, 1e-5) }
func TestTorch(t *testing.T)         { berttest.Torch(t, openAny, "testdata") }
func TestReleased(t *testing.T)      { berttest.Released(t, openAny) }
func TestLongText(t *testing.T)      { berttest.LongText(t, openAny) }
func TestNames(t *testing.T)         { berttest.Names(t, openAny, "testdata") }
func TestSpelled(t *testing.T)       { berttest.Spelled(t, openAny) }
func TestLimits(t *testing.T)        { berttest.Limits(t, openAny, "testdata") }
func TestGoldenDeberta(t *testing.T) { berttest.GoldenDeberta(t, openAny) }
func TestLiars(t *testing.T)         { berttest.Liars(t, openAny, "testdata") }

// Two layers of three blocks and three heads, the tokenizer, and Embed's own.
func TestCancel(t *testing.T) { berttest.Cancel(t, openAny, "testdata", 2*(2+3)+4) }

func open(t testing.TB, dir string, o Options) *Backend {
	t.Helper()
	b, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestConformance(t *testing.T) {
	layer := 2
	for _, o := range []Options{{Layer: &layer, Tokenizer: berttest.Letters{}, TokenizerName: "letters"}, {Layer: &layer}, {Layer: &layer, Workers: 1, MaxTokens: 9}, {Layer: &layer, DType: BFloat16}} {
		open := func() (backend.Backend, error) { return Open("testdata/bert", o) }
		if err := backendtest.Test(open, backendtest.Options{}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestOptions(t *testing.T) {
	layer, high, low := 1, 3, -1
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Tokenizer: berttest.Numbers{}, TokenizerName: "n"}, "no layer is known to be good for a model called bert"},
		{Options{Layer: &high, Tokenizer: berttest.Numbers{}, TokenizerName: "n"}, "layer 3 is not in 0 to 2"},
		{Options{Layer: &low, Tokenizer: berttest.Numbers{}, TokenizerName: "n"}, "layer -1 is not in 0 to 2"},
		{Options{Layer: &layer, MaxTokens: 41, Tokenizer: berttest.Numbers{}, TokenizerName: "n"}, "MaxTokens 41"},
		{Options{Layer: &layer, MaxTokens: 2, Tokenizer: berttest.Numbers{}, TokenizerName: "n"}, "MaxTokens 2"},
		{Options{Layer: &layer, Tokenizer: berttest.Numbers{}}, "TokenizerName"},
	} {
		if _, err := Open("testdata/bert", tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.opt, err, tt.want)
		}
	}
	if _, err := Open("testdata/mpnet", Options{Layer: &layer}); err == nil || !strings.Contains(err.Error(), "no vocab.txt") {
		t.Errorf("no tokenizer: error %v", err)
	}
	long := strings.Repeat("5 ", 50)
	b := open(t, "testdata/bert", Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n"})
	var batch backend.Batch
	if err := b.Embed(t.Context(), &batch, []string{"1", long, "2"}); err != nil || len(batch.Truncated) != 1 || batch.Truncated[0] != 1 || batch.Offsets[2] != 41 {
		t.Errorf("truncated %v at %v, %v", batch.Truncated, batch.Offsets, err)
	}
	b = open(t, "testdata/bert", Options{Layer: &layer, RefuseLong: true, Tokenizer: berttest.Numbers{}, TokenizerName: "n"})
	var refused *backend.TextError
	if err := b.Embed(t.Context(), &batch, []string{"1", long, "2"}); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &refused) || refused.Text != long {
		t.Errorf("a long text refused: error %v", err)
	} else if want := `transformer: text "5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 ": text is too long: more than 40 tokens`; err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := b.Embed(t.Context(), &batch, []string{"90"}); err == nil || !strings.Contains(err.Error(), "id 90") {
		t.Errorf("an id out of range: error %v", err)
	}
	two := open(t, "testdata/distilbert", Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n"})
	if two.Info().Signature.String() == b.Info().Signature.String() {
		t.Error("two models with one signature")
	}
}

// The comments of aliases tell the fields of the types, in order.
func TestAliasesTellFields(t *testing.T) {
	source, err := os.ReadFile("transformer.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Options](), reflect.TypeFor[Piece]()} {
		_, rest, _ := strings.Cut(string(source), "\t// "+of.Name()+" ")
		comment, _, ok := strings.Cut(rest, "\n\t"+of.Name()+" = ")
		if !ok {
			t.Fatalf("no comment of %s", of.Name())
		}
		for i := range of.NumField() {
			name := of.Field(i).Name
			if _, after, found := strings.Cut(comment, name); found {
				comment = after
			} else {
				t.Errorf("the comment of %s has no %s in its place", of.Name(), name)
			}
		}
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
		b, err := Open(dir, Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n"})
		switch {
		case tt.want == "" && err == nil:
			b.Close()
		case tt.want == "" || err == nil || !strings.Contains(err.Error(), tt.want):
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// Blocks of rows, here of one tile or a few, change no bit.
func TestBlocks(t *testing.T) {
	for _, name := range []string{"bert", "mpnet", "deberta-v1", "deberta-v2-conv", "deberta-v3-far"} {
		layer := 2
		b := open(t, filepath.Join("testdata", name), Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n"})
		texts := []string{"1 2 3", strings.Repeat("5 7 11 13 ", 9), "", strings.Repeat("1 ", 25)}
		var want, got backend.Batch
		if err := b.Embed(t.Context(), &want, texts); err != nil {
			t.Fatal(err)
		}
		for _, work := range []int{1, 30_000, 100_000} {
			whole, wide := blockWork, band
			blockWork, band = work, 1+work%13
			err := b.Embed(t.Context(), &got, texts)
			blockWork, band = whole, wide
			if d := cmp.Diff(want, got); err != nil || d != "" {
				t.Errorf("%s, blocks of %d: %v (-want +got):\n%s", name, work, err, d)
			}
		}
	}
}

// Blocks follow each other, and none has more work than it should but for whole tiles.
func TestBlockSizes(t *testing.T) {
	for n := range 200 {
		for _, work := range []int{1, blockWork / 100, blockWork / 25, blockWork / 24, blockWork, math.MaxInt32} {
			at := 0
			err := blocks(t.Context(), n, work, func(lo, hi int) {
				if lo != at || hi <= lo || hi > n || hi-lo > max(2*tileRows, blockWork/work+tileRows) {
					t.Fatalf("%d rows of %d: %d to %d after %d", n, work, lo, hi, at)
				}
				at = hi
			})
			if err != nil || at != n {
				t.Fatalf("%d rows of %d: %v at %d", n, work, err, at)
			}
		}
	}
}

// Chunks are of all texts, in order, as many as there are goroutines where texts allow it, and
// change no bit.
func TestChunks(t *testing.T) {
	layer := 2
	o := Options{Layer: &layer, Workers: 1, Tokenizer: berttest.Numbers{}, TokenizerName: "n"}
	texts := []string{strings.Repeat("5 7 11 13 ", 9), "1 2 3", "", strings.Repeat("1 ", 25), strings.Repeat("7 9 ", 12), "4"}
	var want backend.Batch
	if err := open(t, filepath.Join("testdata", "bert"), o).Embed(t.Context(), &want, texts); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		workers int
		chunks  [][2]int
	}{
		{1, [][2]int{{0, 6}}},
		{2, [][2]int{{0, 4}, {4, 6}}},
		{9, [][2]int{{0, 1}, {1, 4}, {4, 5}, {5, 6}}},
	} {
		o.Workers = c.workers
		b := open(t, filepath.Join("testdata", "bert"), o)
		var got backend.Batch
		err := b.Embed(t.Context(), &got, texts)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%d workers: %v (-want +got):\n%s", c.workers, err, d)
		}
		one := call{b: b}
		one.split(got.Offsets)
		if d := cmp.Diff(c.chunks, one.chunks); d != "" {
			t.Errorf("%d workers, offsets %d (-want +got):\n%s", c.workers, got.Offsets, d)
		}
	}
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

package berttest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/shareddata"
)

// Damage copies the model in dir to a folder of its own, with files changed or added, and
// returns that.
func Damage(t testing.TB, dir string, files map[string][]byte) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(dir))
	if err := os.CopyFS(out, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Rename returns a safetensors file with other names: name is called with every tensor's,
// and gives what it is to be called, nothing to leave it out, or several names of the same
// numbers, each with its own copy of them.
func Rename(t testing.TB, file []byte, name func(string) []string) []byte {
	t.Helper()
	length := binary.LittleEndian.Uint64(file)
	var header map[string]struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(bytes.Replace(file[8:8+length], []byte(`"__metadata__":{"format":"pt"},`), nil, 1), &header); err != nil {
		t.Fatal(err)
	}
	body := file[8+length:]
	changed := make(map[string]any)
	var data []byte
	for _, old := range slices.Sorted(maps.Keys(header)) {
		x := header[old]
		numbers := body[x.Offsets[0]:x.Offsets[1]]
		for _, n := range name(old) {
			start := len(data)
			data = append(data, numbers...)
			x.Offsets = [2]int{start, len(data)}
			changed[n] = x
		}
	}
	out, err := json.Marshal(changed)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(out))), out, data)
}

// Names checks that weights are found by all names that they are known by, in the models
// in root, and that two names for the same are an error.
func Names(t *testing.T, open Open, root string) {
	old := strings.NewReplacer("orm.weight", "orm.gamma", "orm.bias", "orm.beta")
	turn := 0
	for _, c := range []struct {
		what, want string
		name       func(string) []string
	}{
		{"old names", "", func(n string) []string { return []string{old.Replace(n)} }},
		{"old names here and there", "", func(n string) []string {
			if turn++; turn%2 == 0 {
				return []string{old.Replace(n)}
			}
			return []string{n}
		}},
		{"a model with a head", "", func(n string) []string { return []string{"bert." + old.Replace(n)} }},
		{"a head and a model beside it", "", func(n string) []string { return []string{"bert." + n, "question_encoder." + n} }},
		{"saved from DataParallel", "", func(n string) []string { return []string{"module.bert." + n} }},
		{"the same twice", "tensor embeddings.LayerNorm.weight: is there under the old name embeddings.LayerNorm.gamma as well", func(n string) []string {
			if n == "embeddings.LayerNorm.weight" {
				return []string{n, old.Replace(n)}
			}
			return []string{n}
		}},
		{"an old name of what has none", "encoder.layer.0.output.dense.bias: missing", func(n string) []string {
			return []string{strings.Replace(n, "layer.0.output.dense.bias", "layer.0.output.dense.beta", 1)}
		}},
		{"two models", "embeddings.word_embeddings.weight: more than one model, and none has names that begin with bert.", func(n string) []string { return []string{"question." + n, "context." + n} }},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := filepath.Join(root, "bert")
			weights, err := os.ReadFile(filepath.Join(dir, "model.safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			layer := 2
			o := bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers"}
			b, err := open(Damage(t, dir, map[string][]byte{"model.safetensors": Rename(t, weights, c.name)}), o)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			var got, want backend.Batch
			text := []string{"5 17 3 80"}
			if err := b.Embed(ctx, &got, text); err != nil {
				t.Fatal(err)
			}
			if err := open.open(t, dir, o).Embed(ctx, &want, text); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(want, got) {
				t.Errorf("other vectors: %+v, want %+v", got, want)
			}
		})
	}
}

// Spelled checks that a text which spells special pieces gives them no weight, and other
// added tokens the weight that all have.
func Spelled(t *testing.T, open Open) {
	for _, c := range []struct {
		model, text string
		want        map[string]float32 // weights of pieces wherever they are
	}{
		{"models/bert", "the [SEP] old [CLS] house [MASK] [UNK] [PAD]", map[string]float32{"[SEP]": 0, "[CLS]": 0, "[MASK]": 1, "[UNK]": 1, "[PAD]": 1}},
		{"models/distilbert", "[CLS][SEP] a", map[string]float32{"[SEP]": 0, "[CLS]": 0}},
		{"models/roberta", "the </s> old <s> <mask> <pad> <unk>", map[string]float32{"</s>": 0, "<s>": 0, "<pad>": 1, "<unk>": 1}},
		{"models/xlm-roberta", "</s> the <s> <pad> <unk>", map[string]float32{"</s>": 0, "<s>": 0, "<pad>": 1, "<unk>": 1}},
		{"models/mpnet", "a</s><s>b<unk>", map[string]float32{"</s>": 0, "<s>": 0, "<unk>": 1}},
		{"bertscore/tinybert", "the [SEP] cat [CLS] [UNK]", map[string]float32{"[SEP]": 0, "[CLS]": 0, "[UNK]": 1}},
	} {
		layer := 1
		b := open.open(t, shareddata.Path(t, append([]string{"golden"}, strings.Split(c.model, "/")...)...), bert.Options{Layer: &layer})
		var batch backend.Batch
		if err := b.Embed(ctx, &batch, []string{"", c.text}); err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		tokens, _ := batch.Text(1)
		for j, k := range tokens {
			around := j == 0 || j == len(tokens)-1
			want, named := c.want[k.Text]
			if !named {
				want = 1
			}
			if k.Weight != want {
				t.Errorf("%s, token %d of %q: weight %v, want %v", c.model, j, c.text, k.Weight, want)
			}
			if !around {
				seen[k.Text] = true
				if k.End == 0 || named && k.Text != c.text[k.Start:k.End] {
					t.Errorf("%s, token %d of %q: %+v", c.model, j, c.text, k)
				}
			}
		}
		for p := range c.want {
			if !seen[p] {
				t.Errorf("%s: no piece %s in %q: %+v", c.model, p, c.text, tokens)
			}
		}
	}

	// A case of bert_score's, of ../shared/cases.
	const hyp, ref = "the old house stands </s>", "the old house stands"
	s := open.scorer(t, shareddata.Path(t, "golden", "models", "roberta"), 2, bertscore.Options{})
	r, err := mteval.Sentence(ctx, s, []string{ref}, hyp)
	if err != nil {
		t.Fatal(err)
	}
	v := s.PRF(r.Row(0))
	if math.Abs(v.P-.954292)+math.Abs(v.R-.995842)+math.Abs(v.F-.974624) > 3e-6 {
		t.Errorf("%q against %q: %+v", hyp, ref, v)
	}
}

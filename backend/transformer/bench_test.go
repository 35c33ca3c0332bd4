package transformer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert/berttest"
)

// BenchmarkKinds runs BERT and the kinds of DeBERTa at the width of their base models, two
// layers of random numbers, over texts of 30 tokens and of 300.
func BenchmarkKinds(b *testing.B) {
	for _, c := range []struct {
		name, kind string
		config     map[string]any
	}{
		{"bert", "bert", nil},
		{"deberta-base", "deberta", map[string]any{"pos_att_type": "c2p|p2c", "relative_attention": true, "position_biased_input": false}},
		{"deberta-v3-base", "deberta-v2", map[string]any{"pos_att_type": "c2p|p2c", "relative_attention": true, "position_biased_input": false,
			"position_buckets": 256, "share_att_key": true, "norm_rel_ebd": "layer_norm"}},
	} {
		dir := b.TempDir()
		writeRandom(b, dir, c.kind, c.config)
		layer := 2
		m := open(b, dir, Options{Layer: &layer, Workers: 1, Tokenizer: berttest.Numbers{}, TokenizerName: "numbers"})
		for _, length := range []int{30, 300} {
			texts := make([]string, 1200/length)
			for i := range texts {
				texts[i] = strings.Repeat("5 17 99 ", length/3)
			}
			b.Run(fmt.Sprintf("%s/%d", c.name, length), func(b *testing.B) {
				var batch backend.Batch
				b.ReportAllocs()
				for b.Loop() {
					if err := m.Embed(b.Context(), &batch, texts); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(1200*b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

// The size of the base models, but for layers and words.
const benchHidden, benchInter, benchVocab, benchLayers = 768, 3072, 100, 2

// shapes are the tensors of a model.
func shapes(kind string) map[string][]int {
	const hidden = benchHidden
	names := map[string][]int{"embeddings.word_embeddings.weight": {benchVocab, hidden}}
	linear := func(name string, in, out int) {
		names[name+".weight"], names[name+".bias"] = []int{out, in}, []int{out}
	}
	norm := func(name string) { names[name+".weight"], names[name+".bias"] = []int{hidden}, []int{hidden} }
	norm("embeddings.LayerNorm")
	parts := map[string][]string{"bert": {"query", "key", "value"}, "deberta": {"pos_q_proj"}, "deberta-v2": {"query_proj", "key_proj", "value_proj"}}
	for i := range benchLayers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		linear(p+"attention.output.dense", hidden, hidden)
		linear(p+"intermediate.dense", hidden, benchInter)
		linear(p+"output.dense", benchInter, hidden)
		norm(p + "attention.output.LayerNorm")
		norm(p + "output.LayerNorm")
		p += "attention.self."
		for _, n := range parts[kind] {
			linear(p+n, hidden, hidden)
		}
		if kind == "deberta" {
			names[p+"in_proj.weight"], names[p+"pos_proj.weight"] = []int{3 * hidden, hidden}, []int{hidden, hidden}
			names[p+"q_bias"], names[p+"v_bias"] = []int{hidden}, []int{hidden}
		}
	}
	switch kind {
	case "bert":
		names["embeddings.position_embeddings.weight"] = []int{512, hidden}
		names["embeddings.token_type_embeddings.weight"] = []int{2, hidden}
	case "deberta":
		names["encoder.rel_embeddings.weight"] = []int{1024, hidden}
	default:
		names["encoder.rel_embeddings.weight"] = []int{512, hidden}
		norm("encoder.LayerNorm")
	}
	return names
}

// writeRandom writes a model of random numbers.
func writeRandom(b *testing.B, dir, kind string, fields map[string]any) {
	config := map[string]any{"model_type": kind, "hidden_size": benchHidden, "num_attention_heads": 12, "num_hidden_layers": benchLayers,
		"intermediate_size": benchInter, "max_position_embeddings": 512, "vocab_size": benchVocab}
	for k, v := range fields {
		config[k] = v
	}
	random := rand.New(rand.NewPCG(1, 2))
	header, body := make(map[string]any), []byte(nil)
	for name, shape := range shapes(kind) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		numbers := make([]float32, n)
		for i := range numbers {
			numbers[i] = float32(random.NormFloat64() * .04)
		}
		start := len(body)
		body, _ = binary.Append(body, binary.LittleEndian, numbers)
		header[name] = map[string]any{"dtype": "F32", "shape": shape, "data_offsets": []int{start, len(body)}}
	}
	head, err := json.Marshal(header)
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(config)
	if err != nil {
		b.Fatal(err)
	}
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	for name, data := range map[string][]byte{"config.json": text, "model.safetensors": append(file, body...)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

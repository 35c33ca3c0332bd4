package transformer

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
		dir := baseSize.write(b, c.kind, c.config)
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

// A size is that of a model of random numbers.
type size struct {
	hidden, inter, vocab, layers int
	dtype                        string
	shift                        int // bytes by which the numbers begin beside a multiple of 8
}

// baseSize is that of the base models, but for layers and words.
var baseSize = size{hidden: 768, inter: 3072, vocab: 100, layers: 2, dtype: "F32"}

// shapes are the tensors of a model.
func (s *size) shapes(kind string) map[string][]int {
	hidden := s.hidden
	names := map[string][]int{"embeddings.word_embeddings.weight": {s.vocab, hidden}}
	linear := func(name string, in, out int) {
		names[name+".weight"], names[name+".bias"] = []int{out, in}, []int{out}
	}
	norm := func(name string) { names[name+".weight"], names[name+".bias"] = []int{hidden}, []int{hidden} }
	norm("embeddings.LayerNorm")
	parts := map[string][]string{"bert": {"query", "key", "value"}, "deberta": {"pos_q_proj"}, "deberta-v2": {"query_proj", "key_proj", "value_proj"}}
	for i := range s.layers {
		p := fmt.Sprintf("encoder.layer.%d.", i)
		linear(p+"attention.output.dense", hidden, hidden)
		linear(p+"intermediate.dense", hidden, s.inter)
		linear(p+"output.dense", s.inter, hidden)
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

// write writes a model of random numbers and returns its folder.
func (s *size) write(tb testing.TB, kind string, fields map[string]any) string {
	tb.Helper()
	config := map[string]any{"model_type": kind, "hidden_size": s.hidden, "num_attention_heads": 12, "num_hidden_layers": s.layers,
		"intermediate_size": s.inter, "max_position_embeddings": 512, "vocab_size": s.vocab}
	for k, v := range fields {
		config[k] = v
	}
	random := rand.New(rand.NewPCG(1, 2))
	header, body := make(map[string]any), []byte(nil)
	shapes := s.shapes(kind)
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		shape, n := shapes[name], 1
		for _, d := range shape {
			n *= d
		}
		start := len(body)
		for range n {
			bits := math.Float32bits((random.Float32() - .5) * .14)
			switch s.dtype {
			case "BF16":
				body = binary.LittleEndian.AppendUint16(body, uint16(bits>>16))
			case "F16": // other numbers, of the same size
				body = binary.LittleEndian.AppendUint16(body, uint16(bits>>16&1<<15|8<<10|bits>>13&(1<<10-1)))
			default:
				body = binary.LittleEndian.AppendUint32(body, bits)
			}
		}
		header[name] = map[string]any{"dtype": s.dtype, "shape": shape, "data_offsets": []int{start, len(body)}}
	}
	head, err := json.Marshal(header)
	if err != nil {
		tb.Fatal(err)
	}
	head = append(head, strings.Repeat(" ", (8-len(head)%8)%8+s.shift)...)
	text, err := json.Marshal(config)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)
	for name, data := range map[string][]byte{"config.json": text, "model.safetensors": append(file, body...)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

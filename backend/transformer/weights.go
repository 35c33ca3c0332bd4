package transformer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/safetensors"
	"github.com/mteval/mteval/internal/simd"
)

// model holds the weights, the matrices packed for the kernels. Layers above the one
// asked for are not loaded.
type model struct {
	*config
	words     []float32 // [vocab][hidden]
	places    []float32 // [positions][hidden]
	firstType []float32 // [hidden], nil: none
	norm      norm
	layers    []layer
	// bias of attention by head and bucket of distance (MPNet); nil: none.
	bias []float32 // [buckets][heads]
}

type layer struct {
	qkv, out, up, down linear
	norm1, norm2       norm // after attention, after the rest
}

type linear struct {
	w    *simd.Packed
	bias []float32
}

type norm struct{ weight, bias []float32 }

// names are a model's names of a layer's weights.
type names struct{ layer, q, k, v, out, norm1, up, down, norm2 string }

var (
	bertNames = names{
		"encoder.layer.%d.", "attention.self.query", "attention.self.key", "attention.self.value",
		"attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
	}
	mpnetNames = names{
		"encoder.layer.%d.", "attention.attn.q", "attention.attn.k", "attention.attn.v",
		"attention.attn.o", "attention.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
	}
	distilNames = names{
		"transformer.layer.%d.", "attention.q_lin", "attention.k_lin", "attention.v_lin",
		"attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm",
	}
)

// loader reads weights by name and remembers the first failure.
type loader struct {
	set    *safetensors.Set
	prefix string // of all names, such as "bert."
	err    error
}

// get returns the numbers of a tensor, which must have this shape.
func (l *loader) get(name string, shape ...int) []float32 {
	if l.err != nil {
		return nil
	}
	t, ok := l.set.Get(l.prefix + name)
	if !ok {
		l.err = fmt.Errorf("tensor %s%s: missing", l.prefix, name)
		return nil
	}
	if !slices.Equal(t.Shape, shape) {
		l.err = fmt.Errorf("tensor %s: shape %v, want %v by config.json", t.Name, t.Shape, shape)
		return nil
	}
	v, err := t.Float32s()
	if err != nil {
		l.err = err
	}
	return v
}

func (l *loader) norm(name string, n int) norm {
	return norm{l.get(name+".weight", n), l.get(name+".bias", n)}
}

// linear packs a matrix of `in` columns.
func (l *loader) linear(in, out int, name string) linear {
	w, bias := l.get(name+".weight", out, in), l.get(name+".bias", out)
	if l.err != nil {
		return linear{}
	}
	return linear{simd.Pack(w, in, out), bias}
}

// attention packs the matrices of queries, keys and values, the queries scaled by one
// over the root of a head's size, as attention needs them.
func (l *loader) attention(c *config, q, k, v string) linear {
	var w, bias []float32
	for _, name := range []string{q, k, v} {
		w = append(w, l.get(name+".weight", c.hidden, c.hidden)...)
		bias = append(bias, l.get(name+".bias", c.hidden)...)
	}
	if l.err != nil {
		return linear{}
	}
	scale := float32(1 / math.Sqrt(float64(c.hidden/c.heads)))
	for i := range w[:c.hidden*c.hidden] {
		w[i] *= scale
	}
	for i := range bias[:c.hidden] {
		bias[i] *= scale
	}
	return linear{simd.Pack(w, c.hidden, 3*c.hidden), bias}
}

// load reads the weights up to a layer.
func load(c *config, set *safetensors.Set, upTo int) (*model, error) {
	l := &loader{set: set}
	const words = "embeddings.word_embeddings.weight"
	for _, name := range set.Names() {
		if p, ok := strings.CutSuffix(name, words); ok {
			l.prefix = p
			break
		}
	}
	m := &model{config: c}
	m.words = l.get(words, c.vocab, c.hidden)
	m.places = l.get("embeddings.position_embeddings.weight", c.positions, c.hidden)
	if c.types > 0 {
		if types := l.get("embeddings.token_type_embeddings.weight", c.types, c.hidden); types != nil {
			m.firstType = types[:c.hidden]
		}
	}
	m.norm = l.norm("embeddings.LayerNorm", c.hidden)
	n := bertNames
	switch c.kind {
	case "mpnet":
		n = mpnetNames
		m.bias = l.get("encoder.relative_attention_bias.weight", c.buckets, c.heads)
	case "distilbert":
		n = distilNames
	}
	for i := range upTo {
		p := fmt.Sprintf(n.layer, i)
		m.layers = append(m.layers, layer{
			qkv:   l.attention(c, p+n.q, p+n.k, p+n.v),
			out:   l.linear(c.hidden, c.hidden, p+n.out),
			norm1: l.norm(p+n.norm1, c.hidden),
			up:    l.linear(c.hidden, c.inter, p+n.up),
			down:  l.linear(c.inter, c.hidden, p+n.down),
			norm2: l.norm(p+n.norm2, c.hidden),
		})
	}
	return m, l.err
}

package bert

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/tensors"
	"github.com/mteval/mteval/internal/weights"
)

// Embeddings are the weights below the first layer.
type Embeddings struct {
	Words     tensors.Table // [Vocab][Width]
	Places    []float32     // [Positions][Width], nil: none (DeBERTa)
	FirstType []float32     // [Width], nil: none
	Widen     []float32     // [Hidden][Width], nil: the width is Hidden
	Norm      Norm
	// Bias of attention by head and bucket of distance (MPNet); nil: none.
	Bias []float32 // [Buckets][Heads]
	// Relative positions of DeBERTa, normalised if the model does so; nil: no score needs them.
	Relative []float32 // [Rows][Hidden]
	// Conv is DeBERTa's convolution of the embeddings, which is added after the first layer,
	// and normalised with it.
	Conv     Linear // [Hidden][Kernel][Hidden], nothing: none
	ConvNorm Norm
}

// Layer is the weights of one layer. Queries are scaled already by one over the root of a
// head's size, as attention needs them, unless they are plain.
type Layer struct {
	QKV, Out, Up, Down Linear
	Norm1, Norm2       Norm // after attention, after the rest
	// PosKey and PosQuery make the keys and the queries, these scaled, of relative positions
	// (DeBERTa). Nothing: scores have no such term.
	PosKey, PosQuery Linear
}

// Linear is a matrix [out][in], and what is added.
type Linear struct{ Weight, Bias []float32 }

// Norm is what a normalisation multiplies with and adds.
type Norm struct{ Weight, Bias []float32 }

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
	set    *weights.Set
	root   string // of all names, such as "bert."
	err    error
	memory memory
}

// memory is for the matrices of a layer that can't be used as they stand in the files. It is
// used again for the next layer, which has the same: a layer that is left to the garbage
// collector stays, beside those of the model, until there are as many of the one as of the other.
type memory struct {
	all  [][]float32
	used int
}

// take returns the next n numbers of it, whatever these are.
func (m *memory) take(n int) []float32 {
	if m.used == len(m.all) {
		m.all = append(m.all, nil)
	}
	if len(m.all[m.used]) < n {
		m.all[m.used] = make([]float32, n)
	}
	m.used++
	return m.all[m.used-1][:n]
}

const words = "embeddings.word_embeddings.weight"

// roots are what the names of a kind's weights begin with in a file that was saved from a
// model with a head.
var roots = map[string]string{
	"bert": "bert.", "roberta": "roberta.", "xlm-roberta": "roberta.", "distilbert": "distilbert.", "mpnet": "mpnet.",
	"deberta": "deberta.", "deberta-v2": "deberta.",
}

// findRoot returns what the names of the weights begin with: as transformers does it
// prefers the kind's own root and then none. Another one, such as "module.bert.", has to be
// the only one.
func findRoot(set *weights.Set, kind string) (string, error) {
	var found []string
	for _, name := range set.Names() {
		if r, ok := strings.CutSuffix(name, words); ok && (r == "" || strings.HasSuffix(r, ".")) {
			found = append(found, r)
		}
	}
	for _, r := range []string{roots[kind], ""} {
		if slices.Contains(found, r) {
			return r, nil
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("tensors %s and %s: more than one model, and none has names that begin with %s", found[0]+words, found[1]+words, roots[kind])
}

// get returns the numbers of a tensor, which must have this shape.
func (l *loader) get(name string, shape ...int) []float32 {
	return l.getIn(func(n int) []float32 { return make([]float32, n) }, name, shape...)
}

// getIn is get with memory as tensors.Float32sIn takes it.
func (l *loader) getIn(take func(n int) []float32, name string, shape ...int) []float32 {
	t := l.find(name, shape...)
	if l.err != nil {
		return nil
	}
	v, err := t.Float32sIn(take)
	if err != nil {
		l.err = err
	}
	return v
}

// table returns a matrix that rows are read of.
func (l *loader) table(name string, shape ...int) tensors.Table {
	t := l.find(name, shape...)
	if l.err != nil {
		return tensors.Table{}
	}
	var table tensors.Table
	table, l.err = t.Table()
	return table
}

// find returns a tensor, which must have this shape.
func (l *loader) find(name string, shape ...int) tensors.Tensor {
	if l.err != nil {
		return tensors.Tensor{}
	}
	t, ok := l.set.Get(l.root + name)
	switch {
	case !ok:
		l.err = fmt.Errorf("tensor %s%s: missing", l.root, name)
	case !slices.Equal(t.Shape, shape):
		l.err = fmt.Errorf("tensor %s: shape %v, want %v by config.json", t.Name, t.Shape, shape)
	}
	return t
}

// norm reads a normalisation, which checkpoints as old as bert-base-uncased name as
// TensorFlow did.
func (l *loader) norm(name string, n int) Norm {
	return Norm{l.get(l.either(name+".weight", name+".gamma"), n), l.get(l.either(name+".bias", name+".beta"), n)}
}

// either returns the old name of a tensor if that is there. To have both is an error, as
// nothing says which is meant.
func (l *loader) either(name, old string) string {
	if _, ok := l.set.Get(l.root + old); !ok {
		return name
	}
	if _, both := l.set.Get(l.root + name); both && l.err == nil {
		l.err = fmt.Errorf("tensor %s%s: is there under the old name %[1]s%[3]s as well: remove one", l.root, name, old)
	}
	return old
}

// linear reads a matrix of a layer.
func (l *loader) linear(in, out int, name string) Linear {
	return Linear{l.getIn(l.memory.take, name+".weight", out, in), l.get(name+".bias", out)}
}

// attention joins the matrices of queries, keys and values.
func (l *loader) attention(c *Config, q, k, v string) Linear {
	var j Linear
	for i, name := range []string{q, k, v} {
		part := func(n int) []float32 {
			if j.Weight == nil { // the file has n numbers
				j.Weight = l.memory.take(3 * n)
			}
			return j.Weight[i*n : (i+1)*n]
		}
		if one := l.getIn(part, name+".weight", c.Hidden, c.Hidden); one != nil {
			copy(part(len(one)), one)
		}
		j.Bias = append(j.Bias, l.get(name+".bias", c.Hidden)...)
	}
	if l.err != nil {
		return Linear{}
	}
	scale(j.Weight[:c.Hidden*c.Hidden], c.scale())
	scale(j.Bias[:c.Hidden], c.scale())
	return j
}

func scale(v []float32, by float32) {
	for i := range v {
		v[i] *= by
	}
}

// Embeddings reads the weights below the first layer. The slices may be the files' memory:
// they are not to be changed, nor used after Close.
func (m *Model) Embeddings() (*Embeddings, error) {
	c, l := m.Config, &loader{set: m.files, root: m.root}
	e := &Embeddings{
		Words: l.table(words, c.Vocab, c.Width),
	}
	if c.Deberta == nil || c.Deberta.absolute {
		e.Places = l.get("embeddings.position_embeddings.weight", c.Positions, c.Width)
	}
	if c.types > 0 {
		if types := l.get("embeddings.token_type_embeddings.weight", c.types, c.Width); types != nil {
			e.FirstType = types[:c.Width]
		}
	}
	if c.Width != c.Hidden {
		e.Widen = l.get("embeddings.embed_proj.weight", c.Hidden, c.Width)
	}
	e.Norm = l.norm("embeddings.LayerNorm", c.Hidden)
	if c.Kind == "mpnet" {
		e.Bias = l.get("encoder.relative_attention_bias.weight", c.Buckets, c.Heads)
	}
	if c.Deberta != nil {
		l.deberta(c, e)
	}
	if l.err != nil {
		return nil, fmt.Errorf("%s: %w", m.source(), l.err)
	}
	return e, nil
}

// ReadLayers reads the weights of the layers that are run, one after the other, as Embeddings
// does, but for matrices, which stand until the next layer only. An error is the last.
func (m *Model) ReadLayers() iter.Seq2[*Layer, error] {
	return func(yield func(*Layer, error) bool) {
		l := &loader{set: m.files, root: m.root}
		for i := range m.Layer {
			l.memory.used = 0
			layer, err := m.readLayer(l, i)
			if !yield(layer, err) || err != nil {
				return
			}
			// Matrices have another order where they are used, and are not needed twice.
			m.files.Drop()
		}
	}
}

func (m *Model) readLayer(l *loader, i int) (*Layer, error) {
	c, n := m.Config, bertNames
	switch c.Kind {
	case "mpnet":
		n = mpnetNames
	case "distilbert":
		n = distilNames
	case "deberta-v2":
		n = debertaNames
	}
	p := fmt.Sprintf(n.layer, i)
	layer := new(Layer)
	switch c.Kind {
	case "deberta":
		l.disentangled(c, layer, p+"attention.self.")
	case "deberta-v2":
		l.disentangledV2(c, layer, p+"attention.self.")
		fallthrough
	default:
		layer.QKV = l.attention(c, p+n.q, p+n.k, p+n.v)
	}
	layer.Out = l.linear(c.Hidden, c.Hidden, p+n.out)
	layer.Norm1 = l.norm(p+n.norm1, c.Hidden)
	layer.Up = l.linear(c.Hidden, c.Inter, p+n.up)
	layer.Down = l.linear(c.Inter, c.Hidden, p+n.down)
	layer.Norm2 = l.norm(p+n.norm2, c.Hidden)
	if l.err != nil {
		return nil, fmt.Errorf("%s: %w", m.source(), l.err)
	}
	return layer, nil
}

package bert

import (
	"slices"

	"github.com/mteval/mteval/internal/simd"
)

// debertaNames are those of v2. v1's queries, keys and values are one matrix.
var debertaNames = names{
	"encoder.layer.%d.", "attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj",
	"attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm",
}

// deberta reads what DeBERTa has beside the embeddings of tokens.
func (l *loader) deberta(c *Config, e *Embeddings) {
	d := c.Deberta
	if d.C2P || d.P2C {
		e.Relative = l.get("encoder.rel_embeddings.weight", d.Rows, c.Hidden)
		if d.norm {
			n := l.norm("encoder.LayerNorm", c.Hidden)
			if l.err != nil {
				return
			}
			e.Relative = slices.Clone(e.Relative)
			for i := 0; i < len(e.Relative); i += c.Hidden {
				row := e.Relative[i : i+c.Hidden]
				simd.LayerNorm(row, row, n.Weight, n.Bias, c.Eps)
			}
		}
	}
	if d.Kernel == 0 {
		return
	}
	weight := l.get("encoder.conv.conv.weight", c.Hidden, c.Hidden, d.Kernel)
	e.Conv.Bias = l.get("encoder.conv.conv.bias", c.Hidden)
	e.ConvNorm = l.norm("encoder.conv.LayerNorm", c.Hidden)
	if l.err != nil {
		return
	}
	// The file has the tokens last.
	e.Conv.Weight = make([]float32, len(weight))
	for out := range c.Hidden {
		rows := weight[out*c.Hidden*d.Kernel:][:c.Hidden*d.Kernel]
		to := e.Conv.Weight[out*c.Hidden*d.Kernel:][:c.Hidden*d.Kernel]
		for in := range c.Hidden {
			for k := range d.Kernel {
				to[k*c.Hidden+in] = rows[in*d.Kernel+k]
			}
		}
	}
}

// disentangled reads v1's attention. One matrix has the queries, keys and values of the
// first head, then those of the second; keys have no bias, nor have those of positions.
func (l *loader) disentangled(c *Config, layer *Layer, p string) {
	hidden, d := c.Hidden, c.Deberta
	all := l.getIn(l.memory.take, p+"in_proj.weight", 3*hidden, hidden)
	q, v := l.get(p+"q_bias", hidden), l.get(p+"v_bias", hidden)
	if d.C2P {
		layer.PosKey = Linear{l.getIn(l.memory.take, p+"pos_proj.weight", hidden, hidden), make([]float32, hidden)}
	}
	if d.P2C {
		layer.PosQuery = l.queries(c, l.linear(hidden, hidden, p+"pos_q_proj"))
	}
	if l.err != nil {
		return
	}
	head := hidden / c.Heads * hidden
	layer.QKV.Weight = l.memory.take(len(all))
	for part := range 3 {
		for h := range c.Heads {
			copy(layer.QKV.Weight[(part*c.Heads+h)*head:], all[(3*h+part)*head:][:head])
		}
	}
	layer.QKV.Bias = slices.Concat(q, make([]float32, hidden), v)
	scale(layer.QKV.Weight[:hidden*hidden], c.scale())
	scale(layer.QKV.Bias[:hidden], c.scale())
}

// disentangledV2 reads what v2's attention has beside BERT's.
func (l *loader) disentangledV2(c *Config, layer *Layer, p string) {
	d := c.Deberta
	key, query := "pos_key_proj", "pos_query_proj"
	if d.shared {
		key, query = "key_proj", "query_proj"
	}
	if d.C2P {
		layer.PosKey = l.linear(c.Hidden, c.Hidden, p+key)
	}
	if d.P2C {
		layer.PosQuery = l.queries(c, l.linear(c.Hidden, c.Hidden, p+query))
	}
}

// queries scales what makes queries.
func (l *loader) queries(c *Config, x Linear) Linear {
	weight := l.memory.take(len(x.Weight))
	copy(weight, x.Weight)
	x = Linear{weight, slices.Clone(x.Bias)}
	scale(x.Weight, c.scale())
	scale(x.Bias, c.scale())
	return x
}

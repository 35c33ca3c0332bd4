package transformer

import (
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/simd"
)

// model holds the weights, the matrices packed for the kernels. Layers above the one
// asked for are not loaded.
type model struct {
	*bert.Model
	*bert.Embeddings
	layers []layer
}

type layer struct {
	qkv, out, up, down linear
	norm1, norm2       bert.Norm
}

type linear struct {
	w    *simd.Packed
	bias []float32
}

// pack packs a matrix of `in` columns.
func pack(l bert.Linear, in int) linear {
	return linear{simd.Pack(l.Weight, in, len(l.Bias)), l.Bias}
}

func load(folder *bert.Model) (*model, error) {
	e, err := folder.Embeddings()
	if err != nil {
		return nil, err
	}
	m := &model{Model: folder, Embeddings: e}
	for i := range folder.Layer {
		l, err := folder.ReadLayer(i)
		if err != nil {
			return nil, err
		}
		m.layers = append(m.layers, layer{
			qkv: pack(l.QKV, m.Hidden), out: pack(l.Out, m.Hidden), norm1: l.Norm1,
			up: pack(l.Up, m.Hidden), down: pack(l.Down, m.Inter), norm2: l.Norm2,
		})
	}
	return m, nil
}

package transformer

import (
	"math"

	"github.com/mteval/mteval/internal/bert"
)

// model holds the weights, the matrices packed for the kernels. Layers above the one
// asked for are not loaded.
type model struct {
	*bert.Model
	*bert.Embeddings
	widen  linear // of embeddings narrower than the layers, no matrix: none
	conv   linear // DeBERTa's, no matrix: none
	near   int    // texts of up to so many tokens have a relative position for each distance
	layers []layer
	// queryScale is what queries are multiplied with once they are made; 0: they are scaled.
	queryScale float32
}

type layer struct {
	qkv, out, up, down linear
	norm1, norm2       bert.Norm
	// The keys and queries of DeBERTa's relative positions, from the last position, of a key
	// far before the query, to the first: [Rows][hidden], nil: scores have no such term.
	posKeys, posQueries []float32
}

func load(folder *bert.Model, d DType) (*model, error) {
	e, err := folder.Embeddings()
	if err != nil {
		return nil, err
	}
	m := &model{Model: folder, Embeddings: e}
	pack := packer(d)
	// A scale that is no power of two would round the weights of queries twice.
	if f, _ := math.Frexp(float64(m.QueryScale())); d == BFloat16 && f != .5 {
		folder.PlainQueries, m.queryScale = true, m.QueryScale()
	}
	if e.Widen != nil {
		m.widen = pack(bert.Linear{Weight: e.Widen}, m.Width, m.Hidden)
	}
	if e.Conv.Weight != nil && folder.Layer > 0 {
		m.conv = pack(e.Conv, m.Deberta.Kernel*m.Hidden, m.Hidden)
	}
	relative := m.relative()
	for l, err := range folder.ReadLayers() {
		if err != nil {
			return nil, err
		}
		m.layers = append(m.layers, layer{
			qkv: pack(l.QKV, m.Hidden, 3*m.Hidden), out: pack(l.Out, m.Hidden, m.Hidden), norm1: l.Norm1,
			up: pack(l.Up, m.Hidden, m.Inter), down: pack(l.Down, m.Inter, m.Hidden), norm2: l.Norm2,
			posKeys: m.positions(relative, l.PosKey, pack), posQueries: m.positions(relative, l.PosQuery, pack),
		})
		m.scaleQueries(m.layers[len(m.layers)-1].posQueries, m.Hidden)
	}
	return m, nil
}

//go:build libtorch

package libtorch

import (
	"context"
	"sync"

	"github.com/mteval/mteval/internal/bert"
)

// model is the weights on a device.
type model struct {
	*bert.Config
	device, kind         int
	words, places, first tensor // places, first (of the first token type): nil: none
	widen                linear // of embeddings narrower than the layers, nil: none
	norm                 norm
	layers               []layer
	deberta
	tiny tensor    // the least length of a vector
	bias []float32 // of attention by bucket and head (MPNet); nil: none

	weights []tensor // all of them

	mu    sync.Mutex
	masks map[int]tensor // what is added to attention without padding, by the number of tokens
}

type layer struct {
	qkv, out, up, down linear
	norm1, norm2       norm
	// The keys and queries of DeBERTa's relative positions, nil: scores have no such term.
	posKeys, posQueries tensor
}

type linear struct{ weight, bias tensor }

type norm struct{ weight, bias tensor }

// load puts the weights of a model on a device.
func load(o *ops, folder *bert.Model, device, kind int) (*model, error) {
	m := &model{Config: folder.Config, device: device, kind: kind, masks: make(map[int]tensor)}
	keep := func(data []float32, shape ...int64) tensor {
		t := put(o, device, kind, data, shape...)
		if o.release(t) {
			m.weights = append(m.weights, t)
		}
		return t
	}
	hidden, inter := int64(m.Hidden), int64(m.Inter)
	keepNorm := func(n bert.Norm) norm { return norm{keep(n.Weight, hidden), keep(n.Bias, hidden)} }
	keepLinear := func(l bert.Linear, in int64) linear {
		out := int64(len(l.Bias))
		return linear{keep(l.Weight, out, in), keep(l.Bias, out)}
	}
	e, err := folder.Embeddings()
	if err != nil {
		return nil, err
	}
	m.loadEmbeddings(o, e, keep, keepNorm)
	for l, err := range folder.ReadLayers() {
		if err != nil {
			m.free()
			return nil, err
		}
		m.layers = append(m.layers, layer{
			qkv: keepLinear(l.QKV, hidden), out: keepLinear(l.Out, hidden), norm1: keepNorm(l.Norm1),
			up: keepLinear(l.Up, hidden), down: keepLinear(l.Down, inter), norm2: keepNorm(l.Norm2),
			posKeys: m.positions(o, l.PosKey), posQueries: m.positions(o, l.PosQuery),
		})
	}
	m.tiny = put(o, device, floats, []float32{1e-30}, 1)
	if o.release(m.tiny) {
		m.weights = append(m.weights, m.tiny)
	}
	if err := o.end(); err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

// loadEmbeddings puts the weights below the first layer on the device.
func (m *model) loadEmbeddings(o *ops, e *bert.Embeddings, keep func(data []float32, shape ...int64) tensor, keepNorm func(bert.Norm) norm) {
	hidden := int64(m.Hidden)
	width := int64(m.Width)
	m.words = keep(e.Words.Float32s(), int64(m.Vocab), width)
	if e.Places != nil {
		m.places = keep(e.Places, int64(m.Positions), width)
	}
	if e.FirstType != nil {
		m.first = keep(e.FirstType, width)
	}
	if e.Widen != nil {
		m.widen = linear{keep(e.Widen, hidden, width), keep(make([]float32, hidden), hidden)}
	}
	if m.Deberta != nil {
		m.loadDeberta(o, e, keep)
	}
	m.norm = keepNorm(e.Norm)
	m.bias = append(m.bias, e.Bias...)
}

// free gives the weights' memory back.
func (m *model) free() {
	o := &ops{live: m.weights}
	for _, t := range m.masks {
		o.keep(t)
	}
	o.end()
	m.weights, m.masks = nil, nil
}

// forward returns the vectors of a batch, [texts][tokens][hidden] in float32. It looks at
// the context before each layer: what libtorch has begun it ends.
func (m *model) forward(ctx context.Context, o *ops, b *batch) tensor {
	return m.run(ctx, o, b, len(m.layers), func(int, tensor) {})
}

// run is forward up to layer last, from 0, the embeddings. It calls each with the vectors
// of every layer, [texts * tokens][hidden] in the model's numbers.
func (m *model) run(ctx context.Context, o *ops, b *batch, last int, each func(layer int, x tensor)) tensor {
	o.stop(ctx)
	x := m.embed(o, b)
	each(0, x)
	mask, owned := m.mask(o, b)
	var f *far
	if m.relative != nil {
		f = m.distancesOf(o, b, mask)
	}
	for i := range m.layers[:last] {
		o.stop(ctx)
		embedded := x
		x = m.layer(o, b, &m.layers[i], x, mask, f)
		if i == 0 && m.conv.weight != nil {
			x = m.convolve(o, b, embedded, x)
		}
		o.free(embedded)
		each(i+1, x)
	}
	if owned {
		o.free(mask)
	}
	if f != nil {
		o.free(f.index, f.turned)
	}
	full := o.view(x, int64(len(b.items)), int64(b.longest), int64(m.Hidden))
	if m.kind == floats {
		return full
	}
	wide := o.to(full, m.device, floats)
	o.free(x, full)
	return wide
}

// embed returns the sums of the words', positions' and first token type's vectors,
// normalised, [texts * tokens][hidden].
func (m *model) embed(o *ops, b *batch) tensor {
	n := len(b.items) * b.longest
	ids, places := make([]int64, n), make([]int64, n)
	var row, at []int32
	for k, i := range b.items {
		row = row[:0]
		for _, p := range b.texts[i].Pieces {
			row = append(row, p.ID)
		}
		at = m.AppendPlaces(at[:0], row)
		for j := range row {
			ids[k*b.longest+j], places[k*b.longest+j] = int64(row[j]), int64(at[j])
		}
	}
	// Both are words of one copy.
	index := put(o, m.device, int64s, append(ids, places...), 2, int64(n))
	idRows, placeRows := o.at(index, 0, 0), o.at(index, 0, 1)
	x := o.rows(m.words, idRows)
	if m.places != nil {
		words, spots := x, o.rows(m.places, placeRows)
		x = o.add(words, spots)
		o.free(words, spots)
	}
	o.free(index, idRows, placeRows)
	if m.first != nil {
		y := o.add(x, m.first)
		o.free(x)
		x = y
	}
	if m.widen.weight != nil {
		y := o.linear(x, m.widen)
		o.free(x)
		x = y
	}
	y := o.layerNorm(x, m.norm, m.Hidden, m.Eps)
	o.free(x)
	return y
}

// layer takes x through a layer. f is of DeBERTa, and has the mask too.
func (m *model) layer(o *ops, b *batch, l *layer, x, mask tensor, f *far) tensor {
	n, longest, hidden, heads := int64(len(b.items)), int64(b.longest), int64(m.Hidden), int64(m.Heads)
	qkv := o.linear(x, l.qkv)
	split := o.view(qkv, n, longest, 3, heads, hidden/heads)
	turned := o.permute(split, 2, 0, 3, 1, 4)
	q, k, v := o.at(turned, 0, 0), o.at(turned, 0, 1), o.at(turned, 0, 2)
	if f != nil {
		mask = m.farScores(o, l, f, q, k)
		defer o.free(mask)
	}
	a := o.attention(q, k, v, mask)
	back := o.permute(a, 0, 2, 1, 3)
	flat := o.view(back, n*longest, hidden)
	o.free(qkv, split, turned, q, k, v, a, back)
	out := o.linear(flat, l.out)
	sum := o.add(x, out)
	normed := o.layerNorm(sum, l.norm1, m.Hidden, m.Eps)
	o.free(flat, out, sum)
	act := "none"
	if m.Act == "gelu_new" {
		act = "tanh"
	}
	up := o.linear(normed, l.up)
	inter := o.gelu(up, act)
	o.free(up)
	down := o.linear(inter, l.down)
	o.free(inter)
	sum = o.add(normed, down)
	y := o.layerNorm(sum, l.norm2, m.Hidden, m.Eps)
	o.free(normed, down, sum)
	return y
}

// never is added to the scores of tokens that are padding: below any score, and within
// the range of float16.
const never = -60000

// mask returns what is added to attention's scores, and whether the caller frees it.
func (m *model) mask(o *ops, b *batch) (mask tensor, owned bool) {
	n, longest := len(b.items), b.longest
	if !b.padded {
		return m.distances(o, longest), false
	}
	// Padding's own rows have a mask, too: rows of nothing but it would be NaN.
	pad := make([]float32, n*longest)
	for k, i := range b.items {
		for j := len(b.texts[i].Pieces); j < longest; j++ {
			pad[k*longest+j] = never
		}
	}
	mask = put(o, m.device, m.kind, pad, int64(n), 1, 1, int64(longest))
	if len(m.bias) == 0 {
		return mask, true
	}
	both := o.add(m.distances(o, longest), mask)
	o.free(mask)
	return both, true
}

// distances returns MPNet's bias of attention for texts of n tokens, or zeros for other
// models, since gotch can't leave the mask out. It is kept.
func (m *model) distances(o *ops, n int) tensor {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.masks[n]; ok {
		return t
	}
	keep := func(t tensor) tensor {
		if o.release(t) {
			m.masks[n] = t
		}
		return t
	}
	if len(m.bias) == 0 {
		return keep(put(o, m.device, m.kind, make([]float32, n), 1, 1, 1, int64(n)))
	}
	bias := make([]float32, 0, m.Heads*n*n)
	for h := range m.Heads {
		for j := range n {
			for i := range n {
				bias = append(bias, m.bias[bert.Bucket(i-j, m.Buckets)*m.Heads+h])
			}
		}
	}
	return keep(put(o, m.device, m.kind, bias, 1, int64(m.Heads), int64(n), int64(n)))
}

//go:build libtorch

package libtorch

import (
	"github.com/sugarme/gotch/libtch"

	"github.com/mteval/mteval/internal/bert"
)

// deberta is what DeBERTa's models have besides.
type deberta struct {
	relative tensor // positions, [rows][hidden], nil: none
	conv     linear // [hidden][hidden][kernel], nil: none
	convNorm norm
}

// loadDeberta puts what DeBERTa has beside the embeddings on the device.
func (m *model) loadDeberta(o *ops, e *bert.Embeddings, keep func(data []float32, shape ...int64) tensor) {
	d := m.Deberta
	hidden := int64(m.Hidden)
	if e.Relative != nil {
		m.relative = keep(e.Relative, int64(d.Rows), hidden)
	}
	if e.Conv.Weight == nil {
		return
	}
	m.conv.bias = keep(e.Conv.Bias, hidden)
	m.convNorm = norm{keep(e.ConvNorm.Weight, hidden), keep(e.ConvNorm.Bias, hidden)}
	m.conv.weight = m.hold(o, o.permute(keep(e.Conv.Weight, hidden, int64(d.Kernel), hidden), 0, 2, 1))
}

// hold keeps a tensor as long as the model.
func (m *model) hold(o *ops, t tensor) tensor {
	if o.release(t) {
		m.weights = append(m.weights, t)
	}
	return t
}

// positions returns the keys or queries of relative positions, [heads][size][rows], nil if
// there are none. They are those of every text.
func (m *model) positions(o *ops, of bert.Linear) tensor {
	if of.Weight == nil {
		return nil
	}
	hidden, heads, size := int64(m.Hidden), int64(m.Heads), int64(m.Hidden/m.Heads)
	l := linear{put(o, m.device, m.kind, of.Weight, hidden, hidden), put(o, m.device, m.kind, of.Bias, hidden)}
	flat := o.linear(m.relative, l)
	split := o.view(flat, int64(m.Deberta.Rows), heads, size)
	turned := o.permute(split, 1, 2, 0)
	out := o.contiguous(turned)
	o.free(l.weight, l.bias, flat, split, turned)
	return m.hold(o, out)
}

// far is what a batch needs to know of distances.
type far struct {
	texts, longest int64
	first, rows    int64  // of the relative positions of its longest text
	index          tensor // the one of a query and a key, from the first, [heads][texts][longest][longest]
	turned         tensor // of a key and a query
	mask           tensor // of padding, [texts][1][1][longest]
}

// distancesOf returns what a batch needs, with the mask of its padding.
func (m *model) distancesOf(o *ops, b *batch, mask tensor) *far {
	n := b.longest
	rows := make([]int64, 2*n-1) // by n-1 and the distance
	for i := range rows {
		rows[i] = int64(m.Deberta.Row(i - n + 1))
	}
	f := &far{texts: int64(len(b.items)), longest: int64(n), first: rows[0], rows: rows[len(rows)-1] - rows[0] + 1, mask: mask}
	index := make([]int64, 0, n*n)
	for i := range n {
		for j := range n {
			index = append(index, rows[n-1+i-j]-f.first)
		}
	}
	shape := []int64{int64(m.Heads), f.texts, f.longest, f.longest}
	one := put(o, m.device, int64s, index, 1, 1, f.longest, f.longest)
	other := o.permute(one, 0, 1, 3, 2)
	f.index, f.turned = o.expand(one, shape), o.expand(other, shape)
	o.free(one, other)
	return f
}

// farScores returns the part of scores that distances have, with the mask, of queries and
// keys [texts][heads][longest][size].
func (m *model) farScores(o *ops, l *layer, f *far, q, k tensor) tensor {
	var sum tensor
	if l.posKeys != nil {
		sum = m.byPosition(o, q, l.posKeys, f, f.index)
	}
	if l.posQueries != nil {
		by := m.byPosition(o, k, l.posQueries, f, f.turned)
		of := o.permute(by, 0, 1, 3, 2)
		if sum == nil {
			sum = of
		} else {
			both := o.add(sum, of)
			o.free(sum, of)
			sum = both
		}
		o.free(by)
	}
	texts := o.permute(sum, 1, 0, 2, 3)
	out := o.add(texts, f.mask)
	o.free(sum, texts)
	return out
}

// byPosition multiplies the vectors of tokens with those of positions, and returns the
// products that index asks for, [heads][texts][longest][longest].
func (m *model) byPosition(o *ops, x, positions tensor, f *far, index tensor) tensor {
	heads, size := int64(m.Heads), int64(m.Hidden/m.Heads)
	near := o.narrow(positions, 2, f.first, f.rows)
	turned := o.permute(x, 1, 0, 2, 3)
	flat := o.view(turned, heads, -1, size)
	products := o.bmm(flat, near)
	split := o.view(products, heads, f.texts, f.longest, f.rows)
	out := o.do(func(out *tensor) { libtch.AtgGather(out, split, 3, index, 0) })
	o.free(near, turned, flat, products, split)
	return out
}

// convolve adds the convolution of the embeddings to x, which it frees, and normalises it.
func (m *model) convolve(o *ops, b *batch, embedded, x tensor) tensor {
	n, longest, hidden := int64(len(b.items)), int64(b.longest), int64(m.Hidden)
	if b.padded { // padding counts as nothing
		is := make([]float32, n*longest)
		for k, i := range b.items {
			for j := range b.texts[i].Pieces {
				is[k*b.longest+j] = 1
			}
		}
		real := put(o, m.device, m.kind, is, n*longest, 1)
		masked := o.do(func(out *tensor) { libtch.AtgMul(out, embedded, real) })
		o.free(real)
		defer o.free(masked)
		embedded = masked
	}
	split := o.view(embedded, n, longest, hidden)
	turned := o.permute(split, 0, 2, 1)
	padding := int64(m.Deberta.Kernel / 2)
	conv := o.do(func(out *tensor) {
		libtch.AtgConv1d(out, turned, m.conv.weight, m.conv.bias, []int64{1}, 1, []int64{padding}, 1, []int64{1}, 1, 1)
	})
	back := o.permute(conv, 0, 2, 1)
	flat := o.view(back, n*longest, hidden)
	var act tensor
	switch m.Deberta.ConvAct {
	case "tanh":
		act = o.do(func(out *tensor) { libtch.AtgTanh(out, flat) })
	case "gelu_new":
		act = o.gelu(flat, "tanh")
	default:
		act = o.gelu(flat, "none")
	}
	sum := o.add(x, act)
	y := o.layerNorm(sum, m.convNorm, m.Hidden, m.Eps)
	o.free(x, split, turned, conv, back, flat, act, sum)
	return y
}

package transformer

import (
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/simd"
)

// chunkTokens is about how many tokens go through the layers together: enough to keep
// the matrix kernels busy, few enough for what they work on to stay in the cache.
const chunkTokens = 192

// workspace is what one goroutine needs to run texts through the model.
type workspace struct {
	x, y   []float32 // [tokens][hidden]
	qkv    []float32 // [tokens][3*hidden]
	inter  []float32 // [tokens][inter]
	v      []float32 // the values of one head and text, [size][tokens]
	scores []float32 // of one head and text, [tokens][tokens]
	ids    []int32
	places []int32
	ends   []int // where each text ends in ids
}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}

// forward sets out, [tokens][hidden], to the vectors of the texts in w.ids and w.ends
// after the model's last layer here. What it gives for a text does not depend on the
// others.
func (m *model) forward(w *workspace, out []float32) {
	tokens, hidden := len(w.ids), m.Hidden
	w.x, w.y = resize(w.x, tokens*hidden), resize(w.y, tokens*hidden)
	w.qkv = resize(w.qkv, tokens*3*hidden)
	w.inter = resize(w.inter, tokens*m.Inter)
	m.embed(w)
	for i := range m.layers {
		l := &m.layers[i]
		simd.Gemm(w.qkv, w.x, tokens, l.qkv.w, l.qkv.bias)
		m.attend(w)
		simd.Gemm(w.qkv[:tokens*hidden], w.y, tokens, l.out.w, l.out.bias)
		m.addNorm(w.x, w.qkv, &l.norm1)
		simd.Gemm(w.inter, w.x, tokens, l.up.w, l.up.bias)
		if m.Act == "gelu_new" {
			simd.GeluTanh(w.inter)
		} else {
			simd.Gelu(w.inter)
		}
		simd.Gemm(w.y, w.inter, tokens, l.down.w, l.down.bias)
		m.addNorm(w.x, w.y, &l.norm2)
	}
	copy(out, w.x)
}

// embed sets w.x to the sums of the words', positions' and first token type's vectors,
// normalised.
func (m *model) embed(w *workspace) {
	hidden := m.Hidden
	w.places = w.places[:0]
	start := 0
	for _, end := range w.ends {
		w.places = m.AppendPlaces(w.places, w.ids[start:end])
		start = end
	}
	for j, id := range w.ids {
		x := w.x[j*hidden : (j+1)*hidden]
		word, place := m.Words[int(id)*hidden:][:hidden], m.Places[int(w.places[j])*hidden:][:hidden]
		for k := range x {
			x[k] = word[k] + place[k]
		}
		for k, t := range m.FirstType {
			x[k] += t
		}
		simd.LayerNorm(x, x, m.Norm.Weight, m.Norm.Bias, m.Eps)
	}
}

// attend sets w.y to the attention's output, before its last matrix, from w.qkv, in
// which the queries are scaled already.
func (m *model) attend(w *workspace) {
	hidden, size := m.Hidden, m.Hidden/m.Heads
	stride := 3 * hidden
	start := 0
	for _, end := range w.ends {
		n := end - start
		rows := w.qkv[start*stride : end*stride]
		w.v, w.scores = resize(w.v, n*size), resize(w.scores, n*n)
		for h := range m.Heads {
			simd.DotsStrided(w.scores, n, rows[h*size:], stride, n, rows[hidden+h*size:], stride, n, size)
			for j := range n {
				row := w.scores[j*n : (j+1)*n]
				if m.Bias != nil {
					for i := range row {
						row[i] += m.Bias[bert.Bucket(i-j, m.Buckets)*m.Heads+h]
					}
				}
				simd.Softmax(row)
				for i, x := range rows[j*stride+2*hidden+h*size:][:size] {
					w.v[i*n+j] = x
				}
			}
			simd.DotsStrided(w.y[start*hidden+h*size:], hidden, w.scores, n, n, w.v, n, size, n)
		}
		start = end
	}
}

// addNorm adds y to x and normalises each row.
func (m *model) addNorm(x, y []float32, n *bert.Norm) {
	hidden := m.Hidden
	for j := 0; j < len(x); j += hidden {
		row := x[j : j+hidden]
		simd.Add(row, y[j:j+hidden])
		simd.LayerNorm(row, row, n.Weight, n.Bias, m.Eps)
	}
}

package transformer

import "github.com/mteval/mteval/internal/simd"

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
	tokens, hidden := len(w.ids), m.hidden
	w.x, w.y = resize(w.x, tokens*hidden), resize(w.y, tokens*hidden)
	w.qkv = resize(w.qkv, tokens*3*hidden)
	w.inter = resize(w.inter, tokens*m.inter)
	m.embed(w)
	for i := range m.layers {
		l := &m.layers[i]
		simd.Gemm(w.qkv, w.x, tokens, l.qkv.w, l.qkv.bias)
		m.attend(w)
		simd.Gemm(w.qkv[:tokens*hidden], w.y, tokens, l.out.w, l.out.bias)
		m.addNorm(w.x, w.qkv, &l.norm1)
		simd.Gemm(w.inter, w.x, tokens, l.up.w, l.up.bias)
		if m.act == "gelu_new" {
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
	hidden := m.hidden
	start := 0
	for _, end := range w.ends {
		place := 0
		if m.fromPad() {
			place = m.pad + 1
		}
		for j := start; j < end; j++ {
			id := int(w.ids[j])
			x := w.x[j*hidden : (j+1)*hidden]
			at := place
			if m.fromPad() && id == m.pad {
				at = m.pad // padding in the text has no position of its own
			} else {
				place++
			}
			word, pos := m.words[id*hidden:(id+1)*hidden], m.places[at*hidden:(at+1)*hidden]
			for k := range x {
				x[k] = word[k] + pos[k]
			}
			if m.firstType != nil {
				for k, t := range m.firstType {
					x[k] += t
				}
			}
		}
		start = end
	}
	for j := range w.ids {
		x := w.x[j*hidden : (j+1)*hidden]
		simd.LayerNorm(x, x, m.norm.weight, m.norm.bias, m.eps)
	}
}

// attend sets w.y to the attention's output, before its last matrix, from w.qkv, in
// which the queries are scaled already.
func (m *model) attend(w *workspace) {
	hidden, size := m.hidden, m.hidden/m.heads
	stride := 3 * hidden
	start := 0
	for _, end := range w.ends {
		n := end - start
		rows := w.qkv[start*stride : end*stride]
		w.v, w.scores = resize(w.v, n*size), resize(w.scores, n*n)
		for h := range m.heads {
			simd.DotsStrided(w.scores, n, rows[h*size:], stride, n, rows[hidden+h*size:], stride, n, size)
			for j := range n {
				row := w.scores[j*n : (j+1)*n]
				if m.bias != nil {
					for i := range row {
						row[i] += m.bias[bucket(i-j, m.buckets)*m.heads+h]
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
func (m *model) addNorm(x, y []float32, n *norm) {
	hidden := m.hidden
	for j := 0; j < len(x); j += hidden {
		row := x[j : j+hidden]
		simd.Add(row, y[j:j+hidden])
		simd.LayerNorm(row, row, n.weight, n.bias, m.eps)
	}
}

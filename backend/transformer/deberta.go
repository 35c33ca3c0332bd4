package transformer

import (
	"context"
	"math"

	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/simd"
)

// relative returns the relative positions as layers need them, from the last to the first:
// of keys in the order of a text. It sets m.near.
func (m *model) relative() []float32 {
	if m.Relative == nil {
		return nil
	}
	half := m.Deberta.Rows / 2
	own := func(distance int) bool { return m.Deberta.Row(distance) == half+distance }
	for m.near < m.MaxTokens && own(m.near) && own(-m.near) {
		m.near++
	}
	out := make([]float32, 0, len(m.Relative))
	for at := len(m.Relative); at > 0; at -= m.Hidden {
		out = append(out, m.Relative[at-m.Hidden:at]...)
	}
	return out
}

// positions returns the keys or queries of relative positions. They are those of every
// text.
func (m *model) positions(relative []float32, l bert.Linear, pack packFunc) []float32 {
	if l.Weight == nil {
		return nil
	}
	out := make([]float32, len(relative))
	packed := pack(l, m.Hidden, m.Hidden)
	packed.apply(out, relative, m.Deberta.Rows, new(simd.RowsBF16))
	return out
}

// distances is what attention needs to know of how far keys are from queries, for the texts
// of one length.
type distances struct {
	// keys and queries are those of a key n-1 tokens before the query, up to one n-1 tokens
	// after it, [2*n-1][hidden]; nil: there are none.
	keys, queries     []float32
	hidden            int
	keyRows, pairRows []float32 // memory for those that are not in the layer as they are
	embedded          []float32 // what the layers began with, for the convolution
}

// spread finds the keys and queries of a layer for texts of n tokens.
func (m *model) spread(w *workspace, l *layer, n int) {
	f := &w.far
	f.hidden = m.Hidden
	f.keys = m.spreadRows(&f.keyRows, l.posKeys, n)
	f.queries = m.spreadRows(&f.pairRows, l.posQueries, n)
}

func (m *model) spreadRows(memory *[]float32, rows []float32, n int) []float32 {
	if rows == nil {
		return nil
	}
	hidden, last := m.Hidden, m.Deberta.Rows-1
	if n <= m.near {
		first := last - m.Deberta.Row(n-1)
		return rows[first*hidden : (first+2*n-1)*hidden]
	}
	*memory = resize(*memory, (2*n-1)*hidden)
	for i := range 2*n - 1 {
		copy((*memory)[i*hidden:(i+1)*hidden], rows[(last-m.Deberta.Row(n-1-i))*hidden:])
	}
	return *memory
}

// band is how many queries, or keys, are multiplied with positions at a time. Each of them
// needs other positions, and is multiplied with those of the others in vain. It is a variable
// for tests.
var band = 24

// addKeys adds to s.scores, in rows ld apart, of queries lo to hi their products with the keys of positions.
// queries begins with the first of them.
func (f *distances) addKeys(s *scratch, ld int, queries []float32, stride, lo, hi, n, head, size int) {
	for a := lo; a < hi; a += band {
		b := min(a+band, hi)
		// From the first key, seen from the last query, to the last key from the first.
		count := n + b - a - 1
		s.products = resize(s.products, (b-a)*count)
		keys := f.keys[(n-b)*f.hidden+head:]
		simd.DotsStrided(s.products, count, queries[(a-lo)*stride:], stride, b-a, keys, f.hidden, count, size)
		for i := a; i < b; i++ {
			simd.Add(s.scores[(i-lo)*ld:(i-lo)*ld+n], s.products[(i-a)*count+b-1-i:][:n])
		}
	}
}

// addQueries adds to the scores of queries lo to hi the products of the keys with the
// queries of positions. With more queries at a time than keys, few products are in vain.
func (f *distances) addQueries(s *scratch, ld int, keys []float32, stride, lo, hi, n, head, size int) {
	for a := lo; a < hi; a += 4 * band {
		b := min(a+4*band, hi)
		for c := 0; c < n; c += band {
			d := min(c+band, n)
			count := d - c + b - a - 1
			s.products = resize(s.products, (d-c)*count)
			queries := f.queries[(n-b+c)*f.hidden+head:]
			simd.DotsStrided(s.products, count, keys[c*stride:], stride, d-c, queries, f.hidden, count, size)
			for i := a; i < b; i++ {
				at := b - 1 - i
				row := s.scores[(i-lo)*ld+c : (i-lo)*ld+d]
				for j := range row {
					row[j] += s.products[at]
					at += count + 1
				}
			}
		}
	}
}

// convolve adds the convolution of the embeddings to w.x and normalises it.
func (m *model) convolve(ctx context.Context, w *workspace) error {
	hidden, kernel := m.Hidden, m.Deberta.Kernel
	start := 0
	for _, end := range w.ends {
		embedded := w.far.embedded[start*hidden : end*hidden]
		err := blocks(ctx, end-start, kernel*hidden*hidden, func(lo, hi int) {
			n := hi - lo
			w.inter = resize(w.inter, n*kernel*hidden)
			for j := range n {
				window(w.inter[j*kernel*hidden:][:kernel*hidden], embedded, (lo+j-kernel/2)*hidden)
			}
			y := w.y[(start+lo)*hidden : (start+hi)*hidden]
			m.conv.apply(y, w.inter, n, &w.scratch.rounded)
			activate(m.Deberta.ConvAct, y)
			m.addNorm(w.x[(start+lo)*hidden:(start+hi)*hidden], y, &m.ConvNorm)
		})
		if err != nil {
			return err
		}
		start = end
	}
	return nil
}

// window copies the numbers of x from `from` on, with zeros where x has none.
func window(dst, x []float32, from int) {
	before := min(max(-from, 0), len(dst))
	clear(dst[:before])
	at := min(max(from, 0), len(x))
	n := copy(dst[before:], x[at:])
	clear(dst[before+n:])
}

// activate applies the function of this name.
func activate(name string, x []float32) {
	switch name {
	case "tanh":
		for i, v := range x {
			x[i] = float32(math.Tanh(float64(v)))
		}
	case "gelu_new":
		simd.GeluTanh(x)
	default:
		simd.Gelu(x)
	}
}

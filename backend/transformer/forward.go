package transformer

import (
	"context"

	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/simd"
)

// chunkTokens is about how many tokens go through the layers together: enough to keep
// the matrix kernels busy, few enough for what they work on to stay in the cache.
const chunkTokens = 192

// chunkSize is about how many of all tokens to make a chunk of: fewer where workers would have
// nothing to do, but still so many that what a matrix is loaded for is worth it.
func chunkSize(all, workers int) int {
	return min(max((all+workers-1)/workers, 2*tileRows), chunkTokens)
}

// blockWork is about how many multiplications go by between two looks at the context: a
// few milliseconds. It is a variable for tests.
var blockWork = 1 << 28

// tileRows is how many rows the matrix kernels take at a time.
const tileRows = 12

// workspace is what one goroutine needs to run texts through the model.
type workspace struct {
	x, y   []float32   // [tokens][hidden]
	qkv    []float32   // [tokens][3*hidden]
	inter  []float32   // [rows of a block][inter]
	keys   simd.Packed // of one head and text, [size][tokens]
	values simd.Packed // of one head and text, [tokens][size]
	scores []float32   // of one head and text, [rows of a block][tokens, filled up to keys.N()]
	far    distances
	ids    []int32
	places []int32
	ends   []int // where each text ends in ids
	// rounded is what a matrix in bfloat16 is multiplied with.
	rounded simd.RowsBF16
}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}

// blocks calls do with consecutive blocks of n rows, of which each takes `work`
// multiplications, until ctx is cancelled. Numbers of a row do not depend on the others in
// its block.
func blocks(ctx context.Context, n, work int, do func(lo, hi int)) error {
	most := max(2*tileRows, blockWork/work)
	parts := (n + most - 1) / most
	for lo, step := 0, 0; lo < n; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Blocks of about one size, in whole tiles.
		step = (n - lo + parts - 1) / parts
		step = min(n-lo, (step+tileRows-1)/tileRows*tileRows)
		parts--
		do(lo, lo+step)
	}
	return nil
}

// forward sets out, [tokens][hidden], to the vectors of the texts in w.ids and w.ends
// after the model's last layer here. What it gives for a text does not depend on the
// others.
func (m *model) forward(ctx context.Context, w *workspace, out []float32) error {
	if err := m.run(ctx, w, len(m.layers), nil); err != nil {
		return err
	}
	copy(out, w.x)
	return nil
}

// run sets w.x, [tokens][hidden], to the vectors of the texts after layer last, from 0, the
// embeddings. It calls each, if that is not nil, after every layer, w.x being its vectors.
func (m *model) run(ctx context.Context, w *workspace, last int, each func(layer int)) error {
	tokens, hidden := len(w.ids), m.Hidden
	w.x, w.y = resize(w.x, tokens*hidden), resize(w.y, tokens*hidden)
	w.qkv = resize(w.qkv, tokens*3*hidden)
	m.embed(w)
	if !m.conv.none() {
		w.far.embedded = append(w.far.embedded[:0], w.x...)
	}
	if each != nil {
		each(0)
	}
	for i := range m.layers[:last] {
		if err := m.layer(ctx, w, i); err != nil {
			return err
		}
		if each != nil {
			each(i + 1)
		}
	}
	return nil
}

// layer takes w.x through a layer.
func (m *model) layer(ctx context.Context, w *workspace, i int) error {
	tokens, hidden, l := len(w.ids), m.Hidden, &m.layers[i]
	err := blocks(ctx, tokens, 3*hidden*hidden, func(lo, hi int) {
		l.qkv.apply(w.qkv[lo*3*hidden:hi*3*hidden], w.x[lo*hidden:hi*hidden], hi-lo, &w.rounded)
		m.scaleQueries(w.qkv[lo*3*hidden:hi*3*hidden], 3*hidden)
	})
	if err != nil {
		return err
	}
	if err := m.attend(ctx, w, l); err != nil {
		return err
	}
	if err := m.feed(ctx, w, l); err != nil || i > 0 || m.conv.none() {
		return err
	}
	return m.convolve(ctx, w)
}

// scaleQueries scales those at the beginnings of rows, if their weights are not scaled.
func (m *model) scaleQueries(rows []float32, stride int) {
	if m.queryScale == 0 {
		return
	}
	for i := 0; i < len(rows); i += stride {
		q := rows[i : i+m.Hidden]
		for j := range q {
			q[j] *= m.queryScale
		}
	}
}

// feed takes w.y, attention's output, to the end of a layer, in w.x. Each matrix has blocks
// of its own: the more rows these have, the less often the matrix comes from memory.
func (m *model) feed(ctx context.Context, w *workspace, l *layer) error {
	tokens, hidden, inter := len(w.ids), m.Hidden, m.Inter
	w.inter = resize(w.inter, tokens*max(inter, hidden))
	err := blocks(ctx, tokens, hidden*hidden, func(lo, hi int) {
		x, sum := w.x[lo*hidden:hi*hidden], w.inter[lo*hidden:hi*hidden]
		l.out.apply(sum, w.y[lo*hidden:hi*hidden], hi-lo, &w.rounded)
		m.addNorm(x, sum, &l.norm1)
	})
	if err != nil {
		return err
	}
	err = blocks(ctx, tokens, hidden*inter, func(lo, hi int) {
		up := w.inter[lo*inter : hi*inter]
		l.up.apply(up, w.x[lo*hidden:hi*hidden], hi-lo, &w.rounded)
		activate(m.Act, up)
	})
	if err != nil {
		return err
	}
	return blocks(ctx, tokens, hidden*inter, func(lo, hi int) {
		y := w.y[lo*hidden : hi*hidden]
		l.down.apply(y, w.inter[lo*inter:hi*inter], hi-lo, &w.rounded)
		m.addNorm(w.x[lo*hidden:hi*hidden], y, &l.norm2)
	})
}

// embed sets w.x to the sums of the words', positions' and first token type's vectors,
// normalised.
func (m *model) embed(w *workspace) {
	hidden, width := m.Hidden, m.Width
	rows := w.x
	if !m.widen.none() {
		w.inter = resize(w.inter, len(w.ids)*width)
		rows = w.inter
	}
	m.place(w)
	for j, id := range w.ids {
		x := rows[j*width : (j+1)*width]
		m.Words.Row(x, int(id))
		if m.Places != nil {
			simd.Add(x, m.Places[int(w.places[j])*width:][:width])
		}
		if m.FirstType != nil {
			simd.Add(x, m.FirstType)
		}
	}
	if !m.widen.none() {
		m.widen.apply(w.x, rows, len(w.ids), &w.rounded)
	}
	for j := 0; j < len(w.x); j += hidden {
		x := w.x[j : j+hidden]
		simd.LayerNorm(x, x, m.Norm.Weight, m.Norm.Bias, m.Eps)
	}
}

// place sets w.places to the rows of the position embeddings.
func (m *model) place(w *workspace) {
	w.places = w.places[:0]
	start := 0
	for _, end := range w.ends {
		w.places = m.AppendPlaces(w.places, w.ids[start:end])
		start = end
	}
}

// attend sets w.y to the attention's output, before its last matrix, from w.qkv, in
// which the queries are scaled already.
func (m *model) attend(ctx context.Context, w *workspace, l *layer) error {
	hidden, size := m.Hidden, m.Hidden/m.Heads
	stride := 3 * hidden
	start := 0
	for _, end := range w.ends {
		n := end - start
		if n == 0 {
			continue
		}
		rows := w.qkv[start*stride : end*stride]
		work := n * (2*size + 64) // with the softmax
		if m.Bias != nil {
			work += n * 1024 // buckets take logarithms
		}
		if l.posKeys != nil || l.posQueries != nil {
			work += n * (4*size + 16)
			m.spread(w, l, n)
		}
		for h := range m.Heads {
			w.keys.SetColumns(rows[hidden+h*size:], stride, size, n)
			w.keys.Fill()
			w.values.SetRows(rows[2*hidden+h*size:], stride, n, size)
			err := blocks(ctx, n, work, func(lo, hi int) {
				m.score(w, rows, h, lo, hi, n)
				simd.GemmStrided(w.y[(start+lo)*hidden+h*size:], hidden, w.scores, w.keys.N(), hi-lo, &w.values, nil)
			})
			if err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

// score sets w.scores to the attention of queries lo to hi, of a head, to the n keys of
// their text, whose rows of w.qkv are given.
func (m *model) score(w *workspace, rows []float32, h, lo, hi, n int) {
	stride, size := 3*m.Hidden, m.Hidden/m.Heads
	queries, keys := rows[lo*stride+h*size:], rows[m.Hidden+h*size:]
	ld := w.keys.N()
	w.scores = resize(w.scores, (hi-lo)*ld)
	simd.GemmStrided(w.scores, ld, queries, stride, hi-lo, &w.keys, nil)
	if w.far.keys != nil {
		w.far.addKeys(w.scores, ld, queries, stride, lo, hi, n, h*size, size)
	}
	if w.far.queries != nil {
		w.far.addQueries(w.scores, ld, keys, stride, lo, hi, n, h*size, size)
	}
	if m.Bias != nil {
		for j := lo; j < hi; j++ {
			row := w.scores[(j-lo)*ld : (j-lo)*ld+n]
			for i := range row {
				row[i] += m.Bias[bert.Bucket(i-j, m.Buckets)*m.Heads+h]
			}
		}
	}
	simd.Softmax(w.scores, ld, hi-lo, n)
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

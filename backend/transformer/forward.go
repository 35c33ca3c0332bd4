package transformer

import (
	"context"
	"sync"

	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/parallel"
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

// workspace is what texts need to run through the model together.
type workspace struct {
	x, y   []float32 // [tokens][hidden]
	qkv    []float32 // [tokens][3*hidden]
	inter  []float32 // [tokens][inter]
	far    distances
	ids    []int32
	places []int32
	ends   []int // where each text ends in ids
	// workers is how many goroutines may divide the work, 0 being 1; scratch is what one works with.
	workers int
	scratch scratch
	share   share
}

// share is what goroutines are given that divide the work of a workspace. The functions, its
// methods, are made once.
type share struct {
	ctx        context.Context
	m          *model
	l          *layer
	do         step
	start, end int // the text whose heads are divided
	rows       func(lo, hi int) error
	head       func(h, _ int) error
}

// scratch is what one goroutine needs beside a workspace.
type scratch struct {
	keys     simd.Packed // of one head and text, [size][tokens]
	values   simd.Packed // of one head and text, [tokens][size]
	scores   []float32   // of one head and text, [rows of a block][tokens, filled up to keys.N()]
	products []float32   // of some of them with relative positions
	// rounded is what a matrix in bfloat16 is multiplied with.
	rounded simd.RowsBF16
}

// scratches are for goroutines that divide the work of a workspace.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func resize(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}

// blockRows is how many rows of so many multiplications to take between two looks at the context.
func blockRows(work int) int { return max(2*tileRows, blockWork/work) }

// blocks calls do with consecutive blocks of n rows, of which each takes `work`
// multiplications, until ctx is cancelled. Numbers of a row do not depend on the others in
// its block.
func blocks(ctx context.Context, n, work int, do func(lo, hi int)) error {
	most := blockRows(work)
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

// A step computes rows lo to hi of something in a layer. They do not depend on other rows.
type step func(m *model, w *workspace, s *scratch, l *layer, lo, hi int)

// tokens takes all tokens through a step, in blocks as blocks makes them, or in parts for the
// goroutines that there are.
func (m *model) tokens(ctx context.Context, w *workspace, l *layer, work int, do step) error {
	n := len(w.ids)
	if !w.divided(n) {
		return blocks(ctx, n, work, func(lo, hi int) { do(m, w, &w.scratch, l, lo, hi) })
	}
	grain := min(blockRows(work), max(2*tileRows, (n+w.workers-1)/w.workers))
	grain = (grain + tileRows - 1) / tileRows * tileRows
	w.give(share{ctx: ctx, m: m, l: l, do: do})
	return parallel.For(ctx, n, w.workers, grain, w.share.rows)
}

// give sets what is divided, all but the functions.
func (w *workspace) give(s share) {
	s.rows, s.head = w.share.rows, w.share.head
	if s.rows == nil {
		s.rows, s.head = w.shareRows, w.shareHead
	}
	w.share = s
}

func (w *workspace) shareRows(lo, hi int) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	w.share.do(w.share.m, w, s, w.share.l, lo, hi)
	return nil
}

func (w *workspace) shareHead(h, _ int) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return w.share.m.head(w.share.ctx, w, s, h, w.share.start, w.share.end)
}

// divided says whether goroutines divide the work for n tokens.
func (w *workspace) divided(n int) bool { return w.workers > 1 && n > 2*tileRows }

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
	defer w.give(share{}) // forgets what is the caller's
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

// layer takes w.x through a layer. Each matrix goes through all tokens before the next: the more
// rows a block has, the less often the matrix comes from memory.
func (m *model) layer(ctx context.Context, w *workspace, i int) error {
	tokens, hidden, inter, l := len(w.ids), m.Hidden, m.Inter, &m.layers[i]
	if err := m.tokens(ctx, w, l, 3*hidden*hidden, (*model).project); err != nil {
		return err
	}
	if err := m.attend(ctx, w, l); err != nil {
		return err
	}
	w.inter = resize(w.inter, tokens*max(inter, hidden))
	if err := m.tokens(ctx, w, l, hidden*hidden, (*model).attended); err != nil {
		return err
	}
	if err := m.tokens(ctx, w, l, hidden*inter, (*model).up); err != nil {
		return err
	}
	if err := m.tokens(ctx, w, l, hidden*inter, (*model).down); err != nil || i > 0 || m.conv.none() {
		return err
	}
	return m.convolve(ctx, w)
}

// project makes queries, keys and values of w.x.
func (m *model) project(w *workspace, s *scratch, l *layer, lo, hi int) {
	hidden := m.Hidden
	l.qkv.apply(w.qkv[lo*3*hidden:hi*3*hidden], w.x[lo*hidden:hi*hidden], hi-lo, &s.rounded)
	m.scaleQueries(w.qkv[lo*3*hidden:hi*3*hidden], 3*hidden)
}

// attended adds w.y, attention's output, to w.x.
func (m *model) attended(w *workspace, s *scratch, l *layer, lo, hi int) {
	hidden := m.Hidden
	x, sum := w.x[lo*hidden:hi*hidden], w.inter[lo*hidden:hi*hidden]
	l.out.apply(sum, w.y[lo*hidden:hi*hidden], hi-lo, &s.rounded)
	m.addNorm(x, sum, &l.norm1)
}

// up sets w.inter from w.x.
func (m *model) up(w *workspace, s *scratch, l *layer, lo, hi int) {
	inter := w.inter[lo*m.Inter : hi*m.Inter]
	l.up.apply(inter, w.x[lo*m.Hidden:hi*m.Hidden], hi-lo, &s.rounded)
	activate(m.Act, inter)
}

// down adds what w.inter gives to w.x.
func (m *model) down(w *workspace, s *scratch, l *layer, lo, hi int) {
	hidden := m.Hidden
	y := w.y[lo*hidden : hi*hidden]
	l.down.apply(y, w.inter[lo*m.Inter:hi*m.Inter], hi-lo, &s.rounded)
	m.addNorm(w.x[lo*hidden:hi*hidden], y, &l.norm2)
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
		m.widen.apply(w.x, rows, len(w.ids), &w.scratch.rounded)
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
	start := 0
	for _, end := range w.ends {
		if end == start {
			continue
		}
		if l.posKeys != nil || l.posQueries != nil {
			m.spread(w, l, end-start)
		}
		if err := m.heads(ctx, w, start, end); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// heads is attend for one text.
func (m *model) heads(ctx context.Context, w *workspace, start, end int) error {
	if !w.divided(end - start) {
		for h := range m.Heads {
			if err := m.head(ctx, w, &w.scratch, h, start, end); err != nil {
				return err
			}
		}
		return nil
	}
	w.give(share{ctx: ctx, m: m, start: start, end: end})
	return parallel.For(ctx, m.Heads, w.workers, 1, w.share.head)
}

// head is attend for one text and head.
func (m *model) head(ctx context.Context, w *workspace, s *scratch, h, start, end int) error {
	n, hidden, size := end-start, m.Hidden, m.Hidden/m.Heads
	stride := 3 * hidden
	rows := w.qkv[start*stride : end*stride]
	work := n * (2*size + 64) // with the softmax
	if m.Bias != nil {
		work += n * 1024 // buckets take logarithms
	}
	if w.far.keys != nil || w.far.queries != nil {
		work += n * (4*size + 16)
	}
	s.keys.SetColumns(rows[hidden+h*size:], stride, size, n)
	s.keys.Fill()
	s.values.SetRows(rows[2*hidden+h*size:], stride, n, size)
	return blocks(ctx, n, work, func(lo, hi int) {
		m.score(w, s, rows, h, lo, hi, n)
		simd.GemmStrided(w.y[(start+lo)*hidden+h*size:], hidden, s.scores, s.keys.N(), hi-lo, &s.values, nil)
	})
}

// score sets s.scores to the attention of queries lo to hi, of a head, to the n keys of
// their text, whose rows of w.qkv are given.
func (m *model) score(w *workspace, s *scratch, rows []float32, h, lo, hi, n int) {
	stride, size := 3*m.Hidden, m.Hidden/m.Heads
	queries, keys := rows[lo*stride+h*size:], rows[m.Hidden+h*size:]
	ld := s.keys.N()
	s.scores = resize(s.scores, (hi-lo)*ld)
	simd.GemmStrided(s.scores, ld, queries, stride, hi-lo, &s.keys, nil)
	if w.far.keys != nil {
		w.far.addKeys(s, ld, queries, stride, lo, hi, n, h*size, size)
	}
	if w.far.queries != nil {
		w.far.addQueries(s, ld, keys, stride, lo, hi, n, h*size, size)
	}
	if m.Bias != nil {
		for j := lo; j < hi; j++ {
			row := s.scores[(j-lo)*ld : (j-lo)*ld+n]
			for i := range row {
				row[i] += m.Bias[bert.Bucket(i-j, m.Buckets)*m.Heads+h]
			}
		}
	}
	simd.Softmax(s.scores, ld, hi-lo, n)
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

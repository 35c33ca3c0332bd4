package transformer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/parallel"
)

// EncoderOptions are those of OpenEncoder.
type EncoderOptions struct {
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
	// DType is the type of the products' numbers; "" is Float32.
	DType DType
}

// Encoder is a model as backend.Encoder.
type Encoder struct {
	workers int
	info    backend.EncoderInfo
	pool    sync.Pool // *pooler
	calls   sync.Pool // *poolCall
	mu      sync.RWMutex
	m       *model // nil: closed
}

var _ backend.Encoder = (*Encoder)(nil)

// OpenEncoder opens a model with all its layers. Errors name the file and the field.
func OpenEncoder(f backend.EncoderFiles, o EncoderOptions) (*Encoder, error) {
	if err := checkDType(o.DType); err != nil {
		return nil, err
	}
	folder, err := bert.OpenEncoder(f, o.Workers)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	e := newEncoder(o)
	if e.m, err = load(folder, o.DType); err == nil {
		e.info, err = folder.EncoderInfo("transformer", signed(o.DType))
	}
	if err != nil {
		folder.Close()
		return nil, fmt.Errorf("transformer: %w", err)
	}
	return e, nil
}

func newEncoder(o EncoderOptions) *Encoder {
	e := &Encoder{workers: o.Workers}
	e.pool.New = func() any { return new(pooler) }
	e.calls.New = e.newCall
	return e
}

// Info describes the encoder. The signature has the hashes of weights, config.json and
// tokenizer.
func (e *Encoder) Info() backend.EncoderInfo {
	info := e.info
	info.Info = info.Clone()
	return info
}

// Close gives the weights' memory back, once calls of other methods have ended.
func (e *Encoder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.m == nil {
		return nil
	}
	err := e.m.Close()
	e.m = nil
	return err
}

// Tokenize splits texts into the tokens of the model. White space is what the tokenizer
// makes of it: Embed leaves it out around a text.
func (e *Encoder) Tokenize(ctx context.Context, dst []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.m == nil {
		return nil, backend.ErrClosed
	}
	out, err := e.m.Tokenize(ctx, dst, texts, most)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	return out, nil
}

// Pool runs sequences through the model and mixes the layers as it goes, so that none is
// kept.
func (e *Encoder) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.m == nil {
		return backend.ErrClosed
	}
	c := e.calls.Get().(*poolCall)
	defer c.release()
	c.ctx, c.dst, c.sequences, c.mix = ctx, dst, sequences, mix
	if err := backendcheck.Pool(&e.info, e.m.Vocab, dst, sequences, &c.mix); err != nil {
		return fmt.Errorf("transformer: %w", err)
	}
	c.divide(parallel.Workers(e.workers))
	return parallel.For(ctx, len(c.chunks), e.workers, 1, c.do)
}

// poolCall is what one call of Pool works with. It is used again, with the function that
// goroutines are given.
type poolCall struct {
	e         *Encoder
	ctx       context.Context
	dst       []float32
	sequences [][]int32
	mix       backend.Mix
	order     []int   // of the sequences, the longest first
	chunks    [][]int // of order
	do        func(k, _ int) error
}

func (e *Encoder) newCall() any {
	c := &poolCall{e: e}
	c.do = c.pool
	return c
}

// release forgets what is the caller's, and keeps the rest for other calls.
func (c *poolCall) release() {
	c.ctx, c.dst, c.sequences, c.mix = nil, nil, nil, backend.Mix{}
	c.e.calls.Put(c)
}

// pool makes the vectors of chunk k.
func (c *poolCall) pool(k, _ int) error {
	p := c.e.pool.Get().(*pooler)
	defer c.e.pool.Put(p)
	p.workers = parallel.Workers(c.e.workers) / len(c.chunks)
	return p.pool(c.ctx, c.e.m, c.dst, c.sequences, c.chunks[k], &c.e.info, &c.mix)
}

// pooledTokens is about how many tokens go through the layers together at most: more than of
// Embed, as no vectors of theirs are kept, so that matrices come from memory less often.
const pooledTokens = 4 * chunkTokens

// divide divides the sequences into chunks of about as many tokens, the longest first, so that
// goroutines are done at about the same time.
func (c *poolCall) divide(workers int) {
	all := 0
	c.order, c.chunks = c.order[:0], c.chunks[:0]
	for i, s := range c.sequences {
		c.order = append(c.order, i)
		all += len(s)
	}
	most := min(max(all/(4*workers), chunkSize(all, workers)), pooledTokens)
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(len(c.sequences[b]), len(c.sequences[a])) })
	lo, tokens := 0, 0
	for i, at := range c.order {
		tokens += len(c.sequences[at])
		if tokens >= most || i == len(c.order)-1 {
			c.chunks = append(c.chunks, c.order[lo:i+1])
			lo, tokens = i+1, 0
		}
	}
}

// pooler is what one goroutine needs to make vectors of sequences.
type pooler struct {
	workspace
	rows  [][]float32 // of one sequence and layer, those of its tokens but for padding
	sum   []float64   // of them
	mixed []float64   // [sequences][hidden]; of Largest nothing
	all   []float32   // of Largest: the mix of each token, [tokens][hidden]
}

// pool makes the vectors of a chunk.
func (p *pooler) pool(ctx context.Context, m *model, dst []float32, sequences [][]int32, chunk []int, info *backend.EncoderInfo, mix *backend.Mix) error {
	p.ids, p.ends = p.ids[:0], p.ends[:0]
	for _, i := range chunk {
		p.ids = append(p.ids, sequences[i]...)
		p.ends = append(p.ends, len(p.ids))
	}
	hidden := m.Hidden
	p.mixed, p.all = p.mixed[:0], p.all[:0]
	if mix.Pooling == backend.Largest {
		p.all = append(p.all, make([]float32, len(p.ids)*hidden)...)
	} else {
		p.mixed = append(p.mixed, make([]float64, len(chunk)*hidden)...)
	}
	last := 0
	for i, w := range mix.Weights {
		if w != 0 {
			last = i
		}
	}
	err := m.run(ctx, &p.workspace, last, func(layer int) {
		if w := mix.Weights[layer]; w != 0 {
			p.add(w, hidden, info.Pad, mix)
		}
	})
	if err != nil {
		return err
	}
	start := 0
	for k, i := range chunk {
		v := dst[i*hidden : (i+1)*hidden]
		p.vector(v, k, start, p.ends[k], info.Pad, mix.Pooling)
		start = p.ends[k]
		for _, x := range v {
			if x-x != 0 {
				return fmt.Errorf("transformer: the model gives %v for sequence %d", x, i+1)
			}
		}
	}
	return nil
}

// add adds a layer, in p.x, to the mixes.
func (p *pooler) add(weight float64, hidden int, pad int32, mix *backend.Mix) {
	start := 0
	for k, end := range p.ends {
		x, ids := p.x[start*hidden:end*hidden], p.ids[start:end]
		mean, scale := 0.0, weight
		if mix.Norm {
			var variance float64
			mean, variance = moments(x)
			scale = weight / math.Sqrt(variance+1e-12)
		}
		switch mix.Pooling {
		case backend.Average:
			p.average(p.mixed[k*hidden:(k+1)*hidden], x, ids, pad, mean, scale)
		case backend.First:
			to := p.mixed[k*hidden : (k+1)*hidden]
			for i, v := range x[:hidden] {
				to[i] += scale * (float64(v) - mean)
			}
		case backend.Largest:
			to := p.all[start*hidden : end*hidden]
			for i, v := range x {
				to[i] += float32(scale * (float64(v) - mean))
			}
		}
		start = end
	}
}

// average adds a layer to the mix of a sequence's average: it is that of the tokens' sum.
func (p *pooler) average(to []float64, x []float32, ids []int32, pad int32, mean, scale float64) {
	hidden := len(to)
	p.rows = p.rows[:0]
	for j, id := range ids {
		if id != pad {
			p.rows = append(p.rows, x[j*hidden:(j+1)*hidden])
		}
	}
	p.sum = append(p.sum[:0], make([]float64, hidden)...)
	rows := p.rows
	for ; len(rows) >= 4; rows = rows[4:] { // so that sums come from memory less often
		r0, r1, r2, r3 := rows[0][:len(p.sum)], rows[1][:len(p.sum)], rows[2][:len(p.sum)], rows[3][:len(p.sum)]
		for i := range p.sum {
			p.sum[i] += float64(r0[i]) + float64(r1[i]) + (float64(r2[i]) + float64(r3[i]))
		}
	}
	for _, row := range rows {
		for i, v := range row {
			p.sum[i] += float64(v)
		}
	}
	n := float64(len(p.rows))
	for i, s := range p.sum {
		to[i] += scale * (s - n*mean)
	}
}

// moments returns the mean and the variance.
func moments(x []float32) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v)
	}
	mean /= float64(len(x))
	for _, v := range x {
		d := float64(v) - mean
		variance += d * d
	}
	return mean, variance / float64(len(x))
}

// vector sets v to that of sequence k of the chunk, which has the tokens start to end.
func (p *pooler) vector(v []float32, k, start, end int, pad int32, pooling backend.Pooling) {
	hidden := len(v)
	if pooling != backend.Largest {
		by := 1.0
		if pooling == backend.Average {
			by = float64(end - start)
		}
		for i, x := range p.mixed[k*hidden : (k+1)*hidden] {
			v[i] = float32(x / by)
		}
		return
	}
	for i := range v {
		v[i] = float32(math.Inf(-1))
	}
	for j := start; j < end; j++ {
		if p.ids[j] == pad {
			continue
		}
		for i, x := range p.all[j*hidden : (j+1)*hidden] {
			v[i] = max(v[i], x)
		}
	}
}

//go:build libtorch

package libtorch

import (
	"context"
	"fmt"
	"math"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/bert"
)

// encoder is an engine as backend.Encoder.
type encoder struct {
	*engine
	info backend.EncoderInfo
}

func openEncoder(f backend.EncoderFiles, o Options) (backend.Encoder, error) {
	if _, _, err := o.where(); err != nil {
		return nil, err
	}
	folder, err := bert.OpenEncoder(f, o.Workers)
	if err != nil {
		return nil, fmt.Errorf("libtorch: %w", err)
	}
	e, err := newEngine(folder, o)
	if err != nil {
		return nil, err
	}
	info, err := folder.EncoderInfo("libtorch", string(o.dtype()))
	if err != nil {
		e.Close()
		return nil, fmt.Errorf("libtorch: %w", err)
	}
	info.Signature = append(info.Signature, e.fields[0])
	return &encoder{e, info}, nil
}

func (e *encoder) Info() backend.EncoderInfo {
	info := e.info
	info.Info = info.Clone()
	return info
}

func (e *encoder) Tokenize(ctx context.Context, dst []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	release, err := e.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	out, err := e.folder.Tokenize(ctx, dst, texts, most)
	if err != nil {
		return nil, fmt.Errorf("libtorch: %w", err)
	}
	return out, nil
}

// Pool runs sequences through the model and pools each layer on the device as it comes.
func (e *encoder) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	release, err := e.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := backendcheck.Pool(&e.info, e.m.Vocab, dst, sequences, &mix); err != nil {
		return fmt.Errorf("libtorch: %w", err)
	}
	q := queue{e: e.engine}
	for lo := 0; lo < len(sequences); lo += window {
		texts := pieces(sequences[lo:min(len(sequences), lo+window)])
		for _, b := range e.batches(texts) {
			p := &pooler{m: e.m, b: b, pad: e.info.Pad, mix: &mix}
			if err := q.add(ctx, func(o *ops) { p.pool(ctx, o, dst[lo*e.m.Hidden:]) }); err != nil {
				return err
			}
		}
	}
	return q.end(ctx)
}

// pieces are sequences as texts.
func pieces(sequences [][]int32) []bert.Text {
	out := make([]bert.Text, len(sequences))
	for i, ids := range sequences {
		out[i].Pieces = make([]bert.Piece, len(ids))
		for k, id := range ids {
			out[i].Pieces[k].ID = id
		}
	}
	return out
}

// pooler makes the vectors of a batch.
type pooler struct {
	m       *model
	b       *batch
	pad     int32
	mix     *backend.Mix
	tokens  tensor    // 1 for those that count in an average, [texts][1][tokens]
	mixed   []float64 // [texts][hidden]; of Largest nothing
	largest tensor    // of Largest: the mix of each token, [texts][tokens][hidden]
}

// counts says whether token j of text k is there, and no padding.
func (p *pooler) counts(k, j int) bool {
	ids := p.b.texts[p.b.items[k]].Pieces
	return j < len(ids) && ids[j].ID != p.pad
}

// pool sets the batch's vectors in dst.
func (p *pooler) pool(ctx context.Context, o *ops, dst []float32) {
	n, longest, hidden := len(p.b.items), p.b.longest, p.m.Hidden
	p.mixed = make([]float64, n*hidden)
	if p.mix.Pooling == backend.Average {
		ones := make([]float32, n*longest)
		for i := range ones {
			if p.counts(i/longest, i%longest) {
				ones[i] = 1
			}
		}
		p.tokens = put(o, p.m.device, floats, ones, int64(n), 1, int64(longest))
	}
	last := 0
	for i, w := range p.mix.Weights {
		if w != 0 {
			last = i
		}
	}
	x := p.m.run(ctx, o, p.b, last, func(layer int, x tensor) {
		if w := p.mix.Weights[layer]; w != 0 {
			p.add(o, x, w)
		}
	})
	o.free(x)
	p.vectors(o, dst)
}

// add adds a layer to the mixes.
func (p *pooler) add(o *ops, x tensor, weight float64) {
	n, longest, hidden := int64(len(p.b.items)), int64(p.b.longest), int64(p.m.Hidden)
	wide := x
	if p.m.kind != floats {
		wide = o.to(x, p.m.device, floats)
	}
	all := o.view(wide, n, longest, hidden)
	means, scales := p.moments(o, all, weight)
	switch p.mix.Pooling {
	case backend.Average:
		sum := o.bmm(p.tokens, all)
		p.addRows(o, sum, means, scales)
		o.free(sum)
	case backend.First:
		first := o.narrow(all, 1, 0, 1)
		row := o.contiguous(first)
		p.addRows(o, row, means, scales)
		o.free(first, row)
	case backend.Largest:
		p.addAll(o, all, means, scales)
	}
	o.free(all)
	if p.m.kind != floats {
		o.free(wide)
	}
}

// moments returns the mean of each text, and what its numbers are multiplied by.
func (p *pooler) moments(o *ops, all tensor, weight float64) (means, scales []float64) {
	n, longest := len(p.b.items), p.b.longest
	means, scales = make([]float64, n), make([]float64, n)
	for k := range scales {
		scales[k] = weight
	}
	if !p.mix.Norm {
		return means, scales
	}
	sums, squares := make([]float32, n*longest), make([]float32, n*longest)
	sum, square := o.sum(all), o.mul(all, all)
	sumSquares := o.sum(square)
	o.get(sums, sum)
	o.get(squares, sumSquares)
	o.free(sum, square, sumSquares)
	for k, i := range p.b.items {
		tokens := len(p.b.texts[i].Pieces)
		count := float64(tokens * p.m.Hidden)
		mean, variance := 0.0, 0.0
		for j := range tokens {
			mean += float64(sums[k*longest+j]) / count
			variance += float64(squares[k*longest+j]) / count
		}
		means[k] = mean
		scales[k] = weight / math.Sqrt(max(0, variance-mean*mean)+1e-12)
	}
	return means, scales
}

// addRows adds a row of each text, that of its first token or the sum of all.
func (p *pooler) addRows(o *ops, x tensor, means, scales []float64) {
	hidden := p.m.Hidden
	rows := make([]float32, len(p.b.items)*hidden)
	o.get(rows, x)
	for k := range p.b.items {
		n := 1
		if p.mix.Pooling == backend.Average {
			n = 0
			for j := range p.b.longest {
				if p.counts(k, j) {
					n++
				}
			}
		}
		to := p.mixed[k*hidden : (k+1)*hidden]
		for i, v := range rows[k*hidden : (k+1)*hidden] {
			to[i] += scales[k] * (float64(v) - float64(n)*means[k])
		}
	}
}

// addAll adds all tokens.
func (p *pooler) addAll(o *ops, all tensor, means, scales []float64) {
	n := int64(len(p.b.items))
	by, less := make([]float32, n), make([]float32, n)
	for k := range by {
		by[k], less[k] = float32(scales[k]), float32(-scales[k]*means[k])
	}
	scale, shift := put(o, p.m.device, floats, by, n, 1, 1), put(o, p.m.device, floats, less, n, 1, 1)
	scaled := o.mul(all, scale)
	y := o.add(scaled, shift)
	o.free(scale, shift, scaled)
	if p.largest != nil {
		sum := o.add(p.largest, y)
		o.free(p.largest, y)
		y = sum
	}
	p.largest = y
}

// vectors sets the batch's vectors in dst.
func (p *pooler) vectors(o *ops, dst []float32) {
	n, longest, hidden := len(p.b.items), p.b.longest, p.m.Hidden
	rows := make([]float32, n*hidden)
	if p.mix.Pooling == backend.Largest && p.largest != nil {
		mask := make([]float32, n*longest)
		for i := range mask {
			if !p.counts(i/longest, i%longest) {
				mask[i] = float32(math.Inf(-1))
			}
		}
		out := put(o, p.m.device, floats, mask, int64(n), int64(longest), 1)
		left := o.add(p.largest, out)
		most := o.amax(left, 1)
		o.get(rows, most)
		o.free(out, left, most, p.largest)
	} else {
		for i, v := range p.mixed {
			if p.mix.Pooling == backend.Average {
				v /= float64(len(p.b.texts[p.b.items[i/hidden]].Pieces))
			}
			rows[i] = float32(v)
		}
	}
	for i, v := range rows {
		if v-v != 0 && o.err == nil {
			o.err = fmt.Errorf("libtorch: the model gives %v for a sequence of %d tokens", v, len(p.b.texts[p.b.items[i/hidden]].Pieces))
		}
	}
	for k, i := range p.b.items {
		copy(dst[i*hidden:(i+1)*hidden], rows[k*hidden:])
	}
}

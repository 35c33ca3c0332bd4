package cache

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
)

// Encoder is an encoder that remembers the vectors of sequences. It implements
// backend.Encoder, and is made with NewEncoder.
type Encoder struct {
	inner backend.Encoder
	opt   Options

	mu     sync.Mutex
	closed bool
	mixes  map[string]*Backend // what is kept of each mix, by all that it says
}

var _ backend.Encoder = (*Encoder)(nil)

// NewEncoder returns an encoder that gives what e gives, and remembers what Pool gave under
// New's conditions; the bounds of memory are for each mix that is asked for. Closing it closes
// e; on error e is left open.
func NewEncoder(e backend.Encoder, o Options) (*Encoder, error) {
	if contract.Nil(e) {
		return nil, errors.New("cache: no encoder: it is nil")
	}
	// As for any mix: what is wrong with the options shows now.
	b, err := New(&pooled{e: e, info: pooledInfo(e.Info(), backend.Mix{})}, o)
	if err != nil {
		return nil, err
	}
	return &Encoder{inner: e, opt: o, mixes: make(map[string]*Backend)}, b.Close()
}

// errZero is the error of an Encoder that has none within.
var errZero = errors.New("cache: the Encoder was not made with NewEncoder")

// Info is that of the encoder within, and of the zero value the zero EncoderInfo.
func (c *Encoder) Info() backend.EncoderInfo {
	if c.inner == nil {
		return backend.EncoderInfo{}
	}
	return c.inner.Info()
}

// Tokenize is that of the encoder within.
func (c *Encoder) Tokenize(ctx context.Context, dst []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	if c.inner == nil {
		return dst, errZero
	}
	return c.inner.Tokenize(ctx, dst, texts, most)
}

// Pool asks the encoder within for those sequences that are not kept, each once, in one call.
func (c *Encoder) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	b, err := c.of(mix)
	if err != nil {
		return err
	}
	dim := b.info.Dim
	if len(dst) != len(sequences)*dim {
		return fmt.Errorf("cache: room for %d numbers, and %d vectors have %d each", len(dst), len(sequences), dim)
	}
	if all, err := b.pool(ctx, dst, sequences); all || err != nil {
		return err
	}
	texts := make([]string, len(sequences))
	for i, ids := range sequences {
		texts[i] = string(spell(nil, ids))
	}
	var batch backend.Batch
	if err := b.Embed(ctx, &batch, texts); err != nil {
		return err
	}
	copy(dst, batch.Data)
	return nil
}

// pool sets dst to the vectors of sequences, if all of them are in memory, and says whether
// that is so. Otherwise it counts for nothing.
func (c *Backend) pool(ctx context.Context, dst []float32, sequences [][]int32) (all bool, err error) {
	c.use.RLock()
	defer c.use.RUnlock()
	if c.closed {
		return false, backend.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	t := c.newCall()
	defer c.end(t)
	if !c.findAll(t, sequences) {
		return false, nil
	}
	dim := c.info.Dim
	for i, e := range t.found {
		copy(dst[i*dim:(i+1)*dim], e.data)
	}
	return true, nil
}

// findAll sets t.found to what is kept of each sequence, if there is something of all.
func (c *Backend) findAll(t *call, sequences [][]int32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ids := range sequences {
		t.spelled = spell(t.spelled[:0], ids)
		at, ok := c.kept[string(t.spelled)]
		if !ok {
			return false
		}
		c.order.MoveToFront(at)
		t.found = append(t.found, at.Value.(*entry))
	}
	c.counts.Hits += int64(len(sequences))
	return true
}

// of returns what is kept of a mix.
func (c *Encoder) of(mix backend.Mix) (*Backend, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, backend.ErrClosed
	}
	if c.inner == nil {
		return nil, errZero
	}
	var room [512]byte // of the stack; a mix is asked for in every call
	key := append(room[:0], byte(mix.Pooling), 0)
	if mix.Norm {
		key[1] = 1
	}
	for _, w := range mix.Weights {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(w))
	}
	if b, ok := c.mixes[string(key)]; ok {
		return b, nil
	}
	info := c.inner.Info()
	if err := backendcheck.Mix(&mix, info.Layers); err != nil { // nothing is kept of it
		return nil, fmt.Errorf("cache: %w", err)
	}
	mix.Weights = slices.Clone(mix.Weights)
	b, err := New(&pooled{c.inner, mix, pooledInfo(info, mix)}, c.opt)
	if err == nil {
		c.mixes[string(key)] = b
	}
	return b, err
}

// Close waits for calls of Pool to end and closes the encoder within. It returns the first
// error of writing to the folder, as Backend's does.
func (c *Encoder) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if c.inner == nil {
		return nil
	}
	var errs []error
	for _, b := range c.mixes {
		errs = append(errs, b.Close())
	}
	return errors.Join(append(errs, c.inner.Close())...)
}

// pooled is an encoder with a mix as backend.Backend: a text is a sequence, as spell writes
// it, and has one token.
type pooled struct {
	e    backend.Encoder
	mix  backend.Mix
	info backend.Info
}

// mixKey says everything of a mix, in a signature.
func mixKey(mix backend.Mix) string {
	parts := []string{fmt.Sprint(mix.Norm), fmt.Sprint(mix.Pooling)}
	for _, w := range mix.Weights {
		parts = append(parts, decimal.Format(w))
	}
	return strings.Join(parts, ",")
}

func pooledInfo(of backend.EncoderInfo, mix backend.Mix) backend.Info {
	info := of.Info
	info.Signature = slices.Clone(of.Signature)
	if len(info.Signature) > 0 { // without one, New refuses a folder
		info.Signature = append(info.Signature, mteval.Field{Key: "mix", Value: mixKey(mix)})
	}
	return info
}

// spell appends a sequence as a text.
func spell(b []byte, ids []int32) []byte {
	b = slices.Grow(b, 4*len(ids))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return b
}

func (p *pooled) Info() backend.Info { return p.info.Clone() }

func (p *pooled) Close() error { return nil }

func (p *pooled) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	sequences := make([][]int32, len(texts))
	dst.Dim = p.info.Dim
	dst.Tokens, dst.Truncated, dst.Offsets = dst.Tokens[:0], dst.Truncated[:0], append(dst.Offsets[:0], 0)
	for i, t := range texts {
		for ; len(t) > 0; t = t[4:] {
			sequences[i] = append(sequences[i], int32(binary.LittleEndian.Uint32([]byte(t[:4]))))
		}
		dst.Tokens = append(dst.Tokens, mteval.Token{Weight: 1})
		dst.Offsets = append(dst.Offsets, i+1)
	}
	dst.Data = slices.Grow(dst.Data[:0], len(texts)*dst.Dim)[:len(texts)*dst.Dim]
	return p.e.Pool(ctx, dst.Data, sequences, p.mix)
}

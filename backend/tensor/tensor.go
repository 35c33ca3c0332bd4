// Package tensor is for models that take or give tensors of gorgonia.org/tensor: a
// backend.Backend from a function that returns a tensor, and what a Batch holds as
// tensors.
//
// It is a module of its own, as gorgonia.org/tensor's graph has 57. That library at
// v0.9.24 panics at start under current Go with what its own go.mod asks for; this
// module's go.mod asks for a go4.org/unsafe/assume-no-moving-gc that does not, which
// holds for those who use this module too.
package tensor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	gorgonia "gorgonia.org/tensor"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
)

// Dense returns the vectors of a text as a tensor of shape [tokens, Dim], row by row,
// nil for a text without tokens. It shares b's memory: it is valid for as long as b is
// not used again, and what is written to it is written to b. It panics if b has no such
// text.
func Dense(b *backend.Batch, text int) *gorgonia.Dense {
	tokens, data := b.Text(text)
	if len(tokens) == 0 {
		return nil // the library has no tensors without numbers
	}
	return gorgonia.New(gorgonia.WithShape(len(tokens), b.Dim), gorgonia.WithBacking(data))
}

// FromDense appends a text to b, with its tokens and a copy of their vectors, the rows of
// d. A batch without texts takes its Dim from b.Dim if it is set, and else from d.
//
// The numbers of d are float32, or float64 that are rounded; others are refused, as are a
// mask, a number that is not finite and a shape other than [tokens, Dim]. Any view will
// do, one that is transposed or has gaps too. For one token the shape [Dim] is fine,
// which is what the library makes of [1, Dim] when it slices, and for none d is nil. On
// error b is as it was.
func FromDense(b *backend.Batch, tokens []mteval.Token, d *gorgonia.Dense) error {
	if b == nil {
		return errors.New("tensor: no batch to append to")
	}
	dim := b.Dim
	if d == nil {
		if len(tokens) > 0 {
			return fmt.Errorf("tensor: no tensor for %d tokens", len(tokens))
		}
	} else {
		shape := d.Shape()
		if dim == 0 && len(shape) > 0 {
			dim = shape[len(shape)-1]
		}
		if !slices.Equal(shape, []int{len(tokens), dim}) && (len(tokens) != 1 || !slices.Equal(shape, []int{dim})) {
			return fmt.Errorf("tensor: shape %v for %d tokens of Dim %d", shape, len(tokens), dim)
		}
		data, err := appendRows(b.Data, d)
		if err != nil {
			return err
		}
		b.Data = data
	}
	b.Dim = dim
	if len(b.Offsets) == 0 {
		b.Offsets = append(b.Offsets, 0)
	}
	b.Tokens = append(b.Tokens, tokens...)
	b.Offsets = append(b.Offsets, len(b.Tokens))
	return nil
}

// appendRows appends the numbers of a vector or a matrix, row by row.
func appendRows(dst []float32, d *gorgonia.Dense) ([]float32, error) {
	if d.IsMasked() {
		return nil, errors.New("tensor: the tensor has a mask")
	}
	switch data := d.Data().(type) {
	case []float32:
		return appendFrom(dst, d, data)
	case []float64:
		return appendFrom(dst, d, data)
	}
	return nil, fmt.Errorf("tensor: numbers of type %v, want float32 or float64", d.Dtype())
}

// appendFrom goes by the strides. The library's own ways to a view's numbers are to copy
// it, or an iterator, Data gives all that the view spans.
func appendFrom[T float32 | float64](dst []float32, d *gorgonia.Dense, data []T) ([]float32, error) {
	rows, cols := 1, d.Shape()[0]
	down, along := 0, 1
	strides := d.Strides()
	if len(d.Shape()) == 2 {
		rows, cols = d.Shape()[0], d.Shape()[1]
		if len(strides) == 2 {
			down, along = strides[0], strides[1]
		} else if len(strides) == 1 {
			// A row or a column: there is one way to go.
			down, along = strides[0], strides[0]
		}
	} else if len(strides) == 1 {
		along = strides[0]
	}
	if last := (rows-1)*down + (cols-1)*along; rows <= 0 || cols <= 0 || down < 0 || along < 0 || last >= len(data) {
		return nil, fmt.Errorf("tensor: shape %v with strides %v over %d numbers", d.Shape(), strides, len(data))
	}
	dst = slices.Grow(dst, rows*cols)
	for i := range rows {
		for j := range cols {
			x := float32(data[i*down+j*along])
			if x-x != 0 {
				return nil, fmt.Errorf("tensor: the number at row %d, column %d is %v", i, j, data[i*down+j*along])
			}
			dst = append(dst, x)
		}
	}
	return dst, nil
}

// An adapter is what New returns.
type adapter struct {
	info  backend.Info
	embed func(context.Context, string) ([]mteval.Token, *gorgonia.Dense, error)

	turn   chan struct{} // holds one, for who may call embed
	mu     sync.Mutex
	closed bool
}

// New returns a backend that asks embed for each text's tokens and their vectors, a
// tensor of shape [tokens, Dim] as FromDense takes them. For a text of which they are only
// the beginning it returns them with an error that is or wraps backend.ErrTruncated. It
// is called by one goroutine at a time, as graphs of the library need it, and what
// it returns is copied before it is called again, so that it may use its memory anew.
//
// Closing the backend waits for embed to return and does nothing else.
func New(info backend.Info, embed func(ctx context.Context, text string) ([]mteval.Token, *gorgonia.Dense, error)) (backend.Backend, error) {
	if embed == nil {
		return nil, errors.New("tensor: no function to embed with")
	}
	if info.Name == "" || len(info.Signature) == 0 || info.Dim <= 0 || info.MaxTokens < 0 {
		return nil, fmt.Errorf("tensor: Info is %+v, but needs a name, a signature and a Dim", info)
	}
	return &adapter{info: info.Clone(), embed: embed, turn: make(chan struct{}, 1)}, nil
}

func (a *adapter) Info() backend.Info { return a.info.Clone() }

func (a *adapter) isClosed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.closed
}

func (a *adapter) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.turn <- struct{}{}
	<-a.turn
	return nil
}

// Embed takes its turn for each text anew, so that a long call does not keep short ones
// waiting.
func (a *adapter) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	if a.isClosed() {
		return backend.ErrClosed
	}
	if dst == nil {
		return errors.New("tensor: no batch to put the vectors in")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	dst.Dim = a.info.Dim
	dst.Data, dst.Tokens, dst.Truncated = dst.Data[:0], dst.Tokens[:0], dst.Truncated[:0]
	dst.Offsets = append(dst.Offsets[:0], 0)
	for i, text := range texts {
		truncated, err := a.one(ctx, dst, text)
		if err != nil {
			return err
		}
		if truncated {
			dst.Truncated = append(dst.Truncated, i)
		}
	}
	if err := backendcheck.Batch(a.info, dst, texts); err != nil { // of tokens, mostly
		return fmt.Errorf("tensor: %w", err)
	}
	return nil
}

// one appends a text to dst.
func (a *adapter) one(ctx context.Context, dst *backend.Batch, text string) (truncated bool, err error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if a.isClosed() {
		return false, backend.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	tokens, d, err := a.embed(ctx, text)
	if truncated = errors.Is(err, backend.ErrTruncated); err != nil && !truncated {
		return false, err
	}
	if m := a.info.MaxTokens; m > 0 && len(tokens) > m {
		return false, fmt.Errorf("tensor: %d tokens for a text, MaxTokens is %d", len(tokens), m)
	}
	if err := backendcheck.Length(text, len(tokens), truncated, dst.MaxTokens); err != nil {
		return false, fmt.Errorf("tensor: %w", err)
	}
	return truncated, FromDense(dst, tokens, d)
}

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mteval/mteval/internal/parallel"
)

// A state is where a run is.
type state struct {
	Totals
	bytes int64 // of the output
	done  bool  // all is there
}

// ErrOtherInput is wrapped by the error of a run that is to go on with another input.
var ErrOtherInput = errors.New("another input")

// run reads, scores and writes. The state is of what was written whole.
func (x *run) run(ctx context.Context, in io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	// A pipe may have nobody who writes to it.
	r, err := parallel.Await(ctx, func() (*reader, error) { return x.newReader(ctx, in) })
	if err != nil {
		return err
	}
	if x.begun {
		r.head = "" // which is there
	}
	// As many blocks as there are bound the memory.
	window := 2*x.o.Workers + 2
	free, work, order := make(chan *block, window), make(chan *block, window), make(chan *block, window)
	for range window {
		free <- &block{done: make(chan error, 1)}
	}
	wg.Go(func() { r.blocks(ctx, free, work, order) })
	for range x.o.Workers {
		wg.Go(func() {
			s := worker{x: x}
			for {
				select {
				case b := <-work:
					if b == nil {
						return
					}
					b.done <- s.score(ctx, b)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return x.write(ctx, w, free, order)
}

// blocks reads all blocks.
func (r *reader) blocks(ctx context.Context, free <-chan *block, work, order chan<- *block) {
	defer close(work)
	defer close(order)
	for {
		select {
		case b := <-free:
			r.fill(ctx, b)
			last := b.err != nil
			if ctx.Err() != nil {
				return
			}
			work <- b
			order <- b
			if last {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// write writes the blocks in their order.
func (x *run) write(ctx context.Context, w io.Writer, free chan<- *block, order <-chan *block) error {
	for {
		var b *block
		select {
		case b = <-order:
		case <-ctx.Done():
			return x.end(ctx.Err())
		}
		if b == nil {
			return x.end(ctx.Err())
		}
		var err error
		select {
		case err = <-b.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err == nil {
			err = b.fatal
		}
		if broken := b.err != nil && !errors.Is(b.err, io.EOF); err == nil && broken && x.save != nil {
			err = b.err // blocks must be parted where they are without the error
		}
		if err != nil {
			return x.end(err)
		}
		if err := x.writeBlock(w, b); err != nil {
			x.finishAll()
			return err
		}
		if b.err != nil {
			if !errors.Is(b.err, io.EOF) {
				return x.end(b.err)
			}
			return x.whole(w)
		}
		if x.save != nil && time.Since(x.lastSaved) >= x.o.checkpoint {
			if err := x.saveState(); err != nil {
				return err
			}
		}
		free <- b
	}
}

// writeBlock writes a block and adds it to the totals.
func (x *run) writeBlock(w io.Writer, b *block) error {
	if len(b.out) > 0 {
		n, err := w.Write(b.out)
		if err == nil && n < len(b.out) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
		x.state.bytes += int64(n)
	}
	x.add(b)
	x.state.Input = Input{b.lines, b.bytes, hexSum(b.sum)}
	if x.o.Report != nil {
		for _, at := range b.bad {
			x.o.Report(at)
		}
	}
	return nil
}

// whole ends a run that has read all.
func (x *run) whole(w io.Writer) error {
	if err := x.state.scored(); err != nil {
		x.finishAll()
		return fmt.Errorf("%s: %w", x.o.Name, err)
	}
	if x.o.Pack != nil && x.state.bytes == 0 { // compressed data of nothing are something
		out, err := x.o.Pack(nil, nil)
		if err != nil {
			return err
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		x.state.bytes = int64(len(out))
	}
	x.state.done = true
	return x.end(nil)
}

// end saves where the run ends, of which the output has all.
func (x *run) end(err error) error {
	x.finishAll()
	if x.save != nil && (err == nil || x.state.Input.Lines > 0) {
		if failed := x.saveState(); err == nil {
			err = failed
		}
	}
	if err == nil && x.o.End != nil {
		err = x.o.End(&x.state.Totals)
	}
	return err
}

// saveState saves where the run is.
func (x *run) saveState() error {
	x.finishAll()
	x.lastSaved = time.Now()
	return x.save()
}

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A feed reads ahead, so that who reads from it may wait for a while only, and ends with a context
// also where the input is a pipe that nobody writes to.
type feed struct {
	ctx       context.Context
	free, got chan []byte
	rest, buf []byte // what is left of a buffer, and all of it
	err       error  // of the input, good when got is closed
	timer     *time.Timer
	// until is when Read ends with errLate; zero: it waits. Nothing is lost by that.
	until time.Time
}

// feedBuffer is the size of one of the two buffers of a feed.
const feedBuffer = 1 << 16

// errLate is of a Read that has waited as long as it may.
var errLate = errors.New("nothing came")

func newFeed(ctx context.Context, in io.Reader) *feed {
	f := &feed{ctx: ctx, free: make(chan []byte, 2), got: make(chan []byte, 2), timer: time.NewTimer(0)}
	f.free <- make([]byte, feedBuffer)
	f.free <- make([]byte, feedBuffer)
	go f.fill(in)
	return f
}

// fill reads till the end. It may be left waiting for a pipe when ctx is done.
func (f *feed) fill(in io.Reader) {
	defer close(f.got)
	for f.err == nil {
		select {
		case buf := <-f.free:
			var n int
			n, f.err = in.Read(buf[:feedBuffer])
			if n < 0 || n > feedBuffer {
				n, f.err = 0, fmt.Errorf("stream: the reader says that it read %d bytes into %d", n, feedBuffer)
			}
			f.got <- buf[:n] // which has room for both
		case <-f.ctx.Done():
			f.err = f.ctx.Err()
		}
	}
}

func (f *feed) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.buf != nil {
			f.free <- f.buf
			f.buf = nil
		}
		buf, err := f.next()
		if err != nil {
			return 0, err
		}
		f.buf, f.rest = buf, buf
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next waits for what comes next. What is there is never late.
func (f *feed) next() ([]byte, error) {
	var late <-chan time.Time
	if !f.until.IsZero() && len(f.got) == 0 {
		f.timer.Reset(time.Until(f.until))
		late = f.timer.C
	}
	select {
	case buf, ok := <-f.got:
		if !ok {
			return nil, f.err
		}
		return buf, nil
	case <-late:
		return nil, errLate
	case <-f.ctx.Done():
		return nil, f.ctx.Err()
	}
}

package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// A block is lines that are scored together. It is used again.
type block struct {
	head string // stands before the lines in the output
	data []byte // the lines, with their ends
	ends []int  // where in data each line ends; one that is too long has no bytes
	at   []int64
	// err is what comes after these lines: io.EOF, or what is wrong.
	err error
	// What is read with the block: how many lines and bytes of the file, and their checksum.
	lines, bytes int64
	sum          uint32

	layout layout
	done   chan error
	scored
}

func (b *block) reset() {
	b.head, b.data, b.ends, b.at, b.err = "", b.data[:0], b.ends[:0], b.at[:0], nil
}

// line is the text of a line and what ends it, both without bytes where it is too long.
func (b *block) line(text string, i int) (line, end string) {
	from := 0
	if i > 0 {
		from = b.ends[i-1]
	}
	line = text[from:b.ends[i]]
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[:n-1], line[n-1:]
	}
	return line, ""
}

// A reader parts lines into blocks.
type reader struct {
	x      *run
	in     *bufio.Reader // of feed
	feed   *feed
	at     int64 // lines of the file so far, the header too
	head   string
	lines  int64 // of texts
	layout layout
	bytes  int64  // with the header
	sum    uint32 // of these
	long   []byte
}

const (
	readBuffer = 1 << 18
	bom        = "\ufeff"
)

// newReader reads the header, if there is one, and passes over the lines of which the output has
// the scores already.
func (x *run) newReader(ctx context.Context, in io.Reader) (*reader, error) {
	r := &reader{x: x}
	// No bound on what gzip data expand to: lines have one, and memory does not grow.
	unpacked, hadBOM, err := sidefile.Unpack(sidefile.Until(ctx, in), feedBuffer, math.MaxInt64)
	if err != nil {
		return nil, r.failed(err)
	}
	r.feed = newFeed(ctx, unpacked)
	r.in = bufio.NewReaderSize(r.feed, readBuffer)
	if hadBOM {
		r.head = bom
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	return r, r.pass(x.from)
}

// failed is an error of the next line.
func (r *reader) failed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &files.LineError{Path: r.x.o.Name, Line: int(r.at + 1), Err: sidefile.Plain(err)}
}

// start looks at the first line, and takes it if it is a header.
func (r *reader) start() error {
	first, err := r.look()
	if err != nil {
		return err
	}
	r.layout = r.x.newLayout(first.format)
	t, ok := r.layout.(*table)
	if !ok || first.none && t.NoHeader {
		return nil
	}
	if first.none {
		return fmt.Errorf("%s: the file is empty: a table has a header (or say that there is none)", r.x.o.Name)
	}
	head, is, err := t.start(first.line)
	if err != nil {
		return r.failed(err)
	}
	if !is {
		return nil
	}
	line, err := r.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return r.failed(err)
	}
	r.at++
	r.head += head
	if n := len(line); n > 0 && line[n-1] == '\n' {
		r.head += "\n"
	}
	return nil
}

// ready waits until the next line is in the buffer, or the input ends, with or without an error.
// It is false where that takes longer than until a time, or the line is longer than the buffer.
func (r *reader) ready(until time.Time) (bool, error) {
	for seen := 0; ; {
		head, _ := r.in.Peek(r.in.Buffered())
		switch {
		case bytes.IndexByte(head[seen:], '\n') >= 0:
			return true, nil
		case len(head) == r.in.Size():
			return false, nil
		}
		seen = len(head)
		r.feed.until = until
		_, err := r.in.Peek(seen + 1)
		r.feed.until = time.Time{}
		if err != nil {
			return !errors.Is(err, errLate), err
		}
	}
}

// pass reads what was read before.
func (r *reader) pass(from Totals) error {
	n := from.Input.Lines
	for r.lines < n {
		if _, err := r.next(); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, lines.ErrTooLarge) {
				return r.failed(err)
			}
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: %s has %d lines, and %d were scored", ErrOtherInput, r.x.o.Name, r.lines, n)
			}
		}
		r.at++
		r.lines++
	}
	if n > 0 && hexSum(r.sum) != from.Input.Sum {
		return fmt.Errorf("%w: the first %d lines of %s are not those that were scored", ErrOtherInput, n, r.x.o.Name)
	}
	return nil
}

// took counts what is read.
func (r *reader) took(line []byte) {
	r.bytes, r.sum = r.bytes+int64(len(line)), outfile.AddSum(r.sum, line)
}

// next reads a line with its end, which is good until it is called again. One that is too long is
// passed over. After the last line the error is io.EOF.
func (r *reader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return r.nextLong(line)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	r.took(line) // no part of a line that can't be read
	return line, r.checkLength(line)
}

// nextLong is next for a line that does not fit into the buffer, from which line is.
func (r *reader) nextLong(line []byte) ([]byte, error) {
	bytes, sum := r.bytes, r.sum
	r.long = r.long[:0]
	for err := bufio.ErrBufferFull; ; line, err = r.in.ReadSlice('\n') {
		full := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !full && !errors.Is(err, io.EOF) {
			r.bytes, r.sum = bytes, sum
			return nil, err
		}
		r.took(line)
		fits := int64(len(r.long)) <= r.x.o.MaxLine
		if fits {
			r.long = append(r.long, line...)
		}
		// One that is too long need not be read to its end where the run ends with it.
		if !full || !fits && r.mine() && r.x.o.OnError != Skip {
			return r.long, r.checkLength(r.long)
		}
	}
}

// checkLength is an error of a line that is too long.
func (r *reader) checkLength(line []byte) error {
	if int64(len(bytes.TrimSuffix(line, []byte("\n")))) > r.x.o.MaxLine {
		return lines.ErrTooLarge
	}
	return nil
}

// mine says whether the next line is of the shard.
func (r *reader) mine() bool {
	s := r.x.o.Shard
	return r.lines%int64(s.Of) == int64(s.Number-1)
}

// patience is how long a block waits for more lines.
const patience = 100 * time.Millisecond

// fill reads lines of the shard into a block.
func (r *reader) fill(ctx context.Context, b *block) {
	b.reset()
	b.layout, b.head = r.layout, r.head
	r.head = ""
	var late time.Time
	for len(b.at) < r.x.o.blockLines && len(b.data) < r.x.o.blockBytes {
		if r.x.o.Pack == nil && len(b.at) > 0 {
			if late.IsZero() {
				late = time.Now().Add(patience)
			}
			if ready, _ := r.ready(late); !ready {
				break
			}
		}
		mine := r.mine()
		line, err := r.next()
		if err != nil && !errors.Is(err, lines.ErrTooLarge) {
			if b.err = err; !errors.Is(err, io.EOF) {
				b.err = r.failed(err)
			}
			break
		}
		r.at++
		r.lines++
		if !mine {
			continue
		}
		if err == nil {
			b.data = append(b.data, line...)
		}
		b.ends = append(b.ends, len(b.data))
		b.at = append(b.at, r.at)
		if err != nil && r.x.o.OnError != Skip {
			break
		}
	}
	b.lines, b.bytes, b.sum = r.lines, r.bytes, r.sum
	if cap(r.long) > readBuffer<<2 {
		r.long = nil
	}
}

package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/sidefile"
)

// packer is what compresses what is written to a file of this name, nil: nothing does.
func packer(path string) (func(dst, data []byte) ([]byte, error), error) {
	switch {
	case strings.HasSuffix(path, ".gz"):
		return gzipMember, nil
	case strings.HasSuffix(path, ".zst"):
		e, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
		if err != nil {
			return nil, err
		}
		return func(dst, data []byte) ([]byte, error) { return e.EncodeAll(data, dst), nil }, nil
	}
	return nil, nil
}

var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// gzipMember appends a member of gzip data.
func gzipMember(dst, data []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	z := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(z)
	z.Reset(b)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxWindow bounds the memory that zstd data may ask for: as of zstd --long.
const maxWindow = 128 << 20

// unpacked is what the input holds, unpacked if it is zstd data; gzip data are unpacked by who
// reads it. It waits for no pipe once ctx is done.
func unpacked(ctx context.Context, in io.Reader, name string) (_ io.Reader, done func(), _ error) {
	r := bufio.NewReaderSize(in, 1<<16)
	head, err := parallel.Await(ctx, func() ([]byte, error) { return r.Peek(4) })
	if err != nil && !errors.Is(err, io.EOF) {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	if !sidefile.IsZstd(head) {
		return r, func() {}, nil
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return damagedZstd{z}, z.Close, nil
}

// damagedZstd says of what can't be unpacked what it is.
type damagedZstd struct{ z *zstd.Decoder }

func (d damagedZstd) Read(p []byte) (int, error) {
	n, err := d.z.Read(p)
	var of *os.PathError
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &of) && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("damaged zstd data: %w", err)
	}
	return n, err
}

// counted is a file whose reading shows a bar, if it is known how large it is.
func counted(a *app.App, f *os.File, name string) (_ io.Reader, clear func()) {
	at, err := f.Stat()
	if err != nil || !at.Mode().IsRegular() {
		return f, func() {}
	}
	report, clear := a.BytesBar(name)
	if report == nil {
		return f, clear
	}
	return &counter{r: f, report: report, total: at.Size()}, clear
}

type counter struct {
	r           io.Reader
	report      func(done, total int64)
	done, total int64
	told        time.Time
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if time.Since(c.told) > 100*time.Millisecond {
		c.told = time.Now()
		c.report(min(c.done, c.total), c.total)
	}
	return n, err
}

// Package sidefile unpacks what is read, plain or gzip, with or without a byte order mark, and
// reads the files that metrics need beside the texts, such as lists and tables, no more of them
// than they can be.
package sidefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mteval/mteval/internal/contract"
)

// Text returns what r holds, unpacked if it is gzip, without a byte order mark before it. Of
// gzip data that expand more than any real file does, reading ends with an error.
func Text(r io.Reader) (*bufio.Reader, error) {
	in, _, err := Unpack(r, 1<<20, Anyway)
	return in, err
}

// Unpack is Text with a buffer of some bytes, for gzip data that may expand to some bytes in
// any case. It says whether there was a byte order mark.
func Unpack(r io.Reader, buffer int, anyway int64) (_ *bufio.Reader, hadBOM bool, _ error) {
	if contract.Nil(r) {
		return nil, false, contract.ErrNoReader
	}
	packed := &counter{r: r}
	in := bufio.NewReaderSize(packed, buffer)
	head, err := in.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if string(head) == magic {
		z, err := newMembers(in)
		if err != nil {
			return nil, false, err
		}
		in = bufio.NewReaderSize(&bounded{z, packed, 0, anyway}, buffer)
	}
	if head, _ := in.Peek(len(bom)); string(head) == bom {
		_, _ = in.Discard(len(bom))
		hadBOM = true
	}
	return in, hadBOM, nil
}

const bom = "\ufeff"

// WithoutBOM is a text without a byte order mark before it.
func WithoutBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte(bom)) }

// A counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n < 0 || n > len(p) { // at which bufio panics, maybe on a goroutine
		return 0, fmt.Errorf("the reader says that it read %d bytes into %d", n, len(p))
	}
	c.n += int64(n)
	return n, err
}

// Anyway is what gzip data may expand to in any case, in bytes.
const Anyway = 16 << 20

// maxRatio is how many times its size a larger file may expand. Tables and vectors as text do
// so 2 to 8 times.
const maxRatio = 100

// bounded unpacks packed no further than is likely.
type bounded struct {
	z      io.Reader
	packed *counter
	n      int64
	anyway int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	if b.n += int64(n); b.n-maxRatio*b.packed.n > b.anyway {
		return 0, fmt.Errorf("it expands to more than %d times its size, as no real file does: unpack it yourself if you trust it", maxRatio)
	}
	return n, err
}

// ReadAll reads no more than most bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	if contract.Nil(r) {
		return nil, contract.ErrNoReader
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, Plain(err)
	}
	if err := check(int64(len(data)), most); err != nil {
		return nil, err
	}
	return data, nil
}

func check(size, most int64) error {
	if size > most {
		return fmt.Errorf("more than %d bytes, the most that are read of such a file", most)
	}
	return nil
}

// Open is os.Open, with an error that begins with the path.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Plain(err))
	}
	return f, nil
}

// Load opens the file at path and reads it. Read is given the path for its errors.
func Load[T any](path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	f, err := Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, path)
}

// ReadFile is os.ReadFile for a regular file of at most `most` bytes. Another is an error,
// before memory is taken for it and without waiting for a pipe.
func ReadFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no regular file", path)
	}
	if err := check(info.Size(), most); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := ReadAll(f, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Plain is an error of the file system without its operation and path.
func Plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Package bounded reads files whole that are known to be small.
package bounded

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

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
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), most)) + bytes.MinRead)
	// It may have grown, or not tell its size as those in /proc do.
	if _, err := b.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > most {
		return nil, fmt.Errorf("%s: has more than %d bytes, the most that are read of a file of this name", path, most)
	}
	return b.Bytes(), nil
}

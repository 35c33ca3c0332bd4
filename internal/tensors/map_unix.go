//go:build unix

package tensors

import (
	"fmt"
	"os"
	"syscall"
)

// Map maps a file into memory, to be read only, and returns what gives it back.
func Map(path string) ([]byte, func() error, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for its other end
		return nil, nil, fmt.Errorf("%s: is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size == 0 {
		return nil, nil, fmt.Errorf("%s: is empty", path)
	}
	if int64(int(size)) != size {
		return nil, nil, fmt.Errorf("%s: %d bytes are more than this machine can address", path, size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}

//go:build !unix

package tensors

import "os"

// Map reads a file into memory.
func Map(path string) ([]byte, func() error, error) {
	data, err := os.ReadFile(path)
	return data, func() error { return nil }, err
}

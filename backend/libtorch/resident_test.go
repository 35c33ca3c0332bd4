//go:build libtorch

package libtorch

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// resident is the memory of the process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(data)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

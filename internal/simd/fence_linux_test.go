package simd

import (
	"syscall"
	"testing"
	"unsafe"
)

// fenced is a slice of n numbers, next to memory that can't be read, which it
// precedes or, if after is set, follows.
func fenced(t *testing.T, n int, after bool) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	size := (4*n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("needs memory that can be fenced off: ", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	for _, edge := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Skip("needs memory that can be fenced off: ", err)
		}
	}
	if n == 0 {
		return nil
	}
	at := page
	if !after {
		at += size - 4*n
	}
	s := unsafe.Slice((*float32)(unsafe.Pointer(&mem[at])), n)
	for i := range s {
		s[i] = float32(i%11) / 11
	}
	return s
}

// Nothing is read or written outside a slice: it would end the test with a fault.
func TestFenced(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for _, after := range []bool{false, true} {
			for n := range 71 {
				x, y, z, w := fenced(t, n, after), fenced(t, n, after), fenced(t, n, after), fenced(t, n, after)
				Add(x, y)
				Softmax(x, len(x), 1, len(x))
				LayerNorm(w, x, y, z, 1e-5)
				Gelu(x)
				GeluTanh(x)
				if n > 0 {
					MaxRow(x)
					MaxCols(y, make([]int32, n), x, 1)
				}
			}
			for _, s := range [][3]int{{1, 1, 1}, {3, 4, 5}, {5, 7, 13}, {7, 17, 9}, {13, 31, 33}, {14, 48, 8}, {25, 65, 19}} {
				m, n, k := s[0], s[1], s[2]
				a, b, c, bias := fenced(t, m*k, after), fenced(t, n*k, after), fenced(t, m*n, after), fenced(t, n, after)
				Dots(c, a, b, m, n, k)
				Gemm(c, a, m, Pack(b, k, n), bias)
				MaxCols(bias, make([]int32, n), c, m)
				p := new(Packed)
				p.SetRows(b, n, k, n)
				p.data = append(fenced(t, len(p.data), after)[:0], p.data...)
				Gemm(c, a, m, p, nil)
			}
		}
	})
}

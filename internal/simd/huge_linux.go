package simd

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page where pages have 4 KB, and a multiple of theirs anywhere.
const hugePage = 2 << 20

// huge asks for large pages for the memory of a matrix that stays, before anything is in it. A
// model's matrices go by with every product, and the processor knows the places of few pages of
// 4 KB. Where the matrix ends inside a large page, all of that is asked for: the next matrix of
// the model is there as a rule.
func huge[T float32 | uint32](v []T) {
	if len(v) < hugePage/4/8 {
		return
	}
	first := uintptr(unsafe.Pointer(&v[0]))
	start, end := first&^(hugePage-1), (first+4*uintptr(len(v))+hugePage-1)&^(hugePage-1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_HUGEPAGE) // it is advice
}

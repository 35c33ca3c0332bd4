package tensors

import "syscall"

// Drop lets what was read of a file that Map mapped leave the process's memory: a model whose
// matrices are in another order elsewhere does not need them twice. What is read again comes
// from the file.
func Drop(mapped []byte) { _ = syscall.Madvise(mapped, syscall.MADV_DONTNEED) } // it is advice

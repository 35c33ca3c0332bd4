//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fetch

import (
	"os"
	"syscall"
)

// TryLock takes the lock, or tells that another has it. Where the file system has no
// locks, it is as if nobody had it.
func TryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err != syscall.EWOULDBLOCK && err != syscall.EINTR
}

// sharedFile tells whether a file has other names, through which others see what is
// written.
func sharedFile(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}

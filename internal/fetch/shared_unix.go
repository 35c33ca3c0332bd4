//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fetch

import (
	"os"
	"syscall"
)

// sharedFile tells whether a file has other names, through which others see what is
// written.
func sharedFile(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}

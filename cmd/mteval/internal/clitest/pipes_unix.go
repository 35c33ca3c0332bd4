//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package clitest

import "syscall"

// MakePipe makes a named pipe.
func MakePipe(path string) error { return syscall.Mkfifo(path, 0o600) }

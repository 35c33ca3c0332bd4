//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package fetch

import "os"

// TryLock locks nothing: the platform has no locks in Go's standard library. Two
// downloads of one file at once then end in a wrong hash, which is told.
func TryLock(*os.File) bool { return true }

// sharedFile tells whether a file has other names; here nothing tells.
func sharedFile(os.FileInfo) bool { return false }

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fetch

import "os"

// sharedFile tells whether a file has other names; here nothing tells, and Windows does not tell
// it of a path.
func sharedFile(os.FileInfo) bool { return false }

package fetch

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock, or tells that another has it: the file's first byte, which
// Hugging Face's library locks too.
func TryLock(f *os.File) bool {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	return !errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// sharedFile tells whether a file has other names, which Windows does not tell of a path.
func sharedFile(os.FileInfo) bool { return false }

package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mteval/mteval/internal/filelock"
)

// Patience is how long Lock waits before it says so.
const Patience = 300 * time.Millisecond

// Lock takes the lock of the file at a path, waiting for whoever has it, and returns what
// gives it back. After some patience waiting, if any, is called once. The lock file stays:
// removing it would let two take it at once.
func Lock(ctx context.Context, path string, patience time.Duration, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	start := time.Now()
	told := waiting == nil
	for {
		f, err := OpenOwn(path)
		if err != nil {
			return nil, err
		}
		if filelock.Try(f) {
			// Other programs may have removed the file, and its lock with it, before
			// they gave the lock back.
			held, err := f.Stat()
			if now, nerr := os.Lstat(path); err == nil && nerr == nil && os.SameFile(held, now) {
				return func() { f.Close() }, nil
			}
		}
		f.Close()
		if !told && time.Since(start) > patience {
			told = true
			waiting()
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// OpenOwn opens a file of a cache to go on with it, or makes it. What else is there in
// its place, such as a link to another's file, is removed and not written through.
func OpenOwn(path string) (*os.File, error) {
	for range 100 {
		info, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) {
			f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, os.ErrExist) {
				continue // another process was first
			}
			return f, err
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() && !sharedFile(info) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if now, err := f.Stat(); err == nil && os.SameFile(info, now) {
				return f, nil
			}
			f.Close() // it was changed meanwhile
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: is changed all the time", path)
}

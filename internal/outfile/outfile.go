// Package outfile writes files that are there whole or not at all: beside the file that
// is to be replaced, and renamed at the end. Whatever goes wrong before, a full disk, an
// error, a cancelled context, leaves the old file as it was and nothing else. Check tells
// before any work whether an output would overwrite an input.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// A File is an output that is being written. Nothing is at its path before Commit.
//
//	f, err := outfile.Create(ctx, path)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	… write to f …
//	return f.Commit()
type File struct {
	ctx  context.Context
	path string // as the caller named it, for errors
	file *os.File

	// Where the file is renamed from and to. Both are empty for what is written
	// directly, as devices are.
	part, target string
	// keep is for standard output and standard error, which stay open.
	keep bool
	stop func() bool
}

// Create begins to write a file. A new one gets the permissions that the umask leaves,
// one that replaces another gets the other's, and a symbolic link stays: what it leads
// to is replaced. Named pipes, terminals and devices such as /dev/null are written
// directly, and /dev/stdout, with all other names of standard output and standard error,
// is what the process has for it.
//
// All errors that come of writing, of this function and the methods, are *fs.PathError
// with the operation "write" and the path that was given here. Once ctx is done, they
// are its cause.
func Create(ctx context.Context, path string) (*File, error) {
	f := &File{ctx: ctx, path: path, stop: func() bool { return true }}
	if err := f.open(); err != nil {
		return nil, f.fail(err)
	}
	return f, nil
}

// Write replaces the file at path by the data, as Create, Write and Commit.
func Write(ctx context.Context, path string, data []byte) error {
	f, err := Create(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

func (f *File) open() error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	old, err := os.Stat(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if old == nil {
		return f.create(0o666, nil)
	}
	if std := standard(old); std != nil {
		// Opened anew, a file would be written from its beginning, over what is
		// there.
		f.file, f.keep = std, true
		return nil
	}
	switch {
	case old.IsDir():
		return errIsFolder
	case !old.Mode().IsRegular():
		return f.direct()
	}
	if err := mayWrite(f.path); err != nil {
		return err
	}
	return f.create(old.Mode().Perm(), old)
}

// standard is standard output or standard error, if a file is that.
func standard(file fs.FileInfo) *os.File {
	for _, std := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := std.Stat(); err == nil && os.SameFile(info, file) {
			return std
		}
	}
	return nil
}

// mayWrite is an error if a file may not be written: it must not be replaced either.
func mayWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// Replaces says whether Create makes a file at path, or replaces one: other than a device, a pipe
// or standard output, which is written directly.
func Replaces(path string) bool {
	at, err := os.Stat(path)
	return err != nil || at.Mode().IsRegular() && standard(at) == nil
}

var errIsFolder = errors.New("is a folder")

// create makes the file that is renamed at the end. Its name is short, so that it can be
// made wherever the target can.
func (f *File) create(perm fs.FileMode, old fs.FileInfo) error {
	target, err := resolve(f.path)
	if err != nil {
		return err
	}
	if old != nil {
		if info, err := os.Stat(target); err != nil || !os.SameFile(info, old) {
			return errors.New("the link leads to a file that is deleted")
		}
	}
	for range 100 {
		part := filepath.Join(filepath.Dir(target), fmt.Sprintf(".mteval-%016x.tmp", rand.Uint64()))
		// Exclusive: what anyone may have put there, a link for one, is not used.
		f.file, err = os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		f.part, f.target = part, target
		// At once, as a program that is told to end may not wait for who writes.
		f.stop = context.AfterFunc(f.ctx, func() { os.Remove(part) })
		if old != nil {
			// What the umask took. Some file systems have no permissions.
			_ = f.file.Chmod(perm)
		}
		return nil
	}
	return err
}

// direct opens what is no regular file. A pipe waits for its reader, which may never
// come; neither that nor a reader that reads no more holds up a cancelled context.
func (f *File) direct() error {
	type opened struct {
		file *os.File
		err  error
	}
	c := make(chan opened, 1)
	go func() {
		file, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		c <- opened{file, err}
	}()
	select {
	case o := <-c:
		if o.err != nil {
			return o.err
		}
		f.file = o.file
		f.stop = context.AfterFunc(f.ctx, func() { o.file.SetWriteDeadline(time.Unix(1, 0)) })
		return nil
	case <-f.ctx.Done():
		go func() {
			if o := <-c; o.err == nil {
				o.file.Close()
			}
		}()
		return f.ctx.Err()
	}
}

// Write writes the next bytes.
func (f *File) Write(p []byte) (n int, err error) {
	if f.file == nil {
		return 0, f.fail(fs.ErrClosed)
	}
	if err := f.ctx.Err(); err != nil {
		return 0, f.fail(err)
	}
	n, err = f.file.Write(p)
	return n, f.fail(err)
}

// Commit ends the file and puts it at its path. On an error nothing is there but what
// was before.
func (f *File) Commit() error {
	if f.file == nil {
		return f.fail(fs.ErrClosed)
	}
	err := f.ctx.Err()
	if err == nil && f.part != "" {
		// Some file systems keep errors, of a full disk for one, until now.
		err = synced(f.file)
	}
	if cerr := f.close(); err == nil {
		err = cerr
	}
	if f.part == "" {
		return f.fail(err)
	}
	if err == nil {
		err = os.Rename(f.part, f.target)
	}
	if err != nil {
		os.Remove(f.part)
	}
	return f.fail(err)
}

// Close gives the file up unless it was committed: the old one stays.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.close()
	if f.part != "" {
		if rerr := os.Remove(f.part); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return f.fail(err)
}

// close is an error, too, where the context was done first: part may be removed then.
func (f *File) close() error {
	var err error
	if !f.stop() {
		err = f.ctx.Err()
	}
	file := f.file
	f.file = nil
	if f.keep {
		return err
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}

// fail words an error with the path that the caller knows.
func (f *File) fail(err error) error {
	if err == nil {
		return nil
	}
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return &fs.PathError{Op: "write", Path: f.path, Err: err}
}

var _ io.WriteCloser = (*File)(nil)

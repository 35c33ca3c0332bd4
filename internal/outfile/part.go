package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Part is an output that takes long to write, beside its path and with .part behind its name
// until it is whole. Other than a [File] it stays where it is when its writer ends, so that
// another can go on.
type Part struct {
	ctx          context.Context
	path         string // as the caller named it, for errors
	part, target string
	file         *os.File
}

// PartPath is where the part of a file at path is, which leads to no device and no folder. Its
// folder must be there.
func PartPath(path string) (string, error) {
	target, err := resolve(path)
	if err != nil {
		return "", (&File{ctx: context.Background(), path: path}).fail(err)
	}
	return target + ".part", nil
}

// OpenPart opens the part of a file at path, of which the first bytes, so many, are kept; it is an
// error if it has fewer. With 0 it is made where there is none. Permissions, links and errors are
// those of [Create].
func OpenPart(ctx context.Context, path string, bytes int64) (*Part, error) {
	p := &Part{ctx: ctx, path: path}
	if err := p.open(bytes); err != nil {
		if p.file != nil {
			p.file.Close()
		}
		return nil, p.fail(err)
	}
	return p, nil
}

func (p *Part) open(bytes int64) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	old, err := os.Stat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	case old.IsDir():
		return errIsFolder
	case !old.Mode().IsRegular():
		return errors.New("is no regular file")
	}
	if p.target, err = resolve(p.path); err != nil {
		return err
	}
	p.part = p.target + ".part"
	flag := os.O_WRONLY
	if bytes == 0 {
		flag |= os.O_CREATE
	}
	if at, err := os.Lstat(p.part); err == nil && !at.Mode().IsRegular() { // a link leads elsewhere
		return fmt.Errorf("%s is no regular file", p.part)
	}
	if p.file, err = os.OpenFile(p.part, flag, 0o666); err != nil {
		return err
	}
	at, err := p.file.Stat()
	if err != nil {
		return err
	}
	if at.Size() < bytes {
		return fmt.Errorf("%s has %d bytes, and had %d: remove it to begin anew", p.part, at.Size(), bytes)
	}
	if old != nil && bytes == 0 {
		// What the umask took. Some file systems have no permissions.
		_ = p.file.Chmod(old.Mode().Perm())
	}
	if err := p.file.Truncate(bytes); err != nil {
		return err
	}
	_, err = p.file.Seek(bytes, io.SeekStart)
	return err
}

// Write writes the next bytes.
func (p *Part) Write(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, p.fail(err)
	}
	n, err := p.file.Write(b)
	return n, p.fail(err)
}

// Sync has all that was written on the disk. It does not look at the context.
func (p *Part) Sync() error {
	err := p.file.Sync()
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if err != nil {
		return p.fail(err)
	}
	return nil
}

// Commit puts the part at its path. What was written must have been synced.
func (p *Part) Commit() error {
	file := p.file
	p.file = nil
	if err := file.Close(); err != nil {
		return p.fail(err)
	}
	return p.fail(os.Rename(p.part, p.target))
}

// Close leaves the part as it is, unless it was committed.
func (p *Part) Close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	return p.fail(file.Close())
}

func (p *Part) fail(err error) error { return (&File{ctx: p.ctx, path: p.path}).fail(err) }

var _ io.WriteCloser = (*Part)(nil)

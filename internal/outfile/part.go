package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mteval/mteval/internal/filelock"
)

// A Part is an output that takes long to write. Until it is whole it is beside its path, with
// .part behind its name, and beside that is PATH.progress with a note of how far it is. Other than
// a [File] both stay where they are when their writer ends, so that another can go on. Only one
// writes a part at a time, as long as the file system has locks.
type Part struct {
	ctx   context.Context
	path  string // as the caller named it, for errors
	at    PartPaths
	file  *os.File
	made  bool // there was no part
	saved bool
}

// PartPaths are where a Part has its files.
type PartPaths struct{ Target, Part, Note, newNote string }

// All are all that may be there before the end.
func (p PartPaths) All() []string { return []string{p.Part, p.Note, p.newNote} }

// ErrBegun is wrapped by the error of a part that another began, and that is not to be gone on with.
var ErrBegun = errors.New("there is a part of it already")

// ErrUnderWay is wrapped by the error of a part that another writes.
var ErrUnderWay = errors.New("another run is writing it")

// PartOf is where the files of a part are for a path, which leads to no folder. Its folder must be
// there.
func PartOf(path string) (PartPaths, error) {
	target, err := resolve(path)
	if err != nil {
		return PartPaths{}, (&File{ctx: context.Background(), path: path}).fail(err)
	}
	return PartPaths{target, target + ".part", target + ".progress", target + ".progress.tmp"}, nil
}

// OpenPart opens the part of a file at path, with what is in it. One that is there is an error
// unless this is to resume it. Permissions, links and errors are those of [Create].
func OpenPart(ctx context.Context, path string, resume bool) (*Part, error) {
	p := &Part{ctx: ctx, path: path}
	err := p.open(resume)
	if err == nil {
		return p, nil
	}
	p.Close()
	if errors.Is(err, ErrBegun) || errors.Is(err, ErrUnderWay) {
		return nil, err
	}
	return nil, p.fail(err)
}

func (p *Part) open(resume bool) error {
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
	case !old.Mode().IsRegular() || standard(old) != nil:
		return errors.New("is no file that could be replaced")
	default:
		if err := mayWrite(p.path); err != nil {
			return err
		}
	}
	if p.at, err = PartOf(p.path); err != nil {
		return err
	}
	if err := p.take(); err != nil {
		return err
	}
	if !resume {
		for _, path := range p.at.All()[:2] {
			if _, err := os.Lstat(path); err == nil && !(p.made && path == p.at.Part) {
				return fmt.Errorf("%s: %w, %s: go on with it, or remove it", p.path, ErrBegun, path)
			}
		}
	}
	if old != nil && p.made {
		// What the umask took. Some file systems have no permissions.
		_ = p.file.Chmod(old.Mode().Perm())
	}
	return nil
}

// take opens the file, or makes it, and locks it.
func (p *Part) take() error {
	var err error
	p.file, err = os.OpenFile(p.at.Part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if p.made = err == nil; errors.Is(err, fs.ErrExist) {
		if at, err := os.Lstat(p.at.Part); err == nil && !at.Mode().IsRegular() { // a link leads elsewhere
			return fmt.Errorf("%s is no regular file", p.at.Part)
		}
		p.file, err = os.OpenFile(p.at.Part, os.O_WRONLY, 0)
	}
	if err != nil {
		return err
	}
	locked := filelock.Try(p.file)
	here, err := p.file.Stat()
	if err != nil {
		return err
	}
	// Who had it may just have put it at its path.
	if there, err := os.Lstat(p.at.Part); !locked || err != nil || !os.SameFile(here, there) {
		p.made = false
		return fmt.Errorf("%s: %w", p.path, ErrUnderWay)
	}
	return nil
}

// Made says whether there was no part before.
func (p *Part) Made() bool { return p.made }

// Keep cuts the part to its first bytes, so many, behind which it goes on. It is an error if it
// has fewer.
func (p *Part) Keep(bytes int64) error {
	at, err := p.file.Stat()
	if err == nil && at.Size() < bytes {
		err = fmt.Errorf("%s has %d bytes, and had %d: remove it and %s to begin anew", p.at.Part, at.Size(), bytes, p.at.Note)
	}
	if err == nil {
		err = p.file.Truncate(bytes)
	}
	if err == nil {
		_, err = p.file.Seek(bytes, io.SeekStart)
	}
	return p.fail(err)
}

// Write writes the next bytes.
func (p *Part) Write(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, p.fail(err)
	}
	n, err := p.file.Write(b)
	return n, p.fail(err)
}

// Save has all that was written on the disk, and then the note in place of the one before. It does
// not look at the context.
func (p *Part) Save(note []byte) error {
	if err := synced(p.file); err != nil {
		return p.fail(err)
	}
	// No name of its own each time: after a kill it would stay. What is there may be a link.
	_ = os.Remove(p.at.newNote)
	f, err := os.OpenFile(p.at.newNote, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return p.failNote(err)
	}
	_, err = f.Write(note)
	if err == nil {
		err = synced(f)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(p.at.newNote, p.at.Note)
	}
	if err != nil {
		os.Remove(p.at.newNote)
		return p.failNote(err)
	}
	p.saved = true
	return nil
}

// synced has what was written to a file on the disk.
func synced(f *os.File) error {
	if err := f.Sync(); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// Commit puts the part at its path, and removes the note. What was written must have been saved.
func (p *Part) Commit() error {
	file := p.file
	p.file = nil
	// As long as it is open nobody else goes on with it. On Windows it can't be renamed then.
	err := os.Rename(p.at.Part, p.at.Target)
	cerr := file.Close()
	if err != nil {
		err = os.Rename(p.at.Part, p.at.Target)
	}
	if err == nil {
		err = cerr
	}
	if err != nil {
		return p.fail(err)
	}
	return p.Forget()
}

// Forget removes the note.
func (p *Part) Forget() error {
	if err := os.Remove(p.at.Note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p.failNote(err)
	}
	return nil
}

// Close leaves the part as it is, unless it was committed. One that was made and never saved is
// removed.
func (p *Part) Close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	if !p.made || p.saved {
		return p.fail(file.Close())
	}
	err := os.Remove(p.at.Part) // as in Commit
	cerr := file.Close()
	if err != nil {
		err = os.Remove(p.at.Part)
	}
	return p.fail(errors.Join(err, cerr))
}

func (p *Part) fail(err error) error { return (&File{ctx: p.ctx, path: p.path}).fail(err) }

func (p *Part) failNote(err error) error {
	return (&File{ctx: context.WithoutCancel(p.ctx), path: p.at.Note}).fail(err)
}

var _ io.WriteCloser = (*Part)(nil)

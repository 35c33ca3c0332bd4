package outfile

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/mteval/mteval/internal/filelock"
	"github.com/mteval/mteval/internal/sidefile"
)

// A Part is an output that takes long to write. Until it is whole it is beside its path, with
// .part behind its name, and beside that is PATH.progress with a note of how far it is. Other than
// a [File] both stay where they are when their writer ends, so that another can go on. Only one
// writes a part at a time, as long as the file system has locks.
//
// A part without a note may be anyone's, and is not touched. So the note is there before the first
// byte is written, and has the checksum of the part's bytes, which who goes on gives to Keep.
type Part struct {
	ctx   context.Context
	path  string // as the caller named it, for errors
	at    PartPaths
	file  *os.File
	made  bool // there was no part, or nothing in it
	begun bool // there is a note that came with it
	saved bool
	bytes int64 // of the part
	sum   uint32
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
	for _, path := range p.at.All() {
		if at, err := os.Lstat(path); err == nil && !at.Mode().IsRegular() { // a link leads elsewhere
			return unusable(path, errors.New("is no regular file: remove it, or write to another path"))
		}
	}
	if err := p.take(); err != nil {
		return err
	}
	if err := p.vouched(resume); err != nil {
		return err
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
	p.file, err = os.OpenFile(p.at.Part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if p.made = err == nil; errors.Is(err, fs.ErrExist) {
		p.file, err = os.OpenFile(p.at.Part, os.O_RDWR, 0)
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

// vouched is an error for a part that no note is of, and where this is not to go on for one that
// was begun.
func (p *Part) vouched(resume bool) error {
	_, err := os.Lstat(p.at.Note)
	noted := err == nil
	if !p.made && !noted {
		at, err := p.file.Stat()
		if err != nil {
			return err
		}
		if at.Size() > 0 {
			return unusable(p.at.Part, fmt.Errorf("there is no %s that says what this file is, so it stays as it is: move or remove it, or write to another path", p.at.Note))
		}
		p.made = true // who made it was ended at once
	}
	if !resume && noted {
		there := p.at.Part
		if p.made {
			there = p.at.Note
		}
		return fmt.Errorf("%s: %w, %s: go on with it, or remove it", p.path, ErrBegun, there)
	}
	return nil
}

// Made says whether there was no part before.
func (p *Part) Made() bool { return p.made }

// Keep cuts the part to its first bytes, so many, behind which it goes on. It is an error if it
// has fewer, or if they have another checksum. All of them are read for that.
func (p *Part) Keep(bytes int64, sum uint32) error {
	at, err := p.file.Stat()
	if err == nil && at.Size() < bytes {
		err = unusable(p.at.Part, fmt.Errorf("it has %d bytes, and had %d: remove it and %s to begin anew", at.Size(), bytes, p.at.Note))
	}
	if err == nil {
		err = checkSum(p.ctx, p.file, bytes, sum)
		if errors.Is(err, errChanged) {
			err = unusable(p.at.Part, fmt.Errorf("%w: remove it and %s to begin anew", err, p.at.Note))
		}
	}
	if err == nil {
		err = p.file.Truncate(bytes)
	}
	if err == nil {
		_, err = p.file.Seek(bytes, io.SeekStart)
	}
	p.bytes, p.sum = bytes, sum
	return p.fail(err)
}

// castagnoli is CRC-32C, which takes processors next to nothing.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AddSum is the checksum of what one is of with more data behind it: CRC-32C, which is 0 of nothing and
// finds what was changed by mistake.
func AddSum(sum uint32, data []byte) uint32 { return crc32.Update(sum, castagnoli, data) }

// errChanged is of a file that has another checksum.
var errChanged = errors.New("it was changed since it was written")

// checkSum reads the first bytes of a file.
func checkSum(ctx context.Context, f *os.File, bytes int64, sum uint32) error {
	h := crc32.New(castagnoli)
	_, err := io.CopyBuffer(h, sidefile.Until(ctx, io.NewSectionReader(f, 0, bytes)), make([]byte, 1<<18))
	if err == nil && h.Sum32() != sum {
		err = errChanged
	}
	return err
}

// Renamed says whether the part is not there any more because it is at its path already, all bytes of it.
func (p *Part) Renamed(bytes int64, sum uint32) bool {
	f, err := os.Open(p.at.Target)
	if err != nil {
		return false
	}
	defer f.Close()
	at, err := f.Stat()
	return err == nil && p.made && at.Size() == bytes && checkSum(p.ctx, f, bytes, sum) == nil
}

// Write writes the next bytes.
func (p *Part) Write(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, p.fail(err)
	}
	n, err := p.file.Write(b)
	p.bytes, p.sum = p.bytes+int64(n), AddSum(p.sum, b[:n])
	return n, p.fail(err)
}

// Written is how many bytes the part has, and their checksum.
func (p *Part) Written() (bytes int64, sum uint32) { return p.bytes, p.sum }

// Begin is Save of a part that has nothing yet. What it makes goes with Close if Save is not called.
func (p *Part) Begin(note []byte) error {
	p.made, p.begun = true, true
	err := p.Save(note)
	p.saved = false
	return err
}

// Kept says whether the part and its note stay behind Close.
func (p *Part) Kept() bool { return p.saved || !p.made }

// Discard ends a part of which nothing is to stay.
func (p *Part) Discard() error {
	p.made, p.begun, p.saved = true, true, false
	return p.Close()
}

// Save has all that was written on the disk, and then the note in place of the one before. It does
// not look at the context.
func (p *Part) Save(note []byte) error {
	if p.bytes > 0 {
		if err := synced(p.file); err != nil {
			return p.fail(err)
		}
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
// removed, with its note if Begin wrote one.
func (p *Part) Close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	if p.Kept() {
		return p.fail(file.Close())
	}
	err := os.Remove(p.at.Part) // as in Commit
	cerr := file.Close()
	if err != nil {
		err = os.Remove(p.at.Part)
	}
	if err == nil && p.begun {
		err = p.Forget()
	}
	return p.fail(errors.Join(err, cerr))
}

func (p *Part) fail(err error) error {
	if _, ok := errors.AsType[*unusableError](err); ok {
		return err
	}
	return (&File{ctx: p.ctx, path: p.path}).fail(err)
}

// An unusableError is of a file beside the path, which is not what it should be. Nothing fails to
// be written.
type unusableError struct{ error }

func unusable(path string, err error) error {
	return &unusableError{fmt.Errorf("%s: %w", path, err)}
}

func (p *Part) failNote(err error) error {
	return (&File{ctx: context.WithoutCancel(p.ctx), path: p.at.Note}).fail(err)
}

var _ io.WriteCloser = (*Part)(nil)

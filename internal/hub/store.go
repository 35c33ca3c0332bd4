package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrMismatch is what errors wrap when a downloaded file has not the size or the hash
// that the server told.
var ErrMismatch = errors.New("damaged download")

// A meta is what the server tells about a file.
type meta struct {
	name string
	etag string // names the blob; often its hash
	size int64  // -1 when not told
}

// check compares a file with what the server told: its size, and its hash where the
// etag is one, which is SHA-256 for large files and Git's SHA-1 for the others. Other
// servers' etags may be anything.
func (m meta) check(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a file", path)
	}
	if m.size >= 0 && info.Size() != m.size {
		return fmt.Errorf("%s: %w: %d bytes, should be %d", m.name, ErrMismatch, info.Size(), m.size)
	}
	if _, err := hex.DecodeString(m.etag); err != nil {
		return nil
	}
	var h hash.Hash
	var kind string
	switch len(m.etag) {
	case 2 * sha256.Size:
		h, kind = sha256.New(), "SHA-256"
	case 2 * sha1.Size:
		h, kind = sha1.New(), "Git's SHA-1"
		fmt.Fprintf(h, "blob %d\x00", info.Size())
	default:
		return nil
	}
	if _, err := io.CopyBuffer(h, reader(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(p)
	}), make([]byte, 1<<20)); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, m.etag) {
		return fmt.Errorf("%s: %w: %s is %s, should be %s", m.name, ErrMismatch, kind, got, m.etag)
	}
	return nil
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// present tells whether the file is at the path and right.
func (m meta) present(ctx context.Context, path string) (bool, error) {
	err := m.check(ctx, path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrMismatch) {
		return false, nil
	}
	return err == nil, err
}

// lock takes the lock file at path, waiting for whoever has it, and returns what gives
// it back. The file stays, as Hugging Face's library leaves it: removing it would let
// two take it at once.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for !tryLock(f) {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			f.Close()
			return nil, err
		}
	}
	return func() { f.Close() }, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// link makes the snapshot's file: a link to the blob, or a copy where links can't be
// made, as on Windows without the right to.
func link(ctx context.Context, symlink func(target, path string) error, blob, path string) error {
	// A relative target, so that the cache can be moved.
	target := filepath.Join("..", "..", "blobs", filepath.Base(blob))
	if old, err := os.Readlink(path); err == nil && old == target {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if symlink(target, path) == nil {
		return nil
	}
	in, err := os.Open(blob)
	if err != nil {
		return err
	}
	defer in.Close()
	return replace(path, reader(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return in.Read(p)
	}))
}

// replace writes a file under another name first, so that at no time half of it is at
// the path.
func replace(path string, data io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d.incomplete", path, os.Getpid())
	out, err := os.Create(part)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, data)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

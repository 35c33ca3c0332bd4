package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/fetch"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// ErrMismatch is what errors wrap when a downloaded file has not the size or the hash
// that the server told.
var ErrMismatch = errors.New("damaged download")

// A meta is what the server tells about a file.
type meta struct {
	name   string
	commit string
	etag   string // often the content's hash
	size   int64  // -1 when not told
}

// hashed tells whether the etag is a hash of the content: SHA-256 for large files and
// Git's SHA-1 for the others. Other servers' etags may be anything, one for all files
// included.
func (m meta) hashed() bool {
	_, err := hex.DecodeString(m.etag)
	return err == nil && (len(m.etag) == 2*sha256.Size || len(m.etag) == 2*sha1.Size)
}

// key names what belongs to a file before its content is known. A hash is the name of
// the blob, as in Hugging Face's library. What is no hash tells one file's versions apart
// at best, so that the file and the commit are in the key.
func (m meta) key() string {
	if m.hashed() {
		return strings.ToLower(m.etag)
	}
	sum := sha256.Sum256([]byte(m.commit + "\x00" + m.name + "\x00" + m.etag))
	return hex.EncodeToString(sum[:16])
}

// limit is more bytes than a file of its kind can have.
func (m meta) limit() int64 {
	switch {
	case slices.Contains([]string{"tokenizer.json", "vocab.txt", "spm.model", "sentencepiece.bpe.model", "vocab.json", "merges.txt"}, m.name):
		return 256 << 20
	case strings.HasSuffix(m.name, ".json"), strings.HasSuffix(m.name, ".yaml"), m.name == card:
		return maxJSON
	case m.size < 0:
		// All servers tell the size of weights. What comes without is not let fill
		// the disk.
		return 8 << 30
	}
	return 256 << 30
}

// check compares a file with what the server told, its size, and its hash where the etag
// is one, and returns the blob's name: the hash, or where the etag is none the key and
// the content's SHA-256, by which damage is found later.
func (m meta) check(ctx context.Context, path string) (blob string, err error) {
	// Looked at before it is opened: a pipe would wait.
	info, err := os.Stat(path)
	if err != nil {
		if link, lerr := os.Lstat(path); lerr != nil || link.Mode()&os.ModeSymlink == 0 {
			return "", err
		}
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w: %s is not a file", m.name, ErrMismatch, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return "", err
	}
	if m.size >= 0 && info.Size() != m.size {
		return "", fmt.Errorf("%s: %w: %d bytes, should be %d", m.name, ErrMismatch, info.Size(), m.size)
	}
	if info.Size() > m.limit() {
		return "", fmt.Errorf("%s: %w: %d bytes", m.name, ErrMismatch, info.Size())
	}
	h, kind := sha256.New(), "SHA-256"
	if m.hashed() && len(m.etag) == 2*sha1.Size {
		h, kind = sha1.New(), "Git's SHA-1"
		fmt.Fprintf(h, "blob %d\x00", info.Size())
	}
	if _, err := io.CopyBuffer(h, sidefile.Until(ctx, f), make([]byte, 1<<20)); err != nil {
		return "", fmt.Errorf("%s: %w", m.name, err)
	}
	got := hex.EncodeToString(h.Sum(nil))
	if !m.hashed() {
		return m.key() + "-" + got, nil
	}
	if got != m.key() {
		return "", fmt.Errorf("%s: %w: %s is %s, should be %s", m.name, ErrMismatch, kind, got, m.key())
	}
	return got, nil
}

// find is the path of the blob if it is there and right, and "" if not.
func (m meta) find(ctx context.Context, blobs string) (path string, err error) {
	paths := []string{filepath.Join(blobs, m.key())}
	if !m.hashed() {
		entries, err := os.ReadDir(blobs)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		paths = nil
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), m.key()+"-") {
				paths = append(paths, filepath.Join(blobs, e.Name()))
			}
		}
	}
	for _, path := range paths {
		name, err := m.check(ctx, path)
		if err == nil && name == filepath.Base(path) {
			return path, nil
		}
		if err != nil && !absent(err) {
			return "", err
		}
	}
	return "", nil
}

// absent tells of errors of check that a download mends.
func absent(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrMismatch) }

// inSnapshot tells whether the snapshot's file is there and right: a link to the right
// blob of this cache, or a right copy.
func (m meta) inSnapshot(ctx context.Context, path, blobs string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		if absent(err) {
			err = nil
		}
		return false, err
	}
	linked := info.Mode()&os.ModeSymlink != 0
	if linked {
		// Where to is seen before what is there is read.
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return false, nil
		}
		own, err := filepath.EvalSymlinks(blobs)
		if err != nil || filepath.Dir(target) != own {
			return false, nil
		}
		path = target
	}
	name, err := m.check(ctx, path)
	if err != nil {
		if absent(err) {
			err = nil
		}
		return false, err
	}
	switch {
	case linked:
		return name == filepath.Base(path), nil
	case m.hashed():
		// A copy, next to which Hugging Face's library keeps no blob.
		return true, nil
	}
	_, err = os.Stat(filepath.Join(blobs, name))
	return err == nil, nil
}

// lock takes a file's lock, waiting for whoever has it, and returns what gives it back.
func (g *getter) lock(ctx context.Context, m meta) (unlock func(), err error) {
	path := filepath.Join(g.locks, m.key()+".lock")
	return fetch.Lock(ctx, path, g.patience, func() {
		g.note("waiting for another process that downloads %s (it holds %s)", m.name, path)
	})
}

// link makes the snapshot's file: a link to the blob, or a copy where links can't be
// made, as on Windows without the right to.
func link(ctx context.Context, symlink func(target, path string) error, blob, path string) error {
	// A relative target, so that the cache can be moved.
	target, err := filepath.Rel(filepath.Dir(path), blob)
	if err != nil {
		return err
	}
	if old, err := os.Readlink(path); err == nil && old == target {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	// Renamed, so that it is there at all times for another process that gets the same.
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".mteval-%016x.tmp", rand.Uint64()))
	if symlink(target, part) == nil {
		err := os.Rename(part, path)
		if err != nil {
			os.Remove(part)
		}
		return err
	}
	in, err := os.Open(blob)
	if err != nil {
		return err
	}
	defer in.Close()
	return replace(ctx, path, in)
}

// replace puts a file at the path, whole or not at all. A link there is replaced, and
// not what it leads to.
func replace(ctx context.Context, path string, data io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	out, err := outfile.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, data); err != nil {
		return err
	}
	return out.Commit()
}

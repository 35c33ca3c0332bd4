package cache

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
)

// A file of a text is called by the hash of the backend's signature with mteval's version,
// and the text, with its first two digits as a folder, and holds, little endian,
//
//	magic
//	the hash, 32 bytes
//	Dim, the number of tokens, and whether the text is truncated, uint32 each
//	of each token the text's length (uvarint), the text, Start, End (uvarints), Weight
//	the vectors
//	SHA-256 of all before, 32 bytes
//
// The name is in the file, so that one that was renamed counts as damaged.
const (
	magic  = "mtcache2"
	suffix = ".vec"
	prefix = "tmp-" // of files that are being written
)

// errDamaged says that a file does not hold what it should.
var errDamaged = errors.New("damaged file")

type key [sha256.Size]byte

func (k key) name() string {
	s := hex.EncodeToString(k[:])
	return filepath.Join(s[:2], s+suffix)
}

// A folder holds files of texts. It is safe for concurrent use.
type folder struct {
	path      string
	signature string
	info      backend.Info
	limit     int64 // of total; 0: none, and files are not counted

	mu    sync.Mutex
	err   error // the first of writing
	total int64
	files map[string]*list.Element
	order list.List // of file, the last one asked for first
}

type file struct {
	name string
	size int64
	time time.Time
}

func openFolder(path string, limit int64, info backend.Info) (*folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	// Another version of mteval may compute something else under the same signature.
	signature := info.Signature.String() + "|version:" + mteval.Version
	f := &folder{path: path, signature: signature, info: info, limit: limit}
	if limit == 0 {
		return f, nil
	}
	f.files = make(map[string]*list.Element)
	found, err := listFiles(path)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b file) int {
		return cmp.Or(a.time.Compare(b.time), strings.Compare(a.name, b.name))
	})
	for _, x := range found {
		f.count(x)
	}
	return f, nil
}

// listFiles lists the files of a folder that are ours, those too that a process left
// half written. Others must never be removed.
func listFiles(path string) ([]file, error) {
	var found []file
	dirs, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if !d.IsDir() || len(d.Name()) != 2 || !isHex(d.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(path, d.Name()))
		if err != nil {
			return nil, err
		}
		for _, x := range files {
			stem, ours := strings.CutSuffix(x.Name(), suffix)
			ours = ours && len(stem) == 2*sha256.Size && isHex(stem) && strings.HasPrefix(stem, d.Name()) ||
				strings.HasPrefix(x.Name(), prefix)
			if !ours || !x.Type().IsRegular() {
				continue
			}
			info, err := x.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // another process removed it
			}
			if err != nil {
				return nil, err
			}
			found = append(found, file{filepath.Join(d.Name(), x.Name()), info.Size(), info.ModTime()})
		}
	}
	return found, nil
}

func isHex(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
}

// count puts a file first in the order, and removes the last ones where there is not
// the room.
func (f *folder) count(x file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at, ok := f.files[x.name]; ok {
		f.total -= f.order.Remove(at).(file).size
	}
	f.files[x.name] = f.order.PushFront(x)
	f.total += x.size
	for f.total > f.limit {
		old := f.order.Remove(f.order.Back()).(file)
		delete(f.files, old.name)
		f.total -= old.size
		// It may be gone, or another process may be reading it. Whatever the cause,
		// the next process counts it again if it is there.
		_ = os.Remove(filepath.Join(f.path, old.name))
	}
}

func (f *folder) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *folder) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *folder) key(text string) key {
	h := sha256.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(f.signature)))
	h.Write(n[:])
	h.Write([]byte(f.signature))
	h.Write([]byte(text))
	return key(h.Sum(nil))
}

// most bounds the file of a text of so many tokens at most, not positive for any: to read one
// takes memory. It is far above what any tokens need, of which there seldom are more than a few
// for each byte.
func (f *folder) most(text string, tokens int) int64 {
	bytes := 1<<12 + 64*len(text)
	if tokens <= 0 || tokens > bytes {
		tokens = bytes
	}
	return int64(bytes)*64 + int64(tokens)*int64(4*f.info.Dim)
}

// read returns what the file of a text holds, nil if there is none that is of use, or of more
// tokens than most. It fails only where ctx is cancelled.
func (f *folder) read(ctx context.Context, text string, most int) (*entry, error) {
	k := f.key(text)
	name := k.name()
	path := filepath.Join(f.path, name)
	e, size, err := f.readFile(ctx, path, k, text, f.most(text, most))
	if err != nil {
		return nil, ctx.Err()
	}
	if e.tooLong(most) {
		return nil, nil
	}
	if f.limit > 0 {
		now := time.Now()
		f.count(file{name, size, now})
		_ = os.Chtimes(path, time.Time{}, now) // the order for the next process; no harm without
	}
	return e, nil
}

// readFile reads a file and checks all that is in it. What is no file of its own, such as
// a link, a pipe or a device, is not ours and may have no end.
func (f *folder) readFile(ctx context.Context, path string, k key, text string, most int64) (e *entry, size int64, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	if !info.Mode().IsRegular() || size > most {
		return nil, 0, errDamaged
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	data := make([]byte, size)
	err = pieces(ctx, data, func(b []byte) error {
		_, err := io.ReadFull(in, b)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if e, err = decode(ctx, data, k, text, f.info.Dim); err != nil {
		return nil, 0, err
	}
	b := backend.Batch{Dim: f.info.Dim, Data: e.data, Offsets: []int{0, len(e.tokens)}, Tokens: e.tokens}
	if err := backendcheck.Batch(f.info, &b, []string{text}); err != nil {
		return nil, 0, err
	}
	for j := range e.tokens {
		if err := backendcheck.Vector(f.info, &b, j); err != nil {
			return nil, 0, err
		}
	}
	return e, size, nil
}

// pieces calls do for one part of b after another, of some milliseconds of work.
func pieces[T any](ctx context.Context, b []T, do func(b []T) error) error {
	const size = 1 << 20
	for lo := 0; lo < len(b); lo += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(b[lo:min(len(b), lo+size)]); err != nil {
			return err
		}
	}
	return nil
}

// write writes the file of an entry. Others see all of it or nothing. It fails only where
// ctx is cancelled.
func (f *folder) write(ctx context.Context, e *entry) error {
	if f.failed() != nil {
		return nil
	}
	k := f.key(e.text)
	data, err := encode(ctx, e, k, f.info.Dim)
	if err != nil {
		return err
	}
	if size := int64(len(data)); f.limit > 0 && size > f.limit || size > f.most(e.text, 0) {
		return nil
	}
	name := k.name()
	if err := replace(ctx, filepath.Join(f.path, name), data); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// On Windows a file that another goroutine or process reads can't be
		// replaced, but then it is there.
		there, notNow := f.read(ctx, e.text, 0)
		if there == nil && notNow == nil {
			f.fail(err)
		}
		return notNow
	}
	if f.limit > 0 {
		f.count(file{name, int64(len(data)), time.Now()})
	}
	return nil
}

func replace(ctx context.Context, path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	t, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return err
	}
	err = pieces(ctx, data, func(b []byte) error {
		_, err := t.Write(b)
		return err
	})
	err = errors.Join(err, t.Close())
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}

// checksum is SHA-256.
func checksum(ctx context.Context, b []byte) ([]byte, error) {
	h := sha256.New()
	err := pieces(ctx, b, func(b []byte) error {
		_, err := h.Write(b)
		return err
	})
	return h.Sum(nil), err
}

func encode(ctx context.Context, e *entry, k key, dim int) ([]byte, error) {
	n := len(magic) + 2*sha256.Size + 12 + 4*len(e.data)
	for _, t := range e.tokens {
		n += len(t.Text) + 34 // three uvarints and the weight at their longest
	}
	le := binary.LittleEndian
	b := make([]byte, 0, n)
	b = append(b, magic...)
	b = append(b, k[:]...)
	b = le.AppendUint32(b, uint32(dim))
	b = le.AppendUint32(b, uint32(len(e.tokens)))
	truncated := uint32(0)
	if e.truncated {
		truncated = 1
	}
	b = le.AppendUint32(b, truncated)
	for _, t := range e.tokens {
		b = binary.AppendUvarint(b, uint64(len(t.Text)))
		b = append(b, t.Text...)
		b = binary.AppendUvarint(b, uint64(t.Start))
		b = binary.AppendUvarint(b, uint64(t.End))
		b = le.AppendUint32(b, math.Float32bits(t.Weight))
	}
	err := pieces(ctx, e.data, func(data []float32) error {
		for _, x := range data {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum, err := checksum(ctx, b)
	return append(b, sum...), err
}

// decode reads a file. It must not panic, nor take much memory, whatever is in it.
func decode(ctx context.Context, b []byte, k key, text string, dim int) (*entry, error) {
	const header = len(magic) + sha256.Size + 12
	if len(b) < header+sha256.Size {
		return nil, errDamaged
	}
	b, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if want, err := checksum(ctx, b); err != nil {
		return nil, err
	} else if !bytes.Equal(sum, want) {
		return nil, errDamaged
	}
	le := binary.LittleEndian
	if string(b[:len(magic)]) != magic || !bytes.Equal(b[len(magic):][:sha256.Size], k[:]) {
		return nil, errDamaged
	}
	d, n, truncated := le.Uint32(b[header-12:]), le.Uint32(b[header-8:]), le.Uint32(b[header-4:])
	b = b[header:]
	// A token takes at least 7 bytes.
	if uint64(d) != uint64(dim) || truncated > 1 || uint64(n) > uint64(len(b))/7 {
		return nil, errDamaged
	}
	tokens, b, ok := decodeTokens(b, int(n))
	if !ok {
		return nil, errDamaged
	}
	if uint64(len(b)) != 4*uint64(n)*uint64(d) {
		return nil, errDamaged
	}
	data := make([]float32, len(b)/4)
	err := pieces(ctx, data, func(data []float32) error {
		for i := range data {
			data[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
		b = b[4*len(data):]
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newEntry(text, tokens, data, truncated == 1), nil
}

// decodeTokens reads n tokens and returns what follows them.
func decodeTokens(b []byte, n int) (tokens []mteval.Token, rest []byte, ok bool) {
	ok = true
	number := func() int {
		x, width := binary.Uvarint(b)
		if width <= 0 || x > math.MaxInt {
			ok = false
			return 0
		}
		b = b[width:]
		return int(x)
	}
	tokens = make([]mteval.Token, n)
	for i := range tokens {
		t := &tokens[i]
		m := number()
		if !ok || m > len(b) {
			return nil, nil, false
		}
		t.Text, b = string(b[:m]), b[m:]
		t.Start, t.End = number(), number()
		if !ok || len(b) < 4 {
			return nil, nil, false
		}
		t.Weight, b = math.Float32frombits(binary.LittleEndian.Uint32(b)), b[4:]
	}
	return tokens, b, true
}

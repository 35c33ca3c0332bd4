// Package cache keeps what a backend gave for a text, in memory and, if asked to, in a
// folder, so that no text is embedded twice: neither the reference of 22 systems, nor
// anything in tomorrow's run.
//
// A Backend wraps any other and gives the same to the last bit. That holds in a folder
// too, for as long as the wrapped backend's signature says everything that changes its
// vectors, which is what backend.Info asks of it. (Vectors of two kinds of processors, or of
// libtorch in batches of other shapes, can differ in the last bits: there a folder gives
// those that it got first.) What another version of mteval kept is not used. A damaged file
// is as none: it is made anew.
//
// Vectors are large: a sentence of 30 tokens has 90 KB with a model of 768 dimensions, in
// memory and on disk. To read them takes a twenty-fifth of the time that MiniLM takes to
// compute them.
//
// A Backend is no backend.Matcher, even where the backend within is: what is to be kept has
// to leave its device.
package cache

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/parallel"
)

// Options of New. The zero value keeps 256 MiB in memory and nothing on disk.
type Options struct {
	// Bytes bounds the memory for texts that are kept; 0 is 256 MiB. What was not
	// asked for longest goes first.
	Bytes int64
	// Dir is a folder to keep texts in, beyond this process; "" is none. It is made
	// if need be. Several processes, and backends of any kind, may share one.
	Dir string
	// DirBytes bounds the sizes of the files in Dir, of all backends together; 0: no
	// bound. What was not asked for longest goes first. A process counts the files
	// that it found in New and its own, so several at a time may exceed it.
	DirBytes int64
}

// Backend is a backend that remembers. It implements backend.Backend, and is made with
// New.
type Backend struct {
	inner backend.Backend
	info  backend.Info // of inner, as New found it
	dir   *folder      // nil: none

	use    sync.RWMutex // held for writing by Close, for reading by Embed
	closed bool

	mu    sync.Mutex
	limit int64
	size  int64
	kept  map[string]*list.Element
	order list.List // of *entry, the last one asked for first
}

var _ backend.Backend = (*Backend)(nil)

// New returns a backend that gives what b gives, and remembers it. Closing it closes b;
// on error b is left open.
func New(b backend.Backend, o Options) (*Backend, error) {
	if b == nil {
		return nil, errors.New("cache: no backend")
	}
	if o.Bytes == 0 {
		o.Bytes = 256 << 20
	}
	if o.Bytes < 0 || o.DirBytes < 0 {
		return nil, fmt.Errorf("cache: Bytes %d, DirBytes %d: a bound can't be negative", o.Bytes, o.DirBytes)
	}
	if o.DirBytes > 0 && o.Dir == "" {
		return nil, errors.New("cache: DirBytes without Dir")
	}
	info := b.Info().Clone()
	if err := backendcheck.Info(info); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	c := &Backend{inner: b, info: info, limit: o.Bytes, kept: make(map[string]*list.Element)}
	if o.Dir != "" {
		if len(info.Signature) == 0 {
			return nil, fmt.Errorf("cache: backend %s has no signature to tell its files in %s by", info.Name, o.Dir)
		}
		var err error
		if c.dir, err = openFolder(o.Dir, o.DirBytes, info); err != nil {
			return nil, fmt.Errorf("cache: %w", err)
		}
	}
	return c, nil
}

// Info is that of the backend within.
func (c *Backend) Info() backend.Info { return c.info.Clone() }

// Close waits for calls of Embed to end and closes the backend within. It returns the
// first error of writing to the folder, if there was any: Embed does not fail for that,
// as what it gives is right, but nothing is written any more after it.
func (c *Backend) Close() error {
	c.use.Lock()
	defer c.use.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.mu.Lock()
	c.kept, c.size = nil, 0
	c.order.Init()
	c.mu.Unlock()
	if c.inner == nil {
		return nil
	}
	err := c.inner.Close()
	if c.dir != nil {
		if failed := c.dir.failed(); failed != nil {
			err = errors.Join(err, fmt.Errorf("cache: no more was kept: %w", failed))
		}
	}
	return err
}

// An entry is what a text got. It does not change once it is made.
type entry struct {
	text      string
	tokens    []mteval.Token
	data      []float32
	truncated bool
}

// newEntry takes tokens and data over and copies the texts. Those are often parts of a
// whole file, which would otherwise stay in memory for one line.
func newEntry(text string, tokens []mteval.Token, data []float32, truncated bool) *entry {
	inText := func(t *mteval.Token) bool {
		return 0 <= t.Start && t.Start <= t.End && t.End <= len(text) && text[t.Start:t.End] == t.Text
	}
	var own strings.Builder
	own.WriteString(text)
	for i := range tokens {
		if t := &tokens[i]; !inText(t) {
			own.WriteString(t.Text)
		}
	}
	s := own.String()
	at := len(text)
	for i := range tokens {
		t := &tokens[i]
		if inText(t) {
			t.Text = s[t.Start:t.End]
			continue
		}
		end := at + len(t.Text)
		t.Text, at = s[at:end], end
	}
	return &entry{text: s[:len(text)], tokens: tokens, data: data, truncated: truncated}
}

// entryBytes is counted for an entry besides its parts: what the map, the list and the
// allocator need.
const entryBytes = 256

// size is an upper bound of the memory that an entry takes.
func size(text string, tokens []mteval.Token, data []float32) int64 {
	n := entryBytes + int64(len(text)) + int64(len(tokens))*int64(unsafe.Sizeof(mteval.Token{})) + 4*int64(len(data))
	for i := range tokens {
		n += int64(len(tokens[i].Text))
	}
	return n
}

func (e *entry) size() int64 { return size(e.text, e.tokens, e.data) }

// find returns what is kept for each of texts, nil where there is nothing.
func (c *Backend) find(texts []string) []*entry {
	found := make([]*entry, len(texts))
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, text := range texts {
		if at, ok := c.kept[text]; ok {
			c.order.MoveToFront(at)
			found[k] = at.Value.(*entry)
		}
	}
	return found
}

// keep puts an entry into memory, in place of those that were not asked for longest.
func (c *Backend) keep(e *entry) {
	n := e.size()
	if n > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.kept[e.text]; ok {
		c.order.MoveToFront(at) // another call was first
		return
	}
	c.kept[e.text] = c.order.PushFront(e)
	c.size += n
	for c.size > c.limit {
		at := c.order.Back()
		old := c.order.Remove(at).(*entry)
		delete(c.kept, old.text)
		c.size -= old.size()
	}
}

// Embed asks the backend within for those texts that are not kept, each once, in one
// call. Calls at the same time do not wait for each other, and may both ask for a text.
// A call keeps the texts that it got from the folder in memory until it ends.
func (c *Backend) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	c.use.RLock()
	defer c.use.RUnlock()
	if c.closed {
		return backend.ErrClosed
	}
	if c.inner == nil {
		return errors.New("cache: the Backend was not made with New")
	}
	if dst == nil {
		return errors.New("cache: no batch to put the vectors in")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	distinct, which := distinctTexts(texts)
	found := c.find(distinct)
	if c.dir != nil {
		if err := c.fromDir(ctx, found, distinct); err != nil {
			return err
		}
	}
	// row is a text's place among those that are missing.
	row := make([]int, len(distinct))
	var missing []string
	for k, e := range found {
		if e == nil {
			row[k] = len(missing)
			missing = append(missing, distinct[k])
		}
	}
	cut, err := c.embedMissing(ctx, dst, missing)
	if err != nil {
		return err
	}
	if err := c.remember(ctx, dst, missing, cut); err != nil {
		return err
	}
	if len(missing) == len(texts) {
		return nil // dst is what it should be
	}
	spread(dst, which, found, row, cut)
	return nil
}

// distinctTexts returns the different texts, in the order in which they come first, and
// which of them each text is.
func distinctTexts(texts []string) (distinct []string, which []int) {
	place := make(map[string]int, len(texts))
	which = make([]int, len(texts))
	for i, text := range texts {
		k, ok := place[text]
		if !ok {
			k = len(distinct)
			place[text] = k
			distinct = append(distinct, text)
		}
		which[i] = k
	}
	return distinct, which
}

// embedMissing sets dst to what the backend within gives for texts, and says which of them
// are cut.
func (c *Backend) embedMissing(ctx context.Context, dst *backend.Batch, texts []string) (cut []bool, err error) {
	dst.Dim = c.info.Dim
	dst.Data, dst.Tokens, dst.Truncated = dst.Data[:0], dst.Tokens[:0], dst.Truncated[:0]
	dst.Offsets = append(dst.Offsets[:0], 0)
	if len(texts) == 0 {
		return nil, nil
	}
	if err := c.inner.Embed(ctx, dst, texts); err != nil {
		return nil, err
	}
	if err := c.check(ctx, dst, texts); err != nil {
		return nil, err
	}
	cut = make([]bool, len(texts))
	for _, k := range dst.Truncated {
		cut[k] = true
	}
	return cut, nil
}

// fromDir looks for the files of texts that were not found, and keeps what is in them.
func (c *Backend) fromDir(ctx context.Context, found []*entry, texts []string) error {
	var not []int
	for k, e := range found {
		if e == nil {
			not = append(not, k)
		}
	}
	err := parallel.For(ctx, len(not), 0, 8, func(lo, hi int) error {
		for _, k := range not[lo:hi] {
			var err error
			if found[k], err = c.dir.read(ctx, texts[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range not {
		if e := found[k]; e != nil {
			c.keep(e)
		}
	}
	return nil
}

// check refuses a batch that could not be taken apart, or that would be wrong for ever.
func (c *Backend) check(ctx context.Context, b *backend.Batch, texts []string) error {
	if err := backendcheck.Batch(c.info, b, texts); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return parallel.For(ctx, len(b.Tokens), 0, max(1, 1<<20/b.Dim), func(lo, hi int) error {
		for j := lo; j < hi; j++ {
			if err := backendcheck.Vector(c.info, b, j); err != nil {
				return fmt.Errorf("cache: %w", err)
			}
		}
		return nil
	})
}

// remember keeps what the backend within gave.
func (c *Backend) remember(ctx context.Context, b *backend.Batch, texts []string, cut []bool) error {
	// Those that the following would put out again are not worth their copy.
	from := len(texts)
	for sum := int64(0); from > 0; from-- {
		tokens, data := b.Text(from - 1)
		n := size(texts[from-1], tokens, data)
		if n > c.limit {
			continue // it is not kept at all
		}
		if sum += n; sum > c.limit {
			break
		}
	}
	for k := from; k < len(texts); k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if tokens, data := b.Text(k); size(texts[k], tokens, data) <= c.limit {
			c.keep(newEntry(texts[k], slices.Clone(tokens), slices.Clone(data), cut[k]))
		}
	}
	if c.dir == nil {
		return nil
	}
	return parallel.For(ctx, len(texts), 0, 8, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			tokens, data := b.Text(k)
			if err := c.dir.write(ctx, &entry{texts[k], tokens, data, cut[k]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// spread gives every text its place in dst, which holds the missing ones, one after
// another. Text i is distinct text which[i]: found, or else row row[which[i]].
//
// Going from the last text to the first it needs no second batch. The rows that are
// still to be moved are of texts that come first before text i, each of which needs its
// space once more in front of it, so they all lie before where text i goes.
func spread(dst *backend.Batch, which []int, found []*entry, row []int, cut []bool) {
	rows := slices.Clone(dst.Offsets)
	dst.Truncated = dst.Truncated[:0]
	dst.Offsets = slices.Grow(dst.Offsets[:0], len(which)+1)[:1]
	total := 0
	for i, k := range which {
		truncated := false
		if e := found[k]; e != nil {
			total += len(e.tokens)
			truncated = e.truncated
		} else {
			total += rows[row[k]+1] - rows[row[k]]
			truncated = cut[row[k]]
		}
		dst.Offsets = append(dst.Offsets, total)
		if truncated {
			dst.Truncated = append(dst.Truncated, i)
		}
	}
	dim := dst.Dim
	dst.Tokens = resize(dst.Tokens, total)
	dst.Data = resize(dst.Data, total*dim)
	for i, k := range slices.Backward(which) {
		lo := dst.Offsets[i]
		if e := found[k]; e != nil {
			copy(dst.Tokens[lo:], e.tokens)
			copy(dst.Data[lo*dim:], e.data)
			continue
		}
		from, to := rows[row[k]], rows[row[k]+1]
		copy(dst.Tokens[lo:], dst.Tokens[from:to])
		copy(dst.Data[lo*dim:], dst.Data[from*dim:to*dim])
	}
}

// resize returns s with length n, and its content.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	out := make([]T, n)
	copy(out, s)
	return out
}

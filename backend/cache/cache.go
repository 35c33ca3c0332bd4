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
// A call for texts that are all in memory allocates nothing. Stats counts hits and misses.
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
	"github.com/mteval/mteval/internal/contract"
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

	calls sync.Pool // *call

	mu     sync.Mutex
	limit  int64
	size   int64
	kept   map[string]*list.Element
	order  list.List // of *entry, the last one asked for first
	counts Stats     // but for Texts and Bytes
}

var _ backend.Backend = (*Backend)(nil)

// New returns a backend that gives what b gives, and remembers it. Closing it closes b;
// on error b is left open.
func New(b backend.Backend, o Options) (*Backend, error) {
	if contract.Nil(b) {
		return nil, errors.New("cache: no backend: it is nil")
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

func (e *entry) tooLong(most int) bool {
	return backendcheck.TooLong(len(e.tokens), e.truncated, most)
}

func (e *entry) size() int64 { return size(e.text, e.tokens, e.data) }

// find sets t.found to what is kept of each of texts, and returns how many of them are not
// there. Where all are, the call counts. What is longer than a call allows is as none, so that
// the backend within says so.
func (c *Backend) find(t *call, texts []string, most int) (missed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		at, ok := c.kept[text]
		if !ok || at.Value.(*entry).tooLong(most) {
			t.found = append(t.found, nil)
			missed++
			continue
		}
		c.order.MoveToFront(at)
		t.found = append(t.found, at.Value.(*entry))
	}
	if missed == 0 {
		c.counts.Hits += int64(len(texts))
	}
	return missed
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
	t := c.newCall()
	defer c.end(t)
	if missed := c.find(t, texts, dst.MaxTokens); missed > 0 {
		t.distinct(texts, missed)
		if err := c.embedMissing(ctx, dst, t); err != nil {
			t.missing = nil // what was asked may still go through it
			return err
		}
		if len(t.missing) == len(texts) {
			return nil // dst is what it should be
		}
	}
	t.spread(dst, c.info.Dim)
	return nil
}

// embedMissing finds what is missing in the folder, or sets dst to what the backend within
// gives for it and keeps that.
func (c *Backend) embedMissing(ctx context.Context, dst *backend.Batch, t *call) error {
	fromDir := 0
	if c.dir != nil {
		var err error
		if fromDir, err = c.fromDir(ctx, t, dst.MaxTokens); err != nil {
			return err
		}
	}
	if len(t.missing) > 0 {
		if err := c.inner.Embed(ctx, dst, t.missing); err != nil {
			return err
		}
		if err := c.check(ctx, dst, t.missing); err != nil {
			return err
		}
		t.take(dst)
		if err := c.remember(ctx, dst, t.missing, t.cut); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Hits += int64(len(t.found) - len(t.missing))
	c.counts.DirHits += int64(fromDir)
	c.counts.Misses += int64(len(t.missing))
	return nil
}

// fromDir looks for the files of texts that are missing, keeps what is in them, and returns
// how many there were.
func (c *Backend) fromDir(ctx context.Context, t *call, most int) (int, error) {
	read := make([]*entry, len(t.missing))
	err := parallel.For(ctx, len(read), 0, 8, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			var err error
			if read[k], err = c.dir.read(ctx, t.missing[k], most); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range read {
		if e != nil {
			c.keep(e)
			n++
		}
	}
	if n > 0 {
		t.fill(read)
	}
	return n, nil
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

//go:build libtorch

package libtorch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sugarme/gotch/libtch"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/parallel"
)

// engine is a model on a device and the threads that work with it.
type engine struct {
	folder *bert.Model
	info   backend.Info
	fields mteval.Signature // of the device and the type of numbers
	budget int              // tokens of a batch
	jobs   chan job
	wg     sync.WaitGroup // of the threads

	mu sync.RWMutex
	m  *model // nil: closed

	storesMu sync.Mutex
	stores   map[*vectors]bool // what texts of stores have on the device
}

// A job is done by one of the device's threads.
type job struct {
	do   func(o *ops) // leaves failures in o
	done chan<- error
}

func open(dir string, o Options) (backend.Matcher, error) {
	if _, _, err := o.where(); err != nil { // before files are read
		return nil, err
	}
	folder, err := bert.Open(dir, o.Options)
	if err != nil {
		return nil, fmt.Errorf("libtorch: %w", err)
	}
	e, err := newEngine(folder, o)
	if err != nil {
		return nil, err
	}
	if e.info, err = folder.Info("libtorch"); err != nil {
		e.Close()
		return nil, fmt.Errorf("libtorch: %w", err)
	}
	e.info.Signature = append(e.info.Signature, e.fields...)
	return e, nil
}

func (o *Options) dtype() DType { return cmp.Or(o.DType, o.Options.DType, Float32) }

// where returns libtorch's numbers of a device and of a type of numbers.
func (o *Options) where() (device, kind int, err error) {
	if device, err = parseDevice(o.Device); err != nil {
		return 0, 0, err
	}
	kind, ok := map[DType]int{Float32: floats, Float16: halfs, BFloat16: bfloats}[o.dtype()]
	if !ok {
		return 0, 0, fmt.Errorf("libtorch: no number type %q: have %s, %s, %s", o.dtype(), Float32, Float16, BFloat16)
	}
	if o.BatchTokens < 0 {
		return 0, 0, fmt.Errorf("libtorch: BatchTokens is %d", o.BatchTokens)
	}
	return device, kind, nil
}

// newEngine puts a model on a device. On error it closes the folder.
func newEngine(folder *bert.Model, o Options) (*engine, error) {
	device, kind, err := o.where()
	if err != nil {
		folder.Close()
		return nil, err
	}
	e := &engine{folder: folder, jobs: make(chan job), stores: make(map[*vectors]bool)}
	where, threads, budget := "cpu", parallel.Workers(o.Workers), 512
	if device != cpu {
		// One thread gives the device its work while the other takes results.
		where, threads, budget = "cuda", 2, 16384
	}
	e.budget = cmp.Or(o.BatchTokens, budget)
	e.fields = mteval.Signature{
		{Key: "device", Abbr: "dev", Value: "libtorch-" + where},
		{Key: "dtype", Abbr: "dt", Value: string(o.dtype())},
	}
	for range threads {
		e.wg.Go(e.work)
	}
	loaded := e.start(func(o *ops) { e.m, err = load(o, folder, device, kind) })
	if failed := <-loaded; err == nil {
		err = failed
	}
	if err != nil {
		close(e.jobs)
		e.wg.Wait()
		folder.Close()
		return nil, err
	}
	return e, nil
}

// work does jobs on a thread, which ends with the goroutine, as it is not unlocked.
func (e *engine) work() {
	onThread()
	ops := new(ops)
	for j := range e.jobs {
		j.do(ops)
		j.done <- ops.end()
	}
}

// parseDevice returns libtorch's number of a device that is there.
func parseDevice(name string) (int, error) {
	if name == "" || name == "cpu" {
		return cpu, nil
	}
	number := "0"
	if name != "cuda" {
		var ok bool
		if number, ok = strings.CutPrefix(name, "cuda:"); !ok {
			return 0, fmt.Errorf("libtorch: no device %q: have cpu, cuda:0, cuda:1, …", name)
		}
	}
	n, err := strconv.ParseUint(number, 10, 8)
	if err != nil {
		return 0, fmt.Errorf("libtorch: no device %q: have cpu, cuda:0, cuda:1, …", name)
	}
	if have := int(libtch.AtcCudaDeviceCount()); int(n) >= have {
		return 0, fmt.Errorf("libtorch: no device %q: this libtorch sees %d CUDA devices", name, have)
	}
	return int(n), nil
}

// start gives a job to the next free thread. It returns where its failure comes.
func (e *engine) start(do func(o *ops)) <-chan error {
	done := make(chan error, 1)
	e.jobs <- job{do, done}
	return done
}

// A queue is the jobs of a call that are not done, a few at a time, as each has memory. Once
// add or end has failed, none is left.
type queue struct {
	e       *engine
	waiting []<-chan error
}

// add starts a job when few enough are left, unless one failed or ctx is cancelled.
func (q *queue) add(ctx context.Context, do func(o *ops)) error {
	err := ctx.Err()
	if err == nil {
		err = q.wait(8)
	}
	if err != nil {
		q.wait(0)
		return err
	}
	q.waiting = append(q.waiting, q.e.start(do))
	return nil
}

// end waits for all jobs.
func (q *queue) end(ctx context.Context) error { return cmp.Or(q.wait(0), ctx.Err()) }

// wait waits until at most so many jobs are left, and returns the first error of those done.
func (q *queue) wait(most int) (err error) {
	for len(q.waiting) > most {
		err = cmp.Or(err, <-q.waiting[0])
		q.waiting = q.waiting[1:]
	}
	return err
}

func (e *engine) Info() backend.Info { return e.info.Clone() }

// Close gives the device's memory back, once calls have ended.
func (e *engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.m == nil {
		return nil
	}
	close(e.jobs)
	e.wg.Wait()
	for v := range e.stores {
		v.free()
	}
	e.m.free()
	e.m, e.stores = nil, nil
	return e.folder.Close()
}

// use says that the engine is in use until release is called.
func (e *engine) use(ctx context.Context, dst *backend.Batch) (release func(), err error) {
	if dst == nil {
		err = errors.New("libtorch: no batch to put tokens in")
	}
	release, failed := e.hold(ctx)
	if failed == nil && err != nil {
		release()
	}
	return release, cmp.Or(failed, err)
}

// hold says that the engine is in use until release is called.
func (e *engine) hold(ctx context.Context) (release func(), err error) {
	e.mu.RLock()
	if err = ctx.Err(); e.m == nil {
		err = backend.ErrClosed
	}
	if err != nil {
		e.mu.RUnlock()
		return nil, err
	}
	return e.mu.RUnlock, nil
}

// A batch is texts that go through the model together.
type batch struct {
	texts   []bert.Text
	items   []int // which of texts
	longest int   // tokens
	padded  bool  // not all texts have as many
}

// batches divides texts into batches of similar length.
func (e *engine) batches(texts []bert.Text) []*batch {
	order := make([]int, 0, len(texts))
	for i := range texts {
		if len(texts[i].Pieces) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[a].Pieces), len(texts[b].Pieces)) })
	var out []*batch
	for lo := 0; lo < len(order); {
		b := &batch{texts: texts}
		shortest := len(texts[order[lo]].Pieces)
		for lo < len(order) {
			n := len(texts[order[lo]].Pieces)
			// Padding a text by more than a quarter costs more than another batch.
			if len(b.items) > 0 && ((len(b.items)+1)*n > e.budget || n-shortest > max(2, n/4)) {
				break
			}
			b.items = append(b.items, order[lo])
			b.longest = n
			lo++
		}
		b.padded = shortest != b.longest
		out = append(out, b)
	}
	return out
}

// window is how many texts are tokenized while those before them are on the device. It
// bounds, of a call of any size, what is not in dst.
const window = 1024

// run tokenizes texts, appends their tokens to dst, and gives their batches to the
// threads, each with what `do` makes for it. first is the place among texts of the batch's
// text 0.
func (e *engine) run(ctx context.Context, dst *backend.Batch, texts []string, do func(b *batch, first int) func(o *ops)) error {
	q := queue{e: e}
	for lo := 0; lo < len(texts); lo += window {
		hi := min(len(texts), lo+window)
		encoded, err := e.folder.Encode(ctx, texts[lo:hi])
		if err == nil {
			err = bert.AppendTokens(dst, encoded, texts[lo:hi])
		}
		if err != nil {
			q.wait(0)
			return fmt.Errorf("libtorch: %w", err)
		}
		for _, b := range e.batches(encoded) {
			if err := q.add(ctx, do(b, lo)); err != nil {
				return err
			}
		}
		mteval.ReportProgress(ctx, hi, len(texts))
	}
	return q.end(ctx)
}

// Embed runs the texts through the model and copies the vectors from the device.
func (e *engine) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	release, err := e.use(ctx, dst)
	if err != nil {
		return err
	}
	defer release()
	e.folder.Reset(dst)
	dim := e.m.Hidden
	// The vectors of a window go into dst when its size is known.
	var parts [][]float32
	err = e.run(ctx, dst, texts, func(b *batch, first int) func(o *ops) {
		starts := make([]int, len(b.texts))
		size := 0
		for i, t := range b.texts {
			starts[i] = size
			size += len(t.Pieces) * dim
		}
		for len(parts) <= first/window {
			parts = append(parts, nil)
		}
		if parts[first/window] == nil {
			parts[first/window] = make([]float32, size)
		}
		part := parts[first/window]
		return func(o *ops) {
			x := e.m.forward(ctx, o, b)
			row := b.longest * dim
			all := make([]float32, len(b.items)*row)
			o.get(all, x)
			for k, i := range b.items {
				n := len(b.texts[i].Pieces) * dim
				copy(part[starts[i]:starts[i]+n], all[k*row:])
			}
		}
	})
	if err != nil {
		return err
	}
	for _, part := range parts {
		dst.Data = append(dst.Data, part...)
	}
	return nil
}

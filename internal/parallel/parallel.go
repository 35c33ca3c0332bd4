// Package parallel runs a loop over a range on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxWorkers is how many goroutines a loop has at most, if that is not below GOMAXPROCS.
const maxWorkers = 256

// Workers returns n, or GOMAXPROCS where n is not positive. A larger n than any machine has use
// for is lowered: what a goroutine costs, buffers say, would be paid for nothing.
func Workers(n int) int {
	procs := runtime.GOMAXPROCS(0)
	if n > 0 {
		return min(n, max(maxWorkers, procs))
	}
	return procs
}

// For calls do(lo, hi) for consecutive parts of [0, n) of at most grain indices,
// on at most Workers(workers) goroutines, and waits for them.
// It stops handing out parts once ctx is cancelled or a call failed, and then
// returns the error of the first part, in order, that has one.
//
// Which goroutine gets a part is chance: do must write only what belongs to its
// indices, so that results do not depend on workers. For allocates nothing; a do that is
// made for the call does.
func For(ctx context.Context, n, workers, grain int, do func(lo, hi int) error) error {
	grain = max(1, grain)
	parts := (n + grain - 1) / grain
	workers = min(Workers(workers), parts)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(lo, min(n, lo+grain)); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil { // a nil ctx panics here and not on a goroutine
		return err
	}
	r := runs.Get().(*run)
	r.next.Store(0)
	r.failed.Store(false)
	r.ctx, r.do, r.n, r.grain, r.parts, r.at = ctx, do, n, grain, parts, parts
	r.wg.Add(workers)
	for range workers {
		go r.goroutine()
	}
	r.wg.Wait()
	first := r.first
	r.ctx, r.do, r.first = nil, nil, nil
	runs.Put(r)
	if first != nil {
		return first
	}
	return ctx.Err()
}

// A run is a loop on several goroutines. It is used again, with what starts a goroutine, so
// that a loop allocates nothing.
type run struct {
	ctx             context.Context
	do              func(lo, hi int) error
	n, grain, parts int

	next      atomic.Int64
	failed    atomic.Bool
	mu        sync.Mutex
	first     error
	at        int // the part of first
	wg        sync.WaitGroup
	goroutine func() // work
}

var runs = sync.Pool{New: func() any {
	r := new(run)
	r.goroutine = r.work
	return r
}}

// work does parts for as long as there are any.
func (r *run) work() {
	defer r.wg.Done()
	for !r.failed.Load() && r.ctx.Err() == nil {
		p := int(r.next.Add(1)) - 1
		if p >= r.parts {
			return
		}
		if err := r.do(p*r.grain, min(r.n, (p+1)*r.grain)); err != nil {
			r.failed.Store(true)
			r.mu.Lock()
			if p < r.at {
				r.first, r.at = err, p
			}
			r.mu.Unlock()
			return
		}
	}
}

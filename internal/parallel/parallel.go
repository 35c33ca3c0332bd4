// Package parallel runs a loop over a range on several goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or GOMAXPROCS where n is not positive.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// For calls do(lo, hi) for consecutive parts of [0, n) of at most grain indices,
// on at most workers goroutines (not positive: GOMAXPROCS), and waits for them.
// It stops handing out parts once ctx is cancelled or a call failed, and then
// returns the error of the first part, in order, that has one.
//
// Which goroutine gets a part is chance: do must write only what belongs to its
// indices, so that results do not depend on workers.
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
	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  error
		at     = parts
		wg     sync.WaitGroup
	)
	for range workers {
		wg.Go(func() {
			for !failed.Load() && ctx.Err() == nil {
				p := int(next.Add(1)) - 1
				if p >= parts {
					return
				}
				if err := do(p*grain, min(n, (p+1)*grain)); err != nil {
					failed.Store(true)
					mu.Lock()
					if p < at {
						first, at = err, p
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}

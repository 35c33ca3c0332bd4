package parallel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestForCoversRange(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100} {
		for _, workers := range []int{0, 1, 3, 16} {
			for _, grain := range []int{0, 1, 8, 1000} {
				seen := make([]int32, n)
				err := For(context.Background(), n, workers, grain, func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&seen[i], 1)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, c := range seen {
					if c != 1 {
						t.Fatalf("n=%d workers=%d grain=%d: index %d done %d times", n, workers, grain, i, c)
					}
				}
			}
		}
	}
}

func TestWorkers(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	for n, want := range map[int]int{-1: procs, 0: procs, 1: 1, 200: 200, 1_000_000: max(256, procs), math.MaxInt: max(256, procs)} {
		if got := Workers(n); got != want {
			t.Errorf("Workers(%d) is %d, want %d", n, got, want)
		}
	}
}

func TestForErrors(t *testing.T) {
	for _, workers := range []int{1, 4} {
		err := For(context.Background(), 100, workers, 1, func(lo, _ int) error {
			if lo >= 5 {
				return fmt.Errorf("part %d", lo)
			}
			return nil
		})
		if err == nil || err.Error() != "part 5" {
			t.Errorf("workers=%d: error %v, want that of part 5", workers, err)
		}
	}
}

// After a cancellation no part is handed out. Each other goroutine may have been given one
// that it begins later.
func TestForCancelled(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		var calls, running, late atomic.Int32
		var cancelled atomic.Bool
		err := For(ctx, 1000, workers, 1, func(int, int) error {
			running.Add(1)
			defer running.Add(-1)
			if cancelled.Load() {
				late.Add(1)
			}
			if calls.Add(1) == 3 {
				cancel()
				cancelled.Store(true)
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || int(late.Load()) > workers-1 {
			t.Errorf("workers=%d: error %v, %d parts begun after the cancellation", workers, err, late.Load())
		}
		if n := running.Load(); n != 0 {
			t.Errorf("workers=%d: %d parts go on after For", workers, n)
		}
		err = For(ctx, 1000, workers, 1, func(int, int) error {
			t.Errorf("workers=%d: a part of a loop that was cancelled before", workers)
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("workers=%d: error %v of a loop that was cancelled before", workers, err)
		}
	}
}

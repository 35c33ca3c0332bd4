package kit

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A Countdown is a context that is cancelled when Err was called a number of
// times: it stops an implementation in the middle of its work without any clock.
type Countdown struct {
	context.Context
	calls int64
	left  atomic.Int64
	once  sync.Once
	done  chan struct{}
}

// NewCountdown returns a context that is cancelled after so many calls of Err.
func NewCountdown(calls int64) *Countdown {
	c := &Countdown{Context: context.Background(), calls: calls, done: make(chan struct{})}
	c.left.Store(calls)
	return c
}

// Looks are numbers of calls of Err after which to cancel what run does under a context: a
// few, and all but the last, as a mistake at the end of a loop shows only there.
func Looks(run func(ctx context.Context)) []int64 {
	whole := NewCountdown(math.MaxInt64)
	run(whole)
	looks := []int64{1, 2, 3, 5, 9}
	if last := whole.Calls() - 1; last > 0 && !slices.Contains(looks, last) {
		looks = append(looks, last)
	}
	return looks
}

// Calls is how often Err was called, as long as that has not cancelled it.
func (c *Countdown) Calls() int64 { return c.calls - c.left.Load() }

func (c *Countdown) Done() <-chan struct{} { return c.done }

func (c *Countdown) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
	}
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.Canceled
}

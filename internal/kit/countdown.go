package kit

import (
	"context"
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

// Package pace lets long work on one text look at its context every few milliseconds, at a
// cost that does not show.
package pace

import "context"

// A Pace counts work, and looks at the context when there was enough. It is for one
// goroutine. One without a context is never cancelled.
type Pace struct {
	ctx  context.Context
	left int
}

// Of returns the pace of work under ctx.
func Of(ctx context.Context) Pace { return Pace{ctx, look} }

// look is the work after which the context is looked at, about half a millisecond.
const look = 1 << 19

// Done says that work of about n nanoseconds is done, and returns the context's error if it
// is cancelled and was looked at.
func (p *Pace) Done(n int) error {
	if p.left -= n; p.left > 0 {
		return nil
	}
	return p.look()
}

func (p *Pace) look() error {
	p.left = look
	if p.ctx == nil {
		return nil
	}
	return p.ctx.Err()
}

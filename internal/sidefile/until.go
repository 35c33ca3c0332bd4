package sidefile

import (
	"context"
	"io"
)

// Until is a reader that ends with the error of a context once that is cancelled.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx, r} }

type until struct {
	ctx context.Context
	r   io.Reader
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// Failing is a reader of nothing but an error.
func Failing(err error) io.Reader { return failing{err} }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

package parallel

import "context"

// Await returns what f does, or ctx's error as soon as ctx is cancelled: f is for work
// that does not look at ctx itself, and is left to end alone.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-done:
		return r.v, r.err
	}
}

package mteval

import "context"

type progressKey struct{}

// WithProgress returns a context under which the helpers of this package that
// take long (Systems, MatchSystems) call report after every block of work, with
// the number of hypotheses done and their total. Calls come one at a time, from
// the goroutine that called the helper, and done never falls.
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func progress(ctx context.Context) func(done, total int) {
	if f, ok := ctx.Value(progressKey{}).(func(done, total int)); ok && f != nil {
		return f
	}
	return func(int, int) {}
}

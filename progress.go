package mteval

import "context"

type progressKey struct{}

// WithProgress returns a context under which what takes long (Systems, MatchSystems,
// the preparing of references by a model) calls report after every block of work, with
// the number of texts done and their total. Calls come one at a time, from the goroutine
// that called the function, and within one function done never falls.
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress tells the function of WithProgress, if ctx has one, how much is done.
func ReportProgress(ctx context.Context, done, total int) {
	if f, ok := ctx.Value(progressKey{}).(func(done, total int)); ok && f != nil {
		f(done, total)
	}
}

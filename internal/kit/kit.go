// Package kit is what the conformance kits share: a list of what was found to break their
// rules, a context that is cancelled in the middle of a call, and what a call allocates.
package kit

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Rule of a contract, whose String says it. The zero value is the rule not to panic.
type Rule interface {
	comparable
	fmt.Stringer
}

// A Violation of a rule by a method.
type Violation[R Rule] struct {
	Where  string
	Rule   R
	detail error
	more   int // that were found like it
}

func (v *Violation[R]) Error() string {
	s := fmt.Sprintf("%s: %s: %v", v.Where, v.Rule, v.detail)
	if v.more > 0 {
		s += fmt.Sprintf(" (and %d more)", v.more)
	}
	return s
}

func (v *Violation[R]) Unwrap() error { return v.detail }

// Findings are the violations found so far. The zero value is ready, and safe for
// concurrent use.
type Findings[R Rule] struct {
	mu   sync.Mutex
	errs []*Violation[R]
}

// reports bounds the violations of one rule that are told one by one: what is
// wrong with one input mostly is with many.
const reports = 3

// Fail notes that a rule was broken by a method.
func (f *Findings[R]) Fail(where string, r R, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, v := range f.errs {
		if v.Where == where && v.Rule == r {
			if n++; n == reports {
				v.more++
				return
			}
		}
	}
	f.errs = append(f.errs, &Violation[R]{Where: where, Rule: r, detail: fmt.Errorf(format, args...)})
}

// Found says whether one of the rules was found to be broken.
func (f *Findings[R]) Found(where string, rules ...R) bool {
	return slices.ContainsFunc(f.errs, func(v *Violation[R]) bool { return v.Where == where && slices.Contains(rules, v.Rule) })
}

// Guard runs a check, and makes a panic in it one more finding.
func (f *Findings[R]) Guard(where string, check func()) {
	defer func() {
		if p := recover(); p != nil {
			var noPanic R
			f.Fail(where, noPanic, "%v, at %s", p, panicked())
		}
	}()
	check()
}

// Together runs check for 0 to n−1, under Guard, in goroutines that start at once, and waits
// for them.
func (f *Findings[R]) Together(where string, n int, check func(worker int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for w := range n {
		wg.Go(func() {
			<-start
			f.Guard(where, func() { check(w) })
		})
	}
	close(start)
	wg.Wait()
}

// panicked tells, to a deferred function, where the panic was.
func panicked() string {
	var pcs [40]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	var at []string
	for after := false; len(at) < 4; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			after = true
		case after && !strings.HasPrefix(f.Function, "runtime."):
			at = append(at, fmt.Sprintf("%s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return strings.Join(at, ", called by ")
}

// List returns what was found.
func (f *Findings[R]) List() []*Violation[R] { return f.errs }

// Join adds what another list has.
func (f *Findings[R]) Join(other *Findings[R]) { f.errs = append(f.errs, other.errs...) }

// Err joins what was found, nil for nothing.
func (f *Findings[R]) Err() error {
	errs := make([]error, len(f.errs))
	for i, v := range f.errs {
		errs[i] = v
	}
	return errors.Join(errs...)
}

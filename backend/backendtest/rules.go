package backendtest

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval/backend"
)

// A rule of the contract. The kit's own tests see to it that for each there is a
// backend that breaks it and is found.
type rule int

const (
	noPanic rule = iota

	infoName
	infoDim
	infoMax
	infoSignature
	infoSame

	embedFails
	embedInput
	batchShape
	truncatedList
	maxTokens
	tokenSpan
	tokenWeight
	vectorFinite
	emptyText
	embedAlone
	embedDirty
	embedEarlier
	embedReuse
	embedZero
	embedCancelled
	embedConcurrent
	embedClosed

	openAgain
	closeFails
	closeAgain
	closeInUse

	numRules
)

// ruleTable says what each rule is, as what must hold, and where it is checked.
var ruleTable = [numRules]struct{ text, where string }{
	noPanic: {"must not panic", "Embed"}, // and elsewhere

	infoName:      {"Name must not be empty", "Info"},
	infoDim:       {"Dim must be above 0", "Info"},
	infoMax:       {"MaxTokens must not be negative", "Info"},
	infoSignature: {"the signature must have fields, with a key and a value each, without the characters that separate them", "Info"},
	infoSame:      {"must return the same value every time, after Close too", "Info"},

	embedFails:      {"must take any texts", "Embed"},
	embedInput:      {"must not change texts", "Embed"},
	batchShape:      {"Dim, Offsets, Tokens and Data must fit each other and the number of texts", "Embed"},
	truncatedList:   {"Truncated must list the texts of which only the beginning is there, in order, and no others", "Embed"},
	maxTokens:       {"a text must have at most MaxTokens tokens", "Embed"},
	tokenSpan:       {"Start and End of tokens must be in order and inside the text, or both 0", "Embed"},
	tokenWeight:     {"the weight of a token must be 0 or 1", "Embed"},
	vectorFinite:    {"vectors must be finite", "Embed"},
	emptyText:       {"an empty text must have no token but special ones, of weight 0", "Embed"},
	embedAlone:      {"what a text gets must not depend on the others in the call, their order and their number", "Embed"},
	embedDirty:      {"what dst held before must not matter", "Embed"},
	embedEarlier:    {"must leave alone the batches of earlier calls", "Embed"},
	embedReuse:      {"must use the memory in dst where it is large enough", "Embed"},
	embedZero:       {"must set dst to no text for no text", "Embed"},
	embedCancelled:  {"must return ctx's error when ctx is cancelled, or be done", "Embed"},
	embedConcurrent: {"must be safe for concurrent use", "Embed"},
	embedClosed:     {"must return ErrClosed after Close", "Embed"},

	openAgain:  {"a second backend with the same signature must give the same", "open"},
	closeFails: {"must not fail", "Close"},
	closeAgain: {"calls after the first must do nothing and return nil", "Close"},
	closeInUse: {"must let Embed finish, or fail with ErrClosed", "Close"},
}

// A violation of a rule by a method.
type violation struct {
	where  string
	rule   rule
	detail error
	more   int // that were found like it
}

func (v *violation) Error() string {
	s := fmt.Sprintf("%s: %s: %v", v.where, ruleTable[v.rule].text, v.detail)
	if v.more > 0 {
		s += fmt.Sprintf(" (and %d more)", v.more)
	}
	return s
}

func (v *violation) Unwrap() error { return v.detail }

// A tester holds the backend under test and what was found.
type tester struct {
	b         backend.Backend
	info      backend.Info
	tolerance float64
	texts     []string
	long      []int  // the long ones among texts, the last ones
	want      []item // what each text got in a call of its own

	mu   sync.Mutex // as some checks are concurrent
	errs []*violation
}

// reports bounds the violations of one rule that are told one by one: what is
// wrong with one text mostly is with many.
const reports = 3

func (t *tester) fail(where string, r rule, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, v := range t.errs {
		if v.where == where && v.rule == r {
			if n++; n == reports {
				v.more++
				return
			}
		}
	}
	t.errs = append(t.errs, &violation{where: where, rule: r, detail: fmt.Errorf(format, args...)})
}

// found says whether one of the rules was found to be broken.
func (t *tester) found(where string, rules ...rule) bool {
	return slices.ContainsFunc(t.errs, func(v *violation) bool { return v.where == where && slices.Contains(rules, v.rule) })
}

// guard runs a check, and makes a panic in it one more finding.
func (t *tester) guard(where string, check func()) {
	defer func() {
		if p := recover(); p != nil {
			t.fail(where, noPanic, "%v, at %s", p, panicked())
		}
	}()
	check()
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

func (t *tester) err() error {
	errs := make([]error, len(t.errs))
	for i, v := range t.errs {
		errs[i] = v
	}
	return errors.Join(errs...)
}

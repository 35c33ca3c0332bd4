// Package limittest checks what the metrics have in common beyond their contract, which
// package scorertest checks: the option MaxTokens, that work on one text ends when the
// context does, and the zero value.
package limittest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// Test checks a metric made with a limit of tokens: texts of word are of as many tokens as
// words, plus fixed ones.
func Test(t *testing.T, word string, fixed int, of func(maxTokens int) mteval.Scorer) {
	t.Helper()
	text := func(n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	s := of(5 + fixed)
	ctx := t.Context()
	refs := [][]string{{text(5)}, {text(1), text(5)}}
	p, err := s.Prepare(ctx, refs)
	if err != nil {
		t.Fatalf("references of as many tokens as are allowed: %v", err)
	}
	if _, err := p.Append(ctx, nil, []int{1, 0}, []string{text(5), ""}); err != nil {
		t.Errorf("hypotheses of as many tokens as are allowed: %v", err)
	}
	check := func(what string, err error, want mteval.SegmentError) {
		t.Helper()
		var at *mteval.SegmentError
		if !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) ||
			at.Segment != want.Segment || at.Side != want.Side || at.Index != want.Index {
			t.Errorf("%s: error %v (%+v), want one of %+v", what, err, at, want)
		}
	}
	_, err = s.Prepare(ctx, [][]string{{text(5)}, {text(1), text(6)}})
	check("a long reference", err, mteval.SegmentError{Segment: 1, Side: mteval.ReferenceSide, Index: 1})
	dst := []float64{1}
	dst, err = p.Append(ctx, dst, []int{1, 0, 1}, []string{text(5), text(6), text(7)})
	check("a long hypothesis", err, mteval.SegmentError{Segment: 0, Side: mteval.HypothesisSide, Index: 1})
	if len(dst) != 1 {
		t.Errorf("a long hypothesis: %d numbers were left", len(dst)-1)
	}
	systems := []mteval.System{{Name: "a", Hyps: []string{text(1), text(2)}}, {Name: "b", Hyps: []string{text(1), text(6)}}}
	_, err = mteval.Systems(ctx, s, refs, systems)
	check("a system's long output", err, mteval.SegmentError{Segment: 1, Side: mteval.HypothesisSide, Index: 1})
	if _, err := of(0).Prepare(ctx, [][]string{{text(1000)}}); err != nil {
		t.Errorf("without a limit: %v", err)
	}
	if m, ok := s.(mteval.MatchScorer); ok {
		matcher, err := m.PrepareMatch(ctx, refs)
		if err != nil {
			t.Fatal(err)
		}
		_, err = mteval.MatchSystems(ctx, matcher, systems)
		check("a system's long output, matched", err, mteval.SegmentError{Segment: 1, Side: mteval.HypothesisSide, Index: 1})
	}
}

// MustAlign returns an alignment, and ends a test, one of package rapid too, that has none.
func MustAlign[A any](t interface {
	Helper()
	Fatal(args ...any)
}, align func(ctx context.Context, ref, hyp string) (A, error), ref, hyp string) A {
	t.Helper()
	a, err := align(context.Background(), ref, hyp)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Align checks that an Align keeps to a limit of tokens that one text is within and another is
// not, and that its errors begin with the package's name and say which text they are of.
func Align(t *testing.T, name, within, beyond string, align func(ref, hyp string) error) {
	t.Helper()
	if err := align(within, within); err != nil {
		t.Errorf("Align of texts within the limit: %v", err)
	}
	for _, tt := range []struct{ side, ref, hyp string }{{"reference", beyond, within}, {"hypothesis", within, beyond}} {
		err := align(tt.ref, tt.hyp)
		if want := name + ": " + tt.side + ": "; !errors.Is(err, mteval.ErrTooLong) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Align of a long %s: error %v, want %s…", tt.side, err, want)
		}
	}
}

// Looks checks that Prepare of one reference and Append of one hypothesis, and what a
// MatchScorer does of the kind, look at the context as often as said at least, and return
// its error at whichever look it is that finds it cancelled. It does not depend on time, so
// that the work need not be long.
func Looks(t *testing.T, s mteval.Scorer, ref, hyp string, prepare, score int) {
	t.Helper()
	check := func(what string, least int, do func(ctx context.Context) error) {
		t.Helper()
		ctx := kit.NewCountdown(math.MaxInt64)
		if err := do(ctx); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		looks := int(ctx.Calls())
		if looks < least {
			t.Errorf("%s looks %d times at the context, want %d", what, looks, least)
		}
		for _, n := range []int{0, 1, 2, looks / 4, looks / 2, looks - 1} {
			if n < 0 || n >= looks {
				continue
			}
			if err := do(kit.NewCountdown(int64(n))); err != context.Canceled {
				t.Errorf("%s, cancelled at look %d of %d: error %v", what, n+1, looks, err)
			}
		}
	}
	check("Prepare", prepare, func(ctx context.Context) error {
		_, err := s.Prepare(ctx, [][]string{{ref}})
		return err
	})
	p, err := s.Prepare(context.Background(), [][]string{{ref}})
	if err != nil {
		t.Fatal(err)
	}
	check("Append", score, func(ctx context.Context) error {
		_, err := p.Append(ctx, nil, nil, []string{hyp})
		return err
	})
	matching, ok := s.(mteval.MatchScorer)
	if !ok {
		return
	}
	check("PrepareMatch", prepare, func(ctx context.Context) error {
		_, err := matching.PrepareMatch(ctx, [][]string{{ref}})
		return err
	})
	m, err := matching.PrepareMatch(context.Background(), [][]string{{ref}})
	if err != nil {
		t.Fatal(err)
	}
	check("Match", score, func(ctx context.Context) error {
		return m.Match(ctx, make([]mteval.Matching, 1), nil, []string{hyp})
	})
}

// Cancel checks that Append of a hypothesis ends soon after its context does. The texts
// are so long that to go on would take minutes.
func Cancel(t *testing.T, s mteval.Scorer, ref, hyp string) {
	t.Helper()
	p, err := s.Prepare(t.Context(), [][]string{{ref}})
	if err != nil {
		t.Fatal(err)
	}
	ended(t, "Append", func(ctx context.Context) error {
		_, err := p.Append(ctx, nil, nil, []string{hyp})
		return err
	})
}

// CancelPrepare is Cancel for the references.
func CancelPrepare(t *testing.T, s mteval.Scorer, ref string) {
	t.Helper()
	ended(t, "Prepare", func(ctx context.Context) error {
		_, err := s.Prepare(ctx, [][]string{{ref}})
		return err
	})
}

// ended runs f under a context that is cancelled while it works.
func ended(t *testing.T, what string, f func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	select {
	case err := <-done:
		t.Fatalf("%s ended before it was cancelled: %v", what, err)
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", what, err)
		}
	case <-time.After(20 * time.Second):
		t.Errorf("%s works on, 20 seconds after it was cancelled", what)
	}
}

// Zero checks that a metric's zero value is the one that was made with zero Options.
func Zero(t *testing.T, made, zero mteval.Scorer) {
	t.Helper()
	for hyp, ref := range map[string]string{"a b c d, e": "a b c d, f", "": "", "A": "a"} {
		want, err := mteval.Sentence(t.Context(), made, []string{ref}, hyp)
		if err != nil {
			t.Fatal(err)
		}
		got, err := mteval.Sentence(t.Context(), zero, []string{ref}, hyp)
		if err != nil {
			t.Fatal(err)
		}
		if got.Score != want.Score || !slices.Equal(got.Rows, want.Rows) || !slices.Equal(got.Signature, want.Signature) {
			t.Errorf("%q: the zero value gives %+v, one that was made %+v", hyp, got, want)
		}
	}
}

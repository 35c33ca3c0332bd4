package backendtest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// checkLimit embeds texts at, under and over the MaxTokens of dst.
func (t *tester) checkLimit() {
	of := t.limited()
	for _, i := range of {
		most := t.atMost(i)
		for _, limit := range []int{most, most + 1, -1} {
			b := backend.Batch{MaxTokens: limit}
			what := fmt.Sprintf("text %.60q with a MaxTokens of %d", t.texts[i], limit)
			if err := t.b.Embed(background, &b, slices.Clone(t.texts[i:i+1])); err != nil {
				t.Fail("Embed", embedLimit, "%s: %w", what, err)
			} else if got, ok := t.take(&b, t.texts[i:i+1], what); ok {
				t.compare(got, []int{i}, "Embed", embedLimit, what)
			}
		}
		if most < 2 {
			continue // 0 is no bound
		}
		b := backend.Batch{MaxTokens: most - 1}
		t.refused("Embed", embedLimit, t.b.Embed(background, &b, slices.Clone(t.texts[i:i+1])), t.texts[i:i+1], most-1)
		if cap(b.Data) > 0 {
			t.Fail("Embed", embedLimitLate, "text %.60q with a MaxTokens of %d: room was made for %d numbers", t.texts[i], most-1, cap(b.Data))
		}
	}
	t.limitedCalls("Embed", embedLimit, func(dst *backend.Batch, texts []string) error { return t.b.Embed(background, dst, texts) })
}

// limitedCalls makes calls of several texts, of which one is too long.
func (t *tester) limitedCalls(where string, r rule, call func(dst *backend.Batch, texts []string) error) {
	of := t.limited()
	long := of[len(of)-1]
	texts := []string{"", t.texts[long], ""}
	if most := t.atMost(long); most > 1+len(t.empty().tokens) {
		t.refused(where, r, call(&backend.Batch{MaxTokens: most - 1}, texts), texts[1:2], most-1)
		if err := call(&backend.Batch{MaxTokens: most}, texts); err != nil {
			t.Fail(where, r, "%d texts with a MaxTokens of %d: %w", len(texts), most, err)
		}
	}
}

// limited are some of the texts, the long ones last.
func (t *tester) limited() []int {
	return append(t.all()[:min(5, len(t.texts)-len(t.long))], t.long...)
}

// atMost is the least MaxTokens that a text is not too long for.
func (t *tester) atMost(i int) int {
	n := len(t.want[i].tokens)
	if t.want[i].truncated {
		n++
	}
	return n
}

// empty is what the empty text got.
func (t *tester) empty() item { return t.want[slices.Index(t.texts, "")] }

// refused checks that err is of one of these texts, which are too long.
func (t *tester) refused(where string, r rule, err error, long []string, most int) {
	var of *backend.TextError
	if !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &of) || !slices.Contains(long, of.Text) {
		t.Fail(where, r, "text %.60q with a MaxTokens of %d: error %v", long[0], most, err)
	}
}

// checkMatchLimit is checkLimit for Store and Match.
func (t *tester) checkMatchLimit(m backend.Matcher, store backend.TextStore) {
	t.limitedCalls("Store", matchLimit, func(dst *backend.Batch, texts []string) error {
		_, err := m.Store(background, dst, texts)
		return err
	})
	t.limitedCalls("Match", matchLimit, func(dst *backend.Batch, texts []string) error {
		return store.Match(background, dst, texts, make([]backend.TextPair, 1), make([]mteval.Pairing, 1))
	})
}

package ngram

import (
	"context"
	"errors"
	"testing"

	"github.com/mteval/mteval/internal/pace"
)

// Nothing is left of a text in which counting was stopped.
func TestBagsAfterError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := make([]uint32, 10_000)
	for i := range long {
		long[i] = uint32(i%700 + 1)
	}
	var b Bags
	b.Reset(4)
	stopped := pace.Of(ctx)
	if err := b.Add(&stopped, long); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want Canceled", err)
	}
	b.Reset(2)
	w := pace.Of(t.Context())
	for _, text := range [][]uint32{{1, 2, 1, 2, 3}, {2, 1, 2, 2}} {
		if err := b.Add(&w, text); err != nil {
			t.Fatal(err)
		}
	}
	b.Trim()
	marks := b.Mark(nil, 0, 1)
	// 1 and 2 are common twice: 2, 1, 2 of the second. Of pairs, 2 1 and 1 2.
	if one, two := b.Common(marks, 1, 0), b.Common(marks, 1, 1); one != 3 || two != 2 {
		t.Errorf("%d words and %d pairs of words in common, want 3 and 2", one, two)
	}
}

package multilevel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
)

// A metric's error is that of the text that it is of.
func TestWordsOfTooLong(t *testing.T) {
	m, err := meteor.New(meteor.Options{MaxTokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	refs := make([][]string, 700) // more than are matched at a time
	for i := range refs {
		refs[i] = []string{""}
	}
	refs[600][0] = "one two three"
	f := wordF(t, multilevel.WordsOf(m))
	var at *mteval.SegmentError
	if _, err := f.Prepare(t.Context(), refs); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Segment != 600 {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Prepare(ctx, refs); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

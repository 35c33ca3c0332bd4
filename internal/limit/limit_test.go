package limit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/tokenize"
)

func TestWordsAndEach(t *testing.T) {
	for _, line := range []string{"", " ", "a", "a b c", " a  bc\td ", "a\u00a0b \u2003 \xff", strings.Repeat("a ", 1000)} {
		words := len(strings.FieldsFunc(line, tokenize.IsSpace))
		for _, most := range []int{-1, 0, 1, 2, 3, 4, 999, 1000} {
			tooLong := most > 0 && words > most
			if err := limit.Words(line, most); errors.Is(err, mteval.ErrTooLong) != tooLong {
				t.Errorf("%.20q, most %d: error %v", line, most, err)
			}
			w := pace.Of(t.Context())
			n := 0
			_, err := limit.Each(&w, most, nil, tokenize.None, line, func([]byte) { n++ })
			if errors.Is(err, mteval.ErrTooLong) != tooLong || tooLong && n != 0 || !tooLong && n != words {
				t.Errorf("%.20q, most %d: %d of %d words, error %v", line, most, n, words, err)
			}
		}
	}
}

// The errors of a context are no text's.
func TestOfReference(t *testing.T) {
	var at *mteval.SegmentError
	if err := limit.OfReference(1, 2, mteval.ErrTooLong); !errors.As(err, &at) || at.Segment != 1 || at.Index != 2 || at.Side != mteval.ReferenceSide {
		t.Errorf("error %v", err)
	}
	for _, want := range []error{nil, context.Canceled, context.DeadlineExceeded} {
		if err := limit.OfReference(1, 2, want); err != want {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}

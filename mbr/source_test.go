package mbr_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/mbr"
)

// A metric that reads sources gets that of the segment, and without one it is its error.
func TestSource(t *testing.T) {
	s, err := comet.Open(filepath.Join("..", "comet", "testdata", "wmt22"), comet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := mbr.New(s, mbr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source := "Der Hund schläft."
	seg := mbr.Segment{Candidates: []string{"The dog sleeps.", "A dog.", "The dog sleeps."}, Source: &source}
	var want []float64
	for _, h := range seg.Candidates {
		for _, r := range seg.Candidates {
			got, err := mteval.Sentence(t.Context(), mteval.WithSources(s, []string{source}), []string{r}, h)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, got.Score)
		}
	}
	got, err := d.Scores(t.Context(), nil, seg)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	seg.Source = nil
	if _, err := d.Decode(t.Context(), seg); !errors.Is(err, mteval.ErrNoSource) {
		t.Errorf("error %v, want ErrNoSource", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, s := range scorers(t) {
		_, mean := s.(mteval.AggregateScorer)
		for _, aggregate := range []bool{false, true} {
			if aggregate && !mean {
				continue
			}
			d, err := mbr.New(s, mbr.Options{Aggregate: aggregate})
			if err != nil {
				t.Fatal(err)
			}
			seg := mbr.Segment{Candidates: []string{"a b", "a c", "b c"}}
			if _, err := d.Decode(ctx, seg); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, aggregate %v: error %v, want Canceled", name, aggregate, err)
			}
			if _, err := d.Decode(t.Context(), seg); err != nil { // and it goes on
				t.Errorf("%s, aggregate %v: %v", name, aggregate, err)
			}
		}
	}
}

package metaeval_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/metaeval"
)

func TestOriented(t *testing.T) {
	scores := []float64{3, -1, 0}
	for lower, want := range map[bool][]float64{false: {3, -1, 0}, true: {-3, 1, 0}} {
		if d := cmp.Diff(want, metaeval.Oriented(scores, lower)); d != "" {
			t.Errorf("lower is better: %v (-want +got):\n%s", lower, d)
		}
	}
	if d := cmp.Diff([]float64{3, -1, 0}, scores); d != "" {
		t.Errorf("the caller's scores (-before +after):\n%s", d)
	}
	if got := metaeval.Oriented(scores, false); &got[0] != &scores[0] {
		t.Error("scores of which more is better are copied")
	}
	if got := metaeval.Oriented(nil, true); len(got) != 0 {
		t.Error(got)
	}
}

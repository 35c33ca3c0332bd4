package difficulty_test

import (
	"math"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/overlap"
)

// Both systems have b, one has a and none c: "a b" has ½ and 0, "c" has 1, and the mean of
// both references is (¼ + 1)/2. An empty reference has nothing difficult.
func TestMeanOfSegment(t *testing.T) {
	f, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.PrepareMatch(t.Context(), [][]string{{"a b", "c"}, {"", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := difficulty.Estimate(t.Context(), m, []mteval.System{{Name: "x", Hyps: []string{"a b", "d"}}, {Name: "y", Hyps: []string{"b", ""}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.625, .5} {
		if got := w.Mean(i); math.Abs(got-want) > 1e-12 {
			t.Errorf("segment %d: %g, want %g", i+1, got, want)
		}
	}
}

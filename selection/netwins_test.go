package selection_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// A win is one more and a loss one less, as counted beside the pairs. On the second segment
// there is a tie, on the third nothing.
func TestNetWins(t *testing.T) {
	p := &human.Pairs{Systems: []string{"a", "b", "c"}, Items: []string{"1", "2", "3"}, Pairs: []metaeval.Pair{
		{Item: 0, A: 0, B: 1, Human: 1},  // a +1, b −1
		{Item: 0, A: 2, B: 0, Human: -1}, // a +2, c −1
		{Item: 0, A: 1, B: 2, Human: 1},  // b 0, c −2
		{Item: 0, A: 1, B: 2, Human: -1}, // b −1, c −1
		{Item: 0, A: 1, B: 2, Human: 1},  // b 0, c −2
		{Item: 1, A: 0, B: 1, Human: 0},
	}}
	got, err := selection.NetWins(p)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	want := &metaeval.Scores{Systems: p.Systems, Items: p.Items, Values: []float64{2, 0, nan, 0, 0, nan, -2, 0, nan}}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []*human.Pairs{nil, {}, {Systems: p.Systems, Items: p.Items, Pairs: []metaeval.Pair{{Item: 3}}}, {Systems: p.Systems, Items: p.Items, Pairs: []metaeval.Pair{{B: 3}}}, {Systems: p.Systems, Items: p.Items, Pairs: []metaeval.Pair{{A: -1}}}} {
		if _, err := selection.NetWins(bad); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}

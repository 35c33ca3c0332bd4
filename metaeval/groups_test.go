package metaeval

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Documents x, of the items 1 and 3, and y, of 2 and 4. People judged a's 1, 2 and 3, and b's 1.
func TestGroupMeans(t *testing.T) {
	nan := math.NaN()
	human := &Scores{Systems: []string{"a", "b"}, Items: []string{"1", "2", "3", "4"}, Values: []float64{1, 5, 4, nan, 2, nan, nan, nan}}
	metric := &Scores{Systems: human.Systems, Items: human.Items, Values: []float64{10, 20, 30, 40, 50, 60, 70, 80}}
	groups := []string{"x", "y", "x", "y"}
	for _, tt := range []struct {
		scores, among *Scores
		want          []float64
	}{
		{human, nil, []float64{2.5, 5, 2, nan}},
		{metric, nil, []float64{20, 30, 60, 70}},
		{metric, human, []float64{20, 20, 50, nan}},
	} {
		got, err := tt.scores.GroupMeans(groups, tt.among)
		if err != nil {
			t.Fatal(err)
		}
		want := &Scores{Systems: human.Systems, Items: []string{"x", "y"}, Values: tt.want}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	}
	other, _ := metric.Select([]string{"b", "a"}, metric.Items)
	if _, err := metric.GroupMeans(groups, other); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if _, err := metric.GroupMeans(groups[:3], nil); err == nil {
		t.Error("no error for an item without a group")
	}
	if _, err := metric.GroupMeans(groups, &Scores{Values: []float64{1}}); err == nil {
		t.Error("no error for scores that aren't")
	}
}

package metaeval_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/overlap"
)

func TestTables(t *testing.T) {
	s, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := mteval.Systems(context.Background(), s, [][]string{{"a b"}, {"a b c d"}},
		[]mteval.System{{Name: "x", Hyps: []string{"a b", "a b c x"}}, {Name: "y", Hyps: []string{"a", "x x x x"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := metaeval.Metric{Name: "wer", LowerIsBetter: true, Scores: &metaeval.Scores{
		Systems: []string{"x", "y"}, Items: []string{"1", "2"}, Values: []float64{0, .25, .5, 1},
	}}
	if d := cmp.Diff(want, metaeval.TableSegments(table)); d != "" {
		t.Errorf("segments (-want +got):\n%s", d)
	}
	got := metaeval.TableSegments(table)
	got.Scores.Systems[0] = "z"
	if table.Systems[0] != "x" {
		t.Error("the table's names are shared")
	}
}

package files

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
)

// Segments that are kept know where they stood, also of a corpus that is kept from again, and rows
// of a table.
func TestCorpusKeep(t *testing.T) {
	text := func(name string, lines ...string) *Text { return &Text{Name: name, Lines: lines} }
	c, err := NewCorpus([]*Text{text("ref", "a", "b", "c", "d")}, []*Text{text("sys", "A", "B", "C", "D")})
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range [][]bool{{false, true, true, true}, {true, false, true}} {
		if c, err = c.Keep(keep); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([][]string{{"b"}, {"d"}}, c.Refs) + cmp.Diff([]mteval.System{{Name: "sys", Hyps: []string{"B", "D"}}}, c.Systems); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := []any{c.Number(1), c.Number(5), c.RefPlace(0, 0), c.RefPlace(1, 0), c.HypPlace("sys", 1), c.SourcePlace(0)}; !cmp.Equal(got, []any{4, 6, "ref:2", "ref:4", "sys:4", ""}) {
		t.Errorf("%v", got)
	}
	table := &Corpus{Refs: [][]string{{"a"}, {"b"}}, Table: "rows"}
	if table, err = table.Keep([]bool{false, true}); err != nil || table.RefPlace(0, 0) != "rows: row 2" {
		t.Errorf("%v, %v", table, err)
	}
	if _, err := c.Keep(nil); err == nil {
		t.Error("kept of no values")
	}
}

package scoring

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
)

// Errors of texts name the file and the line.
func TestLocate(t *testing.T) {
	text := func(name string) *files.Text { return &files.Text{Name: name, Lines: make([]string, 17)} }
	c, err := files.NewCorpus([]*files.Text{text("ref.de"), text("ref2.de")}, []*files.Text{text("sys/a.txt.gz"), text("sys/b.txt")})
	if err != nil {
		t.Fatal(err)
	}
	ranked := []mteval.System{{Name: "b"}, {Name: "a"}}
	long := fmt.Errorf("%w: 120000 tokens, more than the limit of 100000", mteval.ErrTooLong)
	bad := errors.New("bad tree")
	at := func(side mteval.Side, index int, err error) error {
		return fmt.Errorf("outer: %w", &mteval.SegmentError{Segment: 16, Side: side, Index: index, Err: err})
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{at(mteval.ReferenceSide, 0, long), "ref.de:17: dreem: text is too long: 120000 tokens, more than the limit of 100000"},
		{at(mteval.ReferenceSide, 1, long), "ref2.de:17: dreem: text is too long: 120000 tokens, more than the limit of 100000"},
		{at(mteval.HypothesisSide, 0, long), "sys/b.txt:17: dreem: text is too long: 120000 tokens, more than the limit of 100000"},
		{at(mteval.HypothesisSide, 1, bad), "sys/a.txt.gz:17: dreem: bad tree"},
		{at(0, 0, bad), "dreem: outer: segment 17: bad tree"},
		{bad, "dreem: bad tree"},
	} {
		err := Locate(c, ranked, "dreem", tt.err)
		if err.Error() != tt.want || errors.Is(tt.err, bad) != errors.Is(err, bad) {
			t.Errorf("%v: %v, want %s", tt.err, err, tt.want)
		}
	}
	c = &files.Corpus{Refs: make([][]string, 17), Systems: []mteval.System{{}}, Table: "rows.tsv"}
	if err := Locate(c, nil, "meteor", at(mteval.HypothesisSide, 0, bad)); err.Error() != "rows.tsv: row 17: meteor: bad tree" {
		t.Error(err)
	}
}

package safe

import (
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	rows := [][]string{{"system", "bleu"}, {"caf\u00e9", "1"}, {"cafe\u0301", "2"}, {"u\u0308ber", "3"}, {"caf\u00e9", "4"}}
	var grid, latex strings.Builder
	Grid(&grid, rows)
	LaTeX(&latex, rows[:3])
	if want := "system      bleu\ncaf\u00e9           1\ncafe\\u0301     2\nu\u0308ber           3\ncaf\u00e9           4\n"; grid.String() != want {
		t.Errorf("%q, want %q", grid.String(), want)
	}
	if want := "cafe\\textbackslash{}u0301 & 2"; !strings.Contains(latex.String(), want) || !strings.Contains(latex.String(), "\ncaf\u00e9 & 1") {
		t.Errorf("%q", latex.String())
	}
	// A name that has no twin is what it is.
	grid.Reset()
	Grid(&grid, rows[2:4])
	if want := "cafe\u0301  2\nu\u0308ber  3\n"; grid.String() != want {
		t.Errorf("%q, want %q", grid.String(), want)
	}
}

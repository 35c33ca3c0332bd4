package files

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		name               string
		lines              []string
		domains, documents []string
		err                string
	}{
		{name: "domains", lines: []string{"news\ta ", "chat\tb"}, domains: []string{"news", "chat"}, documents: []string{"a", "b"}},
		{name: "alone", lines: []string{"a", " b c"}, documents: []string{"a", "b c"}},
		{name: "of no domain", lines: []string{"\ta"}, domains: []string{""}, documents: []string{"a"}},
		{name: "nothing"},
		{name: "mixed", lines: []string{"a", "news\tb"}, err: "docs:2: one column, and two in other lines: want domain, tab, document in each, or the document alone"},
		{name: "blank", lines: []string{"a", " "}, err: "docs:2: no document"},
		{name: "domain alone", lines: []string{"news\t"}, err: "docs:1: no document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			domains, documents, err := (&Text{Name: "docs", Lines: c.lines}).Documents()
			if err != nil && err.Error() != c.err || err == nil && c.err != "" {
				t.Fatalf("%v, want %s", err, c.err)
			}
			if d := cmp.Diff([][]string{c.domains, c.documents}, [][]string{domains, documents}); d != "" {
				t.Error(d)
			}
		})
	}
}

package lineup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// forms are parses for these tests.
var formsKind = Kind[[]string]{Name: "list", Of: func(p *[]string) (int, []string) { return 7, *p }}

// However texts are cut in parses, and these in forms, each text is found again with its own,
// and with white space elsewhere, too.
func TestBank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abé]{1,3}`)
		var texts []string
		var parses [][]string
		want := make(map[string][][]string)
		for _, lists := range rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(word, 1, 4), 0, 3), 0, 6).Draw(t, "texts") {
			var words []string
			for _, l := range lists {
				words = append(words, l...)
			}
			text := strings.Join(words, " ")
			if _, ok := want[text]; !ok {
				want[text] = lists
			}
			texts, parses = append(texts, " "+text), append(parses, lists...)
		}
		var b Bank[[]string]
		if err := b.Add(texts, parses, "f", formsKind); err != nil {
			t.Fatal(err)
		}
		for text, lists := range want {
			got, ok := b.Get(strings.ReplaceAll(text, " ", "\u00a0\t"))
			if !ok || len(got)+len(lists) > 0 && !cmp.Equal(lists, got) {
				t.Fatalf("%q: %v, %v, want %v", text, got, ok, lists)
			}
		}
		if _, ok := b.Get("other"); ok {
			t.Fatal("a text that was not added is found")
		}
		// One parse less or more does not line up, and nothing is added.
		var none Bank[[]string]
		if err := none.Add(texts, append(parses, []string{"c"}), "f", formsKind); err == nil || !strings.HasPrefix(err.Error(), "f:7: a list after the last text") {
			t.Fatal(err)
		}
		if len(parses) > 0 {
			if err := none.Add(texts, parses[1:], "f", formsKind); err == nil {
				t.Fatal("a parse is missing, and no error")
			}
		}
		if len(none.parses) > 0 {
			t.Fatalf("%v was added", none.parses)
		}
	})
}

package registry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/tokenize"
)

func TestNotEnglish(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  string
	}{
		{nil, ""},
		{[]string{"", ""}, ""},
		{[]string{"The café is closed.", "So is the bar.", "I am sad."}, ""},
		{[]string{"Das Café schließt.", "Die Tür ist zu.", "Ich gehe."}, "most lines have letters that English has not"},
		{[]string{"Дверь закрыта.", "Open the door.", "Я ухожу отсюда."}, "most letters are not Latin"},
		{[]string{"门关了。"}, "most letters are not Latin"},
		{[]string{"12 %, 3 °C", "“quoted” – 5 €"}, ""},
	} {
		if got := notEnglish(tt.lines); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.lines, got, tt.want)
		}
	}
}

func TestUntokenized(t *testing.T) {
	raw, tokenized := []string{"He came, saw, and left.", "Why?"}, []string{"He came , saw , and left .", "Why ?"}
	for _, tt := range []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{"no mark", "1,000 and 3.5"}, false},
		{raw, true},
		{tokenized, false},
		{[]string{`He said "no."`}, true},
		{[]string{`He said " no . "`}, false},
		{[]string{"他来了，走了。"}, true},
		{[]string{"他 来 了 ， 走 了 。"}, false},
		{[]string{"It cost 5 U.S.", "Yes , it did .", "No , it did not ."}, false},
		{[]string{"...", ".", "?!"}, false},
		// A few lines behind the last hundred.
		{append(slices.Repeat(tokenized, 100), "It cost 5 U.S."), false},
		// One raw text of many.
		{slices.Concat(slices.Repeat(tokenized, 1000), slices.Repeat(raw, 100), slices.Repeat(tokenized, 1000)), true},
	} {
		if got := untokenized(tt.lines); got != tt.want {
			t.Errorf("%.100q: %v, want %v", tt.lines, got, tt.want)
		}
	}
}

// On references of WMT both rules are right.
func TestLooksWMT(t *testing.T) {
	for _, set := range []string{"wmt19-en-de", "wmt19-de-en", "wmt19-gu-en", "wmt19-kk-en", "wmt19-lt-en"} {
		refs, err := filepath.Glob(filepath.Join(shareddata.Path(t, "data", set), "ref.*"))
		if err != nil || len(refs) != 1 {
			t.Fatal(refs, err)
		}
		data, err := os.ReadFile(refs[0])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if got, want := notEnglish(lines) == "", strings.HasSuffix(set, "-en"); got != want {
			t.Errorf("%s: English is %v, want %v", set, got, want)
		}
		var words []string
		for _, line := range lines {
			words = append(words, string(tokenize.V13a.Append(nil, line)))
		}
		if !untokenized(lines) || untokenized(words) {
			t.Errorf("%s: raw text is untokenized: %v, words of 13a: %v", set, untokenized(lines), untokenized(words))
		}
	}
}

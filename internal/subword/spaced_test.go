package subword_test

import (
	"slices"
	"testing"

	"github.com/mteval/mteval/internal/subword"
)

// A space in front is as if the text had it, but for places, which are in the text without it.
func TestEncodeSpaced(t *testing.T) {
	check := func(what string, k *subword.Tokenizer, text string) {
		t.Helper()
		want := []subword.Piece{{ID: 7}}
		if text == "" {
			want = k.Encode(want, "")
		} else {
			want = k.Encode(want, " "+text)
		}
		for i := range want {
			if p := &want[i]; !p.Special {
				p.Start, p.End = max(0, p.Start-1), max(0, p.End-1)
			}
		}
		got, _, err := k.EncodeSpaced(t.Context(), []subword.Piece{{ID: 7}}, text, 1<<30)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %q: %v, %v, want %v", what, text, err, got, want)
		}
	}
	r := readRecorded(t)
	for i, set := range r.Sets {
		k, err := subword.Parse(r.file(t, set.Base, set.Patch))
		if err != nil {
			t.Fatal(err)
		}
		for j := i % 7; j < len(set.Cases); j += 7 {
			check(set.Base, k, set.Cases[j].Text)
		}
		for _, text := range []string{"", " ", "<mask> the", "a\xffb", "\xff"} {
			check(set.Base, k, text)
		}
	}
	for _, m := range readSentenceModels(t) {
		k := parseSentencePiece(t, m.Model)
		for j := 0; j < len(m.Cases); j += 3 {
			check(m.Name, k, string(m.Cases[j].Text))
		}
	}
}

package multilevel

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/tokenize"
)

// 13a in lower case, by hand: the words of a text are these.
func TestWordsBy(t *testing.T) {
	texts := []string{"", "  ", "The dog, it's HERE.", "the DOG the dog", "İİ ΑΣ \xff", "a &amp; b", "渡し守は、舟を。"}
	got := make([][]string, len(texts))
	err := readAll(t.Context(), WordsBy(tokenize.V13a, true).reader, texts, func(text int, word []byte) {
		got[text] = append(got[text], string(word))
	})
	want := [][]string{nil, nil, {"the", "dog", ",", "it's", "here", "."}, {"the", "dog", "the", "dog"}, {"i̇i̇", "ας", "\xff"}, {"a", "&", "b"}, {"渡し守は、舟を。"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
}

package subword

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// A trie is a map.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00é中")), 0, 6, -1), rapid.String())
		want := rapid.MapOf(key, rapid.Int32Range(0, 1<<30)).Draw(t, "map")
		var entries []trieEntry
		for k, v := range want {
			entries = append(entries, trieEntry{k, v})
		}
		slices.SortFunc(entries, func(a, b trieEntry) int { return strings.Compare(a.key, b.key) })
		trie := newTrie(entries)
		for _, k := range append(rapid.SliceOf(key).Draw(t, "others"), "") {
			want[k] += 0
			if _, ok := slices.BinarySearchFunc(entries, k, func(e trieEntry, k string) int { return strings.Compare(e.key, k) }); !ok {
				want[k] = -1
			}
		}
		for k, v := range want {
			got := int32(-1)
			if n := trie.walk(root, k); n != noNode {
				got = trie.nodes[n].value
			}
			if got != v {
				t.Fatalf("%q: %d, want %d", k, got, v)
			}
		}
	})
}

// Normalization is that of golang.org/x/text on characters that both know.
func TestForms(t *testing.T) {
	k := &Tokenizer{classes: classes()}
	for name, c := range map[string]struct {
		form form
		want norm.Form
	}{"NFC": {form{norm.NFD, true}, norm.NFC}, "NFD": {form{norm.NFD, false}, norm.NFD}, "NFKC": {form{norm.NFKD, true}, norm.NFKC}, "NFKD": {form{norm.NFKD, false}, norm.NFKD}} {
		different := 0
		s := &scratch{t: k}
		for r := rune(0); r < 0x30000; r++ {
			if r >= 0xd800 && r < 0xe000 {
				continue
			}
			text := "a" + string(r) + "\u0323"
			s.text.b, s.text.aligned = []byte(text), false
			c.form.normalize(s)
			if got := string(s.text.b); got != c.want.String(text) {
				if !k.classes.isInert(r) {
					t.Errorf("%s %q: %q", name, text, got)
				}
				different++
			}
		}
		if different > 400 {
			t.Errorf("%s: %d characters of which the tables know nothing", name, different)
		}
	}
}

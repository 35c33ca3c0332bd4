package ngram

import (
	"testing"

	"pgregory.net/rapid"
)

// The trie tells n-grams apart as strings do, whatever room it was given.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var trie Trie
		if rapid.Bool().Draw(t, "grow") {
			trie.Grow(rapid.IntRange(0, 100).Draw(t, "room"))
		}
		nodes := map[string]int32{"": 0}
		text := rapid.SliceOfN(rapid.Uint32Range(1, 5), 0, 200).Draw(t, "text")
		for i := range text {
			node, gram := int32(0), ""
			for _, s := range text[i:min(len(text), i+4)] {
				next := trie.Add(node, s)
				gram += string(rune('a' + s))
				want, known := nodes[gram]
				if known && next != want || !known && int(next) != trie.Len() {
					t.Fatalf("%s is node %d, want %d (known: %v)", gram, next, want, known)
				}
				nodes[gram] = next
				node = next
			}
		}
		if trie.Len() != len(nodes)-1 {
			t.Fatalf("%d nodes, want %d", trie.Len(), len(nodes)-1)
		}
		for gram, node := range nodes {
			for s := uint32(1); s < 7; s++ {
				if got, want := trie.Next(node, s), nodes[gram+string(rune('a'+s))]; got != want {
					t.Fatalf("%s + %d is node %d, want %d", gram, s, got, want)
				}
			}
		}
	})
}

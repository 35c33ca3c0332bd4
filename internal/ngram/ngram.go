// Package ngram holds the n-grams of texts, exactly: no hash stands for an n-gram. A Trie is
// for n-grams that are added as they come. A node is an n-gram, its edges lead by a symbol
// (the number of a word, a character) to the n-grams that are one longer. All n-grams that
// start at one place of another text are one walk down, which ends at the first that the trie
// does not have. Sorted is one text, Bags are many of which each is compared with each.
package ngram

import "slices"

// A Trie is a set of n-grams, with its nodes numbered from 1 up; 0 is the root. The
// zero value is empty. What is known of an n-gram, such as a count, is for the user
// to keep by node. A Trie that no longer grows is safe for concurrent use.
type Trie struct {
	// keys holds, by node less one, the edge that leads to it: the node before, and
	// the symbol.
	keys []uint64
	// table is a hash table of the nodes by their keys, open addressing, its length a
	// power of two; 0 is free.
	table []int32
}

// Grow makes room for n more nodes.
func (t *Trie) Grow(n int) {
	n += len(t.keys)
	if n == 0 || len(t.table) >= n+n/2 {
		return
	}
	size := 4
	for size < n+n/2 {
		size *= 2
	}
	t.table = make([]int32, size)
	t.keys = slices.Grow(t.keys, n-len(t.keys))
	for i, key := range t.keys {
		at := t.slot(key)
		for t.table[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.table[at] = int32(i + 1)
	}
}

// Reset empties t, and keeps its memory.
func (t *Trie) Reset() {
	clear(t.table)
	t.keys = t.keys[:0]
}

// Len is the number of nodes, without the root.
func (t *Trie) Len() int { return len(t.keys) }

func (t *Trie) slot(key uint64) int {
	h := key * 0x9e3779b97f4a7c15
	return int((h ^ h>>32) & uint64(len(t.table)-1))
}

// Next returns the node to which symbol, not 0, leads from a node, 0 if there is
// none.
func (t *Trie) Next(node int32, symbol uint32) int32 {
	if len(t.table) == 0 {
		return 0
	}
	key := uint64(node)<<32 | uint64(symbol)
	for i := t.slot(key); ; i = (i + 1) & (len(t.table) - 1) {
		next := t.table[i]
		if next == 0 || t.keys[next-1] == key {
			return next
		}
	}
}

// Add is Next, and makes the node if there is none.
func (t *Trie) Add(node int32, symbol uint32) int32 {
	if n := len(t.keys); len(t.table) < n+n/2+2 {
		t.Grow(max(4, n))
	}
	key := uint64(node)<<32 | uint64(symbol)
	for i := t.slot(key); ; i = (i + 1) & (len(t.table) - 1) {
		next := t.table[i]
		if next == 0 {
			t.keys = append(t.keys, key)
			t.table[i] = int32(len(t.keys))
			return t.table[i]
		}
		if t.keys[next-1] == key {
			return next
		}
	}
}

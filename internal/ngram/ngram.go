// Package ngram holds the n-grams of a text as a trie, exactly: no hash stands for
// an n-gram. A node is an n-gram, its edges lead by a symbol (the number of a word,
// a character) to the n-grams that are one longer. All n-grams that start at one
// place of another text are one walk down, which ends at the first that the trie
// does not have.
package ngram

// A Trie is a set of n-grams, with its nodes numbered from 1 up; 0 is the root. The
// zero value is empty. What is known of an n-gram, such as a count, is for the user
// to keep by node. A Trie that no longer grows is safe for concurrent use.
type Trie struct {
	// edges is a hash table, open addressing, its length a power of two.
	edges []edge
	nodes int
}

// An edge leads from a node by a symbol to the node after it. The key is node and
// symbol; as no symbol is 0, a key of 0 is a free slot.
type edge struct {
	key  uint64
	node int32
}

// Grow makes room for n more nodes.
func (t *Trie) Grow(n int) {
	n += t.nodes
	if n == 0 || len(t.edges) >= n+n/2 {
		return
	}
	size := 4
	for size < n+n/2 {
		size *= 2
	}
	old := t.edges
	t.edges = make([]edge, size)
	for _, e := range old {
		if e.key != 0 {
			i := t.slot(e.key)
			for t.edges[i].key != 0 {
				i = (i + 1) & (size - 1)
			}
			t.edges[i] = e
		}
	}
}

// Len is the number of nodes, without the root.
func (t *Trie) Len() int { return t.nodes }

func (t *Trie) slot(key uint64) int {
	h := key * 0x9e3779b97f4a7c15
	return int((h ^ h>>32) & uint64(len(t.edges)-1))
}

// Next returns the node to which symbol, not 0, leads from a node, 0 if there is
// none.
func (t *Trie) Next(node int32, symbol uint32) int32 {
	if len(t.edges) == 0 {
		return 0
	}
	key := uint64(node)<<32 | uint64(symbol)
	for i := t.slot(key); ; i = (i + 1) & (len(t.edges) - 1) {
		switch e := &t.edges[i]; e.key {
		case key:
			return e.node
		case 0:
			return 0
		}
	}
}

// Add is Next, and makes the node if there is none.
func (t *Trie) Add(node int32, symbol uint32) int32 {
	if len(t.edges) < t.nodes+t.nodes/2+2 {
		t.Grow(max(4, t.nodes))
	}
	key := uint64(node)<<32 | uint64(symbol)
	for i := t.slot(key); ; i = (i + 1) & (len(t.edges) - 1) {
		switch e := &t.edges[i]; e.key {
		case key:
			return e.node
		case 0:
			t.nodes++
			*e = edge{key, int32(t.nodes)}
			return e.node
		}
	}
}

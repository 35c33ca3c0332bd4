package subword

// A trie maps strings to numbers. It is a double array: the child of node n by byte c is
// nodes[n].base ^ c, if that node's parent is n.
type trie struct {
	nodes []trieNode
}

type trieNode struct {
	base, parent int32
	value        int32 // of the string that ends here; -1: none does
}

const (
	noNode = -1
	root   = 0
)

// next returns the child of n by c, or noNode.
func (t *trie) next(n int32, c byte) int32 {
	m := t.nodes[n].base ^ int32(c)
	if t.nodes[m].parent != n {
		return noNode
	}
	return m
}

// walk returns the node that s leads to from n, or noNode.
func (t *trie) walk(n int32, s string) int32 {
	for i := 0; i < len(s) && n != noNode; i++ {
		n = t.next(n, s[i])
	}
	return n
}

// A trieEntry is a string and its number.
type trieEntry struct {
	key   string
	value int32
}

// newTrie makes a trie of entries that are sorted by key, all keys different.
func newTrie(entries []trieEntry) *trie {
	b := trieBuilder{trie: new(trie)}
	b.grow()
	b.take(root)
	b.nodes[root].parent = noNode
	type job struct {
		node   int32
		lo, hi int // the entries below the node
		depth  int
	}
	jobs := []job{{root, 0, len(entries), 0}}
	var labels []byte
	var starts []int
	for len(jobs) > 0 {
		j := jobs[len(jobs)-1]
		jobs = jobs[:len(jobs)-1]
		lo := j.lo
		if lo < j.hi && len(entries[lo].key) == j.depth {
			b.nodes[j.node].value = entries[lo].value
			lo++
		}
		if lo == j.hi {
			// A leaf: every child must be seen not to be there.
			b.nodes[j.node].base = 0
			continue
		}
		labels, starts = labels[:0], starts[:0]
		for i := lo; i < j.hi; i++ {
			if c := entries[i].key[j.depth]; len(labels) == 0 || labels[len(labels)-1] != c {
				labels = append(labels, c)
				starts = append(starts, i)
			}
		}
		starts = append(starts, j.hi)
		base := b.place(labels)
		b.nodes[j.node].base = base
		for i, c := range labels {
			n := base ^ int32(c)
			b.take(n)
			b.nodes[n].parent = j.node
			jobs = append(jobs, job{n, starts[i], starts[i+1], j.depth + 1})
		}
	}
	return b.trie
}

// A trieBuilder knows the free nodes of a trie: a ring through all of them, kept in base
// (the next) and value (the one before).
type trieBuilder struct {
	*trie
	head int32 // a free node, or noNode
}

const freeNode = -2 // as parent

func (b *trieBuilder) grow() {
	n := int32(len(b.nodes))
	if n == 0 {
		b.head = noNode
	}
	for i := n; i < n+256; i++ {
		b.nodes = append(b.nodes, trieNode{i, freeNode, i})
		if b.head == noNode {
			b.head = i
			continue
		}
		last := b.nodes[b.head].value
		b.nodes[i].base, b.nodes[i].value = b.head, last
		b.nodes[last].base, b.nodes[b.head].value = i, i
	}
}

func (b *trieBuilder) take(n int32) {
	node := b.nodes[n]
	if node.base == n {
		b.head = noNode
	} else {
		b.nodes[node.value].base, b.nodes[node.base].value = node.base, node.value
		if b.head == n {
			b.head = node.base
		}
	}
	b.nodes[n] = trieNode{0, freeNode, -1}
}

// place finds a base for children of these labels: from some free nodes, in the last 256
// nodes, or in new ones.
func (b *trieBuilder) place(labels []byte) int32 {
	fits := func(base int32) bool {
		for _, c := range labels {
			if b.nodes[base^int32(c)].parent != freeNode {
				return false
			}
		}
		return true
	}
	if b.head != noNode {
		for n, tries := b.head, 0; tries < 32; tries++ {
			if base := n ^ int32(labels[0]); fits(base) {
				return base
			}
			if n = b.nodes[n].base; n == b.head {
				break
			}
		}
		// What is tried in vain over and over should come last.
		b.head = b.nodes[b.head].base
	}
	for base := int32(len(b.nodes) - 256); base < int32(len(b.nodes)); base++ {
		if fits(base) {
			return base
		}
	}
	b.grow()
	return int32(len(b.nodes) - 256)
}

package ngram

import "github.com/mteval/mteval/internal/pace"

// Bags are the n-grams of many texts of which each is to be compared with each. Texts are
// added once; how many n-grams two of them have in common is then a sum over one of them.
//
// An n-gram that a text has k times is k members of its bag, the second of a text being
// another member than the first, so that what two bags have in common is what is in both.
type Bags struct {
	order   int
	trie    Trie
	last    []int32 // by node: its latest member in the text at hand, 0 between texts
	used    []int32 // the nodes of which last is not 0
	now     [][]int32
	members []int32 // of every text and order, one after another
	ends    []int   // of those, by text and order
	lengths []int   // of the texts
	common  []int32 // by member: how many texts have it
}

// Reset empties b for texts whose n-grams count up to an order; it keeps the memory.
func (b *Bags) Reset(order int) {
	b.order = order
	b.trie.Reset()
	for len(b.now) < order {
		b.now = append(b.now, nil)
	}
	b.members, b.lengths, b.common, b.last = b.members[:0], b.lengths[:0], append(b.common[:0], 0), append(b.last[:0], 0)
	b.ends, b.used = append(b.ends[:0], 0), b.used[:0]
}

const interval, steps = 1 << 10, 32 // between two looks at the context, and what an n-gram takes

// Add adds a text, of symbols above 0. After an error b has to be Reset.
func (b *Bags) Add(w *pace.Pace, text []uint32) error {
	for n := range b.order {
		b.now[n] = b.now[n][:0]
	}
	for i := range text {
		if i%interval == interval-1 {
			if err := w.Done(interval * b.order * steps); err != nil {
				return err
			}
		}
		node := int32(0)
		for n, symbol := range text[i:min(len(text), i+b.order)] {
			node = b.add(node, symbol)
			member := node
			if before := b.last[node]; before != 0 {
				member = b.add(before, 0) // no symbol is 0
			} else {
				b.used = append(b.used, node)
			}
			b.last[node] = member
			b.common[member]++
			b.now[n] = append(b.now[n], member)
		}
	}
	for _, node := range b.used {
		b.last[node] = 0
	}
	b.used = b.used[:0]
	for n := range b.order {
		b.members = append(b.members, b.now[n]...)
		b.ends = append(b.ends, len(b.members))
	}
	b.lengths = append(b.lengths, len(text))
	return nil
}

func (b *Bags) add(node int32, symbol uint32) int32 {
	node = b.trie.Add(node, symbol)
	if int(node) == len(b.last) {
		b.last = append(b.last, 0)
		b.common = append(b.common, 0)
	}
	return node
}

// Trim forgets what is in one bag alone, once all texts are added: it can be in common
// with no other.
func (b *Bags) Trim() {
	kept, lo := 0, 0
	for i, hi := range b.ends[1:] {
		for _, m := range b.members[lo:hi] {
			if b.common[m] > 1 {
				b.members[kept] = m
				kept++
			}
		}
		lo, b.ends[i+1] = hi, kept
	}
	b.members = b.members[:kept]
}

// Length is that of a text, in symbols.
func (b *Bags) Length(text int) int { return b.lengths[text] }

// Mark sets marks of a text's members to 1, or back to 0. It returns them, longer where they
// were too short.
func (b *Bags) Mark(marks []uint8, text int, to uint8) []uint8 {
	if n := len(b.common); len(marks) < n {
		marks = append(marks, make([]uint8, n-len(marks))...)
	}
	for _, m := range b.members[b.ends[text*b.order]:b.ends[(text+1)*b.order]] {
		marks[m] = to
	}
	return marks
}

// Common returns how many n-grams of an order, from 0, a text has in common with the text
// that is marked, another one.
func (b *Bags) Common(marks []uint8, text, order int) int {
	at := text*b.order + order
	members := b.members[b.ends[at]:b.ends[at+1]]
	var x, y int
	for ; len(members) >= 4; members = members[4:] {
		x += int(marks[members[0]]) + int(marks[members[1]])
		y += int(marks[members[2]]) + int(marks[members[3]])
	}
	for _, m := range members {
		x += int(marks[m])
	}
	return x + y
}

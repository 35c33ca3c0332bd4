package komecab

import (
	"math"
	"unicode/utf8"
)

// maxGroup is the longest unknown word of characters that are alike.
const maxGroup = 24

// maxWord bounds the bytes that one look into the dictionary sees.
const maxWord = 65535

// A node is a word at a place of the line.
type node struct {
	start, end int32 // without the space before it
	prev       int32 // the best node before it
	next       int32 // the next node that ends where this one does; -1: none
	right      uint16
	cost       int64 // of the best way to here
}

// A lattice is the words that a line may be made of. It is used again for the next line.
type lattice struct {
	nodes  []node
	ending []int32 // by place, the last of the nodes that end there; -1: none
	found  []found
	path   []int32
}

// found is a word that the dictionary has, or that it could have.
type found struct {
	token
	end int
}

// words appends the indexes of the nodes of the cheapest way through the line to l.path.
//
// Of ways that cost the same, MeCab takes the word that it saw last, and of those at one
// place the one that the dictionary has first.
func (l *lattice) words(d *dictionary, line string) {
	l.nodes, l.path = l.nodes[:0], l.path[:0]
	l.ending = l.ending[:0]
	for range len(line) + 1 {
		l.ending = append(l.ending, -1)
	}
	l.nodes = append(l.nodes, node{prev: -1, next: -1}) // the line's beginning
	l.ending[0] = 0
	for at := range len(line) {
		if l.ending[at] < 0 {
			continue
		}
		start := l.lookup(d, line, at)
		for i := len(l.found) - 1; i >= 0; i-- {
			f := l.found[i]
			cost := int64(f.cost)
			if start > at {
				cost += d.penalties[f.pos]
			}
			n := l.connect(d, at, f.left)
			n.cost += cost
			n.start, n.end, n.right, n.next = int32(start), int32(f.end), f.right, l.ending[f.end]
			l.ending[f.end] = int32(len(l.nodes))
			l.nodes = append(l.nodes, n)
		}
	}
	// The line's end follows what reaches furthest.
	last := len(line)
	for l.ending[last] < 0 {
		last--
	}
	for i := l.connect(d, last, 0).prev; i > 0; i = l.nodes[i].prev {
		l.path = append(l.path, i)
	}
}

// connect is a node with the best one before it of those that end at a place.
func (l *lattice) connect(d *dictionary, at int, left uint16) node {
	best := node{cost: math.MaxInt64}
	for i := l.ending[at]; i >= 0; i = l.nodes[i].next {
		if cost := l.nodes[i].cost + d.cost(l.nodes[i].right, left); cost < best.cost {
			best.cost, best.prev = cost, i
		}
	}
	return best
}

// lookup finds the words after a place, and where they begin: after the space there.
func (l *lattice) lookup(d *dictionary, line string, at int) (start int) {
	l.found = l.found[:0]
	line = line[:min(len(line), at+maxWord)]
	start, _ = d.alike(line, at, d.char(' '), len(line))
	if start == len(line) {
		return start
	}
	d.system.prefixes(line[start:], func(length, first, count int) {
		if length == 0 {
			return
		}
		for k := range count {
			l.found = append(l.found, found{d.system.token(first + k), start + length})
		}
	})
	c, size := d.decode(line[start:])
	if len(l.found) > 0 && !c.invoke() {
		return start
	}
	unknown := func(end int) {
		for _, t := range d.unknown[c.category()] {
			l.found = append(l.found, found{t, end})
		}
	}
	end, group := start+size, 0
	if c.group() {
		var n int
		if group, n = d.alike(line, end, c, maxGroup+1); n <= maxGroup {
			unknown(group)
		}
	}
	for range c.length() {
		if end == group {
			continue
		}
		unknown(end)
		if end == len(line) {
			break
		}
		next, size := d.decode(line[end:])
		if !c.isKind(next) {
			break
		}
		end += size
	}
	if len(l.found) == 0 {
		unknown(end)
	}
	return start
}

// alike is where the run of characters ends that share a category with the one before
// each, and how many they are, most at most.
func (d *dictionary) alike(line string, at int, c char, most int) (end, n int) {
	for at < len(line) && n < most {
		next, size := d.decode(line[at:])
		if !c.isKind(next) {
			break
		}
		c = next
		at += size
		n++
	}
	return at, n
}

// decode is what is known of the first character of a text, and its size. MeCab knows
// those of 16 bits; all others, and bytes that are no UTF-8, are as character 0 to it.
func (d *dictionary) decode(s string) (c char, size int) {
	r, size := utf8.DecodeRuneInString(s)
	if r >= charCount || r == utf8.RuneError && size == 1 {
		r = 0
	}
	return d.char(r), size
}

package meteor

import (
	"slices"

	"github.com/mteval/mteval"
)

// phraseMatcher finds the paraphrases of one side in the other.
type phraseMatcher struct {
	found []mteval.Span // in the order of the reference
	hyp   grams
	ref   grams
	raw   []mteval.Span // in the order in which they are found
	first []int32       // where those of a word of the reference begin in found
}

func (p *phraseMatcher) reset() { p.found, p.raw = p.found[:0], p.raw[:0] }

// at returns the candidates that begin at word i of the reference.
func (p *phraseMatcher) at(i int) []mteval.Span { return p.found[p.first[i]:p.first[i+1]] }

// match finds the candidates of two sides: the reference's phrases word by word, short ones
// first, with their paraphrases in the order of the table, wherever these are in the
// hypothesis; and then the hypothesis's, likewise.
func (p *phraseMatcher) match(t *Paraphrases, hyp, ref *side, stage int32) {
	p.hyp.index(t, hyp.words)
	for _, f := range ref.phrases {
		for _, q := range t.row(f.row) {
			for k := p.hyp.find(t, q, p.hyp.head(q)); k != 0; k = p.hyp.find(t, q, p.hyp.list[k-1].next) {
				g := &p.hyp.list[k-1]
				p.raw = append(p.raw, mteval.Span{Hyp: g.start, Ref: f.start, HypLen: g.n, RefLen: f.n, Stage: stage})
			}
		}
	}
	p.ref.index(t, ref.words)
	for _, f := range hyp.phrases {
		for _, q := range t.row(f.row) {
			for k := p.ref.find(t, q, p.ref.head(q)); k != 0; k = p.ref.find(t, q, p.ref.list[k-1].next) {
				g := &p.ref.list[k-1]
				p.raw = append(p.raw, mteval.Span{Hyp: f.start, Ref: g.start, HypLen: f.n, RefLen: g.n, Stage: stage})
			}
		}
	}
	p.first = zeros(p.first, len(ref.words)+1)
	for _, c := range p.raw {
		p.first[c.Ref+1]++
	}
	for i := range ref.words {
		p.first[i+1] += p.first[i]
	}
	p.found = slices.Grow(p.found[:0], len(p.raw))[:len(p.raw)]
	for _, c := range p.raw {
		p.found[p.first[c.Ref]] = c
		p.first[c.Ref]++
	}
	copy(p.first[1:], p.first)
	p.first[0] = 0
}

// grams are the n-grams of a side that can be paraphrases.
type grams struct {
	ids  []uint32 // of the words in the table, 0 for one that is not in it
	list []gram
	// heads holds, by the low bits of the hash, the number from 1 of the first gram.
	heads []int32
}

type gram struct {
	hash     uint32
	start, n int32
	next     int32 // with the same low bits, later in the side
}

// index takes the words of a side.
func (g *grams) index(t *Paraphrases, words []*word) {
	g.ids = g.ids[:0]
	for _, w := range words {
		g.ids = append(g.ids, w.phrase)
	}
	g.list = g.list[:0]
	for i := len(g.ids) - 1; i >= 0; i-- {
		hash := uint32(0)
		for n := 1; n <= t.longest && i+n <= len(g.ids) && g.ids[i+n-1] != 0; n++ {
			hash = addHash(hash, g.ids[i+n-1])
			g.list = append(g.list, gram{hash: hash, start: int32(i), n: int32(n)})
		}
	}
	size := 4096
	for size < 16*len(g.list) {
		size *= 2
	}
	g.heads = zeros(g.heads, size)
	for k := range g.list {
		head := &g.heads[g.list[k].hash&uint32(size-1)]
		g.list[k].next = *head
		*head = int32(k + 1)
	}
}

// head is the number of the first gram with the low bits of a phrase's hash, 0 if there is
// none.
func (g *grams) head(q phrase) int32 { return g.heads[q.hash&uint32(len(g.heads)-1)] }

// find returns the number of the first gram from k on that is the phrase, 0 if there is
// none. They come in the order of the side.
func (g *grams) find(t *Paraphrases, q phrase, k int32) int32 {
	for k != 0 {
		e := &g.list[k-1]
		if e.hash == q.hash && t.is(q, g.ids[e.start:e.start+e.n]) {
			break
		}
		k = e.next
	}
	return k
}

package meteor

import (
	"slices"

	"github.com/mteval/mteval"
)

// phraseMatcher finds the paraphrases of one side in the other.
type phraseMatcher struct {
	found []mteval.Span // in the order of the reference
	hyp   places
	ref   places
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
	p.hyp.index(hyp.words)
	for _, f := range ref.phrases {
		for _, q := range t.row(f.row) {
			for k := p.hyp.head(q); k != 0; k = p.hyp.next[k-1] {
				if n := t.length(q, hyp.words[k-1:]); n > 0 {
					p.raw = append(p.raw, mteval.Span{Hyp: k - 1, Ref: f.start, HypLen: n, RefLen: f.n, Stage: stage})
				}
			}
		}
	}
	p.ref.index(ref.words)
	for _, f := range hyp.phrases {
		for _, q := range t.row(f.row) {
			for k := p.ref.head(q); k != 0; k = p.ref.next[k-1] {
				if n := t.length(q, ref.words[k-1:]); n > 0 {
					p.raw = append(p.raw, mteval.Span{Hyp: f.start, Ref: k - 1, HypLen: f.n, RefLen: n, Stage: stage})
				}
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

// places finds phrases in a side by their first word.
type places struct {
	// heads holds, by the low bits of the hash, the number from 1 of the first word, and
	// next by word that of the next one with the same low bits.
	heads, next []int32
}

// index takes the words of a side.
func (p *places) index(words []*word) {
	size := 256
	for size < 8*len(words) {
		size *= 2
	}
	p.heads, p.next = zeros(p.heads, size), zeros(p.next, len(words))
	for i := len(words) - 1; i >= 0; i-- {
		head := &p.heads[words[i].hash&uint32(size-1)]
		p.next[i] = *head
		*head = int32(i + 1)
	}
}

// head is the number of the first word with the low bits of a phrase's hash, 0 if there is
// none.
func (p *places) head(q phrase) int32 { return p.heads[q.hash&uint32(len(p.heads)-1)] }

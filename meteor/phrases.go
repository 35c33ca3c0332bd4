package meteor

import (
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/pace"
)

// phraseMatcher finds the paraphrases of one side in the other. It holds no more than what
// begins at one word of the reference: in all they can be as many as one length times the
// other.
type phraseMatcher struct {
	t        *Paraphrases
	hyp, ref *side
	stage    int32

	found  []mteval.Span // the candidates that begin at one word of the reference
	starts []int32       // where the phrases at a word of the reference begin in ref.phrases
	inHyp  places
	inRef  places

	rowOf  []int32 // by phrase of the hypothesis, the number of its row among different ones
	rows   []int32 // the different rows
	byRow  places  // phrases by their row
	offers []offer
	heads  []int32 // as in places, of offers by their first word

	hits    []hit // by number of a row, at one word of the reference
	lengths []int32
	touched []int32 // the rows with hits
}

// An offer is a paraphrase of one of the hypothesis's phrases.
type offer struct {
	phrase
	row  int32 // the number of its row
	next int32 // the number from 1 of the next offer whose first word has the same low bits
}

// A hit of a row are its paraphrases at a word, as places in lengths.
type hit struct{ from, to int32 }

// set takes two sides.
func (p *phraseMatcher) set(t *Paraphrases, hyp, ref *side, stage int32, pc *pace.Pace) error {
	p.t, p.hyp, p.ref, p.stage = t, hyp, ref, stage
	p.inHyp.index(len(hyp.words), func(i int) uint32 { return hyp.words[i].hash })
	p.inRef.index(len(ref.words), func(i int) uint32 { return ref.words[i].hash })
	p.starts = zeros(p.starts, len(ref.words)+1)
	for _, f := range ref.phrases {
		p.starts[f.start+1]++
	}
	for i := range ref.words {
		p.starts[i+1] += p.starts[i]
	}
	return p.offer(pc)
}

// offer sets the offers: each row's once, however often its phrase is there, and only those
// whose first word may be in the reference. In the chains of heads they are row by row, and
// in a row as in the table.
func (p *phraseMatcher) offer(pc *pace.Pace) error {
	phrases := p.hyp.phrases
	p.byRow.index(len(phrases), func(i int) uint32 { return rowHash(phrases[i].row) })
	p.rowOf, p.rows = zeros(p.rowOf, len(phrases)), p.rows[:0]
	for i, f := range phrases {
		first := p.byRow.head(rowHash(f.row))
		for phrases[first-1].row != f.row {
			first = p.byRow.next[first-1]
		}
		if int(first-1) < i {
			p.rowOf[i] = p.rowOf[first-1]
			continue
		}
		p.rowOf[i] = int32(len(p.rows))
		p.rows = append(p.rows, f.row)
	}
	p.offers, p.heads = p.offers[:0], zeros(p.heads, len(p.inRef.heads))
	for n := len(p.rows) - 1; n >= 0; n-- {
		row := p.t.row(p.rows[n])
		for k := len(row) - 1; k >= 0; k-- {
			if q := row[k]; p.inRef.head(q.hash) != 0 {
				head := &p.heads[q.hash&uint32(len(p.heads)-1)]
				p.offers = append(p.offers, offer{q, int32(n), *head})
				*head = int32(len(p.offers))
			}
		}
		if err := pc.Done(2 * len(row)); err != nil {
			return err
		}
	}
	if len(p.hits) < len(p.rows) {
		p.hits = make([]hit, 2*len(p.rows))
	}
	return nil
}

func rowHash(row int32) uint32 { return uint32(row) * 0x9e3779b1 >> 7 }

// maxFound bounds the candidates at one word: a table can have the same pair any number of
// times.
const maxFound = 1 << 22

// at returns the candidates that begin at word i of the reference: its phrases there, short
// ones first, with their paraphrases in the order of the table, wherever these are in the
// hypothesis; and then the phrases of the hypothesis in order, likewise.
func (p *phraseMatcher) at(i int, pc *pace.Pace) ([]mteval.Span, error) {
	p.found = p.found[:0]
	if err := p.ofReference(i, pc); err != nil {
		return nil, err
	}
	ref := p.ref.words[i:]
	p.lengths, p.touched = p.lengths[:0], p.touched[:0]
	work := 0
	for o := p.heads[ref[0].hash&uint32(len(p.heads)-1)]; o != 0; o = p.offers[o-1].next {
		of := &p.offers[o-1]
		n := p.t.length(of.phrase, ref)
		work += 5 + 5*int(n)
		if n == 0 {
			continue
		}
		h := &p.hits[of.row]
		if h.to == 0 {
			h.from = int32(len(p.lengths))
			p.touched = append(p.touched, of.row)
		}
		p.lengths = append(p.lengths, n)
		h.to = int32(len(p.lengths))
	}
	defer p.clear()
	if err := p.check(work, pc); err != nil || len(p.touched) == 0 {
		return p.found, err
	}
	for k, f := range p.hyp.phrases {
		h := p.hits[p.rowOf[k]]
		if h.to == 0 {
			continue
		}
		for _, n := range p.lengths[h.from:h.to] {
			p.found = append(p.found, mteval.Span{Hyp: f.start, Ref: int32(i), HypLen: f.n, RefLen: n, Stage: p.stage})
		}
		if err := p.check(5*int(h.to-h.from), pc); err != nil {
			return nil, err
		}
	}
	return p.found, pc.Done(len(p.hyp.phrases))
}

// ofReference finds the paraphrases of the reference's phrases from place i in the hypothesis.
func (p *phraseMatcher) ofReference(i int, pc *pace.Pace) error {
	hyp := p.hyp.words
	for _, f := range p.ref.phrases[p.starts[i]:p.starts[i+1]] {
		for _, q := range p.t.row(f.row) {
			work := 2
			for k := p.inHyp.head(q.hash); k != 0; k = p.inHyp.next[k-1] {
				n := p.t.length(q, hyp[k-1:])
				if n > 0 {
					p.found = append(p.found, mteval.Span{Hyp: k - 1, Ref: f.start, HypLen: n, RefLen: f.n, Stage: p.stage})
				}
				work += 5 + 5*int(n)
			}
			if err := p.check(work, pc); err != nil {
				return err
			}
		}
	}
	return nil
}

// clear takes back the hits of a word.
func (p *phraseMatcher) clear() {
	for _, row := range p.touched {
		p.hits[row] = hit{}
	}
}

func (p *phraseMatcher) check(work int, pc *pace.Pace) error {
	if len(p.found) > maxFound {
		return fmt.Errorf("%w: a word of the reference can be matched with paraphrases in more than %d ways", mteval.ErrTooLong, maxFound)
	}
	return pc.Done(work)
}

// places finds things by a hash, in their order.
type places struct {
	// heads holds, by the low bits of the hash, the number from 1 of the first thing, and
	// next by thing that of the next one with the same low bits.
	heads, next []int32
}

// index takes n things.
func (p *places) index(n int, hash func(i int) uint32) {
	size := 256
	for size < 8*n {
		size *= 2
	}
	p.heads, p.next = zeros(p.heads, size), zeros(p.next, n)
	for i := n - 1; i >= 0; i-- {
		head := &p.heads[hash(i)&uint32(size-1)]
		p.next[i] = *head
		*head = int32(i + 1)
	}
}

// head is the number of the first thing with the low bits of a hash, 0 if there is none.
func (p *places) head(hash uint32) int32 { return p.heads[hash&uint32(len(p.heads)-1)] }

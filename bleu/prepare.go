package bleu

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the references' n-grams of each segment as a trie: a node is an
// n-gram, its edges are the words that may follow. Nodes are looked up by parent
// and word, exactly (no hash stands for an n-gram), and the n-grams that start at
// a word of the output are one walk down, which ends at the first one that no
// reference has.
type prepared struct {
	s     *Scorer
	words map[string]uint32 // every word of the references, from 1
	segs  []segment
	tries sync.Pool // *scratch
	nodes int       // of the largest trie
}

// segment is the reference side of one segment.
type segment struct {
	lens []int32 // the references' lengths in tokens
	// edges is a hash table of the trie's edges, open addressing, its length
	// a power of two.
	edges []edge
	max   []int32 // max[node]: how often the n-gram counts at most; node 0 is the root
}

// An edge leads from a node by a word to the node after it. The key is parent
// and word; as a word is never 0, a key of 0 is a free slot.
type edge struct {
	key  uint64
	node int32
}

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	text  []byte
	ids   []uint32
	count []int32 // by node, all zero between uses
	used  []int32 // the nodes whose count is not zero
}

func (p *prepared) Len() int { return len(p.segs) }

func slot(edges []edge, key uint64) int {
	h := key * 0x9e3779b97f4a7c15
	return int((h ^ h>>32) & uint64(len(edges)-1))
}

// next returns the node that word leads to from parent, 0 if there is none.
func (g *segment) next(parent int32, word uint32) int32 {
	if len(g.edges) == 0 {
		return 0
	}
	key := uint64(parent)<<32 | uint64(word)
	for i := slot(g.edges, key); ; i = (i + 1) & (len(g.edges) - 1) {
		switch g.edges[i].key {
		case key:
			return g.edges[i].node
		case 0:
			return 0
		}
	}
}

// add is next, and makes the node if there is none. The table must have room.
func (g *segment) add(parent int32, word uint32) int32 {
	key := uint64(parent)<<32 | uint64(word)
	for i := slot(g.edges, key); ; i = (i + 1) & (len(g.edges) - 1) {
		switch g.edges[i].key {
		case key:
			return g.edges[i].node
		case 0:
			node := int32(len(g.max))
			g.edges[i] = edge{key, node}
			g.max = append(g.max, 0)
			return node
		}
	}
}

// tokens sets sc.text to the tokenized line and calls each for its tokens.
func (s *Scorer) tokens(sc *scratch, line string, each func(token []byte)) {
	line = tokenize.TrimRight(line)
	if s.lower {
		line = tokenize.Lower(line)
	}
	sc.text = s.tok.Append(sc.text[:0], line)
	for at := 0; ; {
		start, end, ok := tokenize.Next(sc.text, at)
		if !ok {
			return
		}
		each(sc.text[start:end])
		at = end
	}
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, words: make(map[string]uint32), segs: make([]segment, len(refs))}
	var sc scratch
	var ids [][]uint32
	for i, texts := range refs {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		g := &p.segs[i]
		g.lens = make([]int32, len(texts))
		ids = ids[:0]
		ngrams := 0
		for k, text := range texts {
			var line []uint32
			s.tokens(&sc, text, func(token []byte) {
				id, ok := p.words[string(token)]
				if !ok {
					id = uint32(len(p.words) + 1)
					p.words[string(token)] = id
				}
				line = append(line, id)
			})
			g.lens[k] = int32(len(line))
			ids = append(ids, line)
			ngrams += len(line) * s.order
		}
		g.build(ids, ngrams, s.order, &sc)
		p.nodes = max(p.nodes, len(g.max))
	}
	p.tries.New = func() any { return &scratch{count: make([]int32, p.nodes)} }
	return p, ctx.Err()
}

// build makes the trie of a segment from its references' words.
func (g *segment) build(refs [][]uint32, ngrams, order int, sc *scratch) {
	if ngrams == 0 {
		return
	}
	size := 4
	for size < ngrams+ngrams/2 {
		size *= 2
	}
	g.edges = make([]edge, size)
	g.max = append(make([]int32, 0, ngrams+1), 0)
	for _, ids := range refs {
		sc.count = append(sc.count[:0], make([]int32, ngrams+1)...)
		for i := range ids {
			node := int32(0)
			for _, id := range ids[i:min(len(ids), i+order)] {
				node = g.add(node, id)
				sc.count[node]++
			}
		}
		for node := range g.max {
			g.max[node] = max(g.max[node], sc.count[node])
		}
	}
}

// Append scores hypotheses. With hyps few it runs on the caller's goroutine and
// allocates nothing but room in dst.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.segs), segs, hyps); err != nil {
		return dst, err
	}
	width := 2 + 2*p.s.order
	n := len(dst)
	rows := grow(dst, len(hyps)*width)
	if len(hyps) < 64 || parallel.Workers(p.s.workers) == 1 {
		for lo := 0; lo < len(hyps); lo += 64 {
			if err := ctx.Err(); err != nil {
				return dst, err
			}
			p.rows(rows[n+lo*width:], segs, hyps, lo, min(len(hyps), lo+64))
		}
		if err := ctx.Err(); err != nil {
			return dst, err
		}
		return rows, nil
	}
	err := parallel.For(ctx, len(hyps), p.s.workers, 64, func(lo, hi int) error {
		p.rows(rows[n+lo*width:], segs, hyps, lo, hi)
		return nil
	})
	if err != nil {
		return dst, err
	}
	return rows, nil
}

// grow returns dst longer by n zeros.
func grow(dst []float64, n int) []float64 {
	if cap(dst)-len(dst) >= n {
		out := dst[:len(dst)+n]
		clear(out[len(dst):])
		return out
	}
	return append(dst, make([]float64, n)...)
}

// rows fills in the rows of hyps[lo:hi].
func (p *prepared) rows(rows []float64, segs []int, hyps []string, lo, hi int) {
	sc := p.tries.Get().(*scratch)
	width := 2 + 2*p.s.order
	for k := lo; k < hi; k++ {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		p.row(rows[:width], sc, &p.segs[seg], hyps[k])
		rows = rows[width:]
	}
	p.tries.Put(sc)
}

func (p *prepared) row(row []float64, sc *scratch, g *segment, hyp string) {
	order := p.s.order
	sc.ids = sc.ids[:0]
	p.s.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words[string(token)]) })
	n := len(sc.ids)
	row[0], row[1] = float64(n), float64(closest(n, g.lens))
	matches, totals := row[2:2+order], row[2+order:]
	for i := range totals {
		totals[i] = float64(max(0, n-i))
	}
	sc.used = sc.used[:0]
	for i := range sc.ids {
		node := int32(0)
		for k, id := range sc.ids[i:min(n, i+order)] {
			if id == 0 { // a word that no reference has
				break
			}
			if node = g.next(node, id); node == 0 {
				break
			}
			if sc.count[node] < g.max[node] {
				matches[k]++
			}
			if sc.count[node] == 0 {
				sc.used = append(sc.used, node)
			}
			sc.count[node]++
		}
	}
	for _, node := range sc.used {
		sc.count[node] = 0
	}
}

// closest returns the length closest to n, the shorter of two as close.
func closest(n int, lens []int32) int {
	best, diff := 0, -1
	for _, l := range lens {
		d := n - int(l)
		if d < 0 {
			d = -d
		}
		if diff < 0 || d < diff || d == diff && int(l) < best {
			best, diff = int(l), d
		}
	}
	return best
}

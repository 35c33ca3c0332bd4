package chrf

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the n-grams of every reference.
type prepared struct {
	s     *Scorer
	words vocab.Vocab   // every word of the references; empty for chrF
	refs  [][]reference // [segment][reference]
	pool  sync.Pool     // *scratch
	nodes int           // the most n-grams of one kind in a reference
}

// reference is one reference: its n-grams of characters, and of words.
type reference struct{ chars, words counts }

// counts holds the n-grams of one kind.
type counts struct {
	ngrams ngram.Trie
	count  []int32 // by node
	length int     // in characters, or words
}

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	chars []uint32
	words []uint32
	count []int32 // by node, all zero between uses
	used  []int32 // the nodes whose count is not zero
	row   []float64
}

// chars sets sc.chars to the characters of the line that count.
func (s *Scorer) chars(dst []uint32, line string) []uint32 {
	for i := 0; i < len(line); {
		r, symbol, w := vocab.Character(line[i:])
		if s.opt.Whitespace || !tokenize.IsSpace(r) {
			dst = append(dst, symbol)
		}
		i += w
	}
	return dst
}

// eachWord calls each for the words of chrF++: those between white space, of which
// a punctuation mark at the end, or else at the beginning, is split off. A word of
// one character is left alone.
func eachWord(line string, each func(word string)) {
	for len(line) > 0 {
		start := strings.IndexFunc(line, func(r rune) bool { return !tokenize.IsSpace(r) })
		if start < 0 {
			return
		}
		line = line[start:]
		end := strings.IndexFunc(line, tokenize.IsSpace)
		if end < 0 {
			end = len(line)
		}
		word := line[:end]
		line = line[end:]
		_, first := utf8.DecodeRuneInString(word)
		switch last := len(word) - 1; {
		case first == len(word):
			each(word)
		case isPunct(word[last]):
			each(word[:last])
			each(word[last:])
		case isPunct(word[0]):
			each(word[:1])
			each(word[1:])
		default:
			each(word)
		}
	}
}

// isPunct says whether a byte is an ASCII punctuation mark.
func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z')
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, refs: make([][]reference, len(refs))}
	for i := range refs {
		p.refs[i] = make([]reference, len(refs[i]))
	}
	// Words get their numbers in order; the rest can be done in parallel.
	var words [][][]uint32
	if s.opt.WordOrder > 0 {
		words = make([][][]uint32, len(refs))
		for i, texts := range refs {
			words[i] = make([][]uint32, len(texts))
			for r, text := range texts {
				eachWord(s.fold(text), func(w string) {
					words[i][r] = append(words[i][r], p.words.Add([]byte(w)))
				})
			}
		}
	}
	err := parallel.For(ctx, len(refs), s.opt.Workers, 64, func(lo, hi int) error {
		var chars []uint32
		for i := lo; i < hi; i++ {
			for r, text := range refs[i] {
				chars = s.chars(chars[:0], s.fold(text))
				p.refs[i][r].chars.set(chars, s.opt.CharOrder)
				if s.opt.WordOrder > 0 {
					p.refs[i][r].words.set(words[i][r], s.opt.WordOrder)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, texts := range p.refs {
		for r := range texts {
			p.nodes = max(p.nodes, len(texts[r].chars.count), len(texts[r].words.count))
		}
	}
	p.pool.New = func() any {
		return &scratch{count: make([]int32, p.nodes), row: make([]float64, 3*s.order)}
	}
	return p, nil
}

func (s *Scorer) fold(line string) string {
	if s.opt.Lowercase {
		return tokenize.Lower(line)
	}
	return line
}

func (c *counts) set(text []uint32, order int) {
	c.length = len(text)
	c.count = make([]int32, 1, len(text)*order+1)
	for i := range text {
		node := int32(0)
		for _, symbol := range text[i:min(len(text), i+order)] {
			node = c.ngrams.Add(node, symbol)
			if int(node) == len(c.count) {
				c.count = append(c.count, 0)
			}
			c.count[node]++
		}
	}
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), 3*p.s.order, p.s.opt.Workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	width := 3 * p.s.order
	for k := lo; k < hi; k++ {
		p.row(out[:width], sc, p.refs[rows.Segment(segs, k)], hyps[k])
		out = out[width:]
	}
	p.pool.Put(sc)
	return nil
}

// row fills in the row against the reference with the highest score, the first of
// several.
func (p *prepared) row(row []float64, sc *scratch, refs []reference, hyp string) {
	hyp = p.s.fold(hyp)
	sc.chars = p.s.chars(sc.chars[:0], hyp)
	if p.s.opt.WordOrder > 0 {
		sc.words = sc.words[:0]
		eachWord(hyp, func(w string) { sc.words = append(sc.words, p.words.Get([]byte(w))) })
	}
	chars := 3 * p.s.opt.CharOrder
	best := -1.0
	for r := range refs {
		sc.match(sc.row[:chars], &refs[r].chars, sc.chars)
		sc.match(sc.row[chars:], &refs[r].words, sc.words)
		if len(refs) == 1 {
			copy(row, sc.row)
			return
		}
		if score := p.s.Score(sc.row); score > best {
			best = score
			copy(row, sc.row)
		}
	}
}

// match fills in, for each order, the n-grams of text, those of ref, and the matches.
// An order of which ref has no n-gram counts none of text's.
func (sc *scratch) match(row []float64, ref *counts, text []uint32) {
	order := len(row) / 3
	for n := range order {
		row[3*n] = float64(max(0, len(text)-n))
		row[3*n+1] = float64(max(0, ref.length-n))
		row[3*n+2] = 0
		if row[3*n+1] == 0 {
			row[3*n] = 0
		}
	}
	sc.used = sc.used[:0]
	for i := range text {
		node := int32(0)
		for n, symbol := range text[i:min(len(text), i+order)] {
			if symbol == 0 { // a word that no reference has
				break
			}
			if node = ref.ngrams.Next(node, symbol); node == 0 {
				break
			}
			seen := sc.count[node]
			if seen == 0 {
				sc.used = append(sc.used, node)
			}
			if seen < ref.count[node] {
				row[3*n+2]++
			}
			sc.count[node] = seen + 1
		}
	}
	for _, node := range sc.used {
		sc.count[node] = 0
	}
}

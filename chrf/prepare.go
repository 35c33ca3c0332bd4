package chrf

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
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
}

// reference is one reference: its n-grams of characters, and of words.
type reference struct{ chars, words ngram.Sorted }

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	watch pace.Pace
	lower fold.Line
	chars []uint32
	words []uint32
	ngram.Sorter
	common []float64 // by order
	row    []float64

	// against a mean
	count []int32 // by node, all zero between uses
	used  []int32 // the nodes whose count is not zero
}

// interval is the number of bytes or symbols of a text between two looks at the context, and
// steps what one of them takes, by n-gram that begins there.
const interval, steps = 1 << 10, 32

// chars appends the characters of the line that count.
func (s *Scorer) chars(w *pace.Pace, dst []uint32, line string) ([]uint32, error) {
	for next := 0; next < len(line); {
		i := next
		for next = min(len(line), i+interval); i < next; {
			// Most characters of most texts are one byte.
			r, symbol, w := rune(line[i]), uint32(line[i])+1, 1
			if r >= utf8.RuneSelf {
				r, symbol, w = vocab.Character(line[i:])
			}
			if s.opt.Whitespace || !tokenize.IsSpace(r) {
				dst = append(dst, symbol)
			}
			i += w
		}
		next = i
		if err := w.Done(interval * steps); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// eachWord calls each for the words of chrF++: those between white space, of which
// a punctuation mark at the end, or else at the beginning, is split off. A word of
// one character is left alone.
func eachWord(w *pace.Pace, line string, each func(word string)) error {
	for n := 1; len(line) > 0; n++ {
		if n%interval == 0 {
			if err := w.Done(interval * 4 * steps); err != nil {
				return err
			}
		}
		start := strings.IndexFunc(line, func(r rune) bool { return !tokenize.IsSpace(r) })
		if start < 0 {
			return nil
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
	return nil
}

// isPunct says whether a byte is an ASCII punctuation mark.
func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && (c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z')
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	texts := slices.Concat(refs...)
	all := make([]reference, len(texts))
	p := &prepared{s: s, refs: make([][]reference, len(refs))}
	for i, rest := 0, all; i < len(refs); i++ {
		p.refs[i], rest = rest[:len(refs[i])], rest[len(refs[i]):]
	}
	// Words get their numbers in order; the rest can be done in parallel.
	words, ends, err := p.numbers(ctx, refs)
	if err != nil {
		return nil, err
	}
	err = parallel.For(ctx, len(texts), s.opt.Workers, 64, func(lo, hi int) (err error) {
		sc := scratchOf(ctx)
		for i := lo; i < hi; i++ {
			if sc.chars, err = s.chars(&sc.watch, sc.chars[:0], sc.fold(s, texts[i])); err != nil {
				return err
			}
			if all[i].chars, err = sc.Sort(&sc.watch, sc.chars, s.opt.CharOrder); err != nil {
				return err
			}
			if s.opt.WordOrder == 0 {
				continue
			}
			if all[i].words, err = sc.Sort(&sc.watch, words[ends[i]:ends[i+1]], s.opt.WordOrder); err != nil {
				return err
			}
		}
		sc.release()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// numbers returns the words of the references for chrF++, as numbers, one reference after
// another, and where each ends.
func (p *prepared) numbers(ctx context.Context, refs [][]string) (words []uint32, ends []int, err error) {
	o := &p.s.opt
	watch := pace.Of(ctx)
	if o.WordOrder > 0 {
		ends = append(ends, 0)
	}
	for i, texts := range refs {
		for r, text := range texts {
			if err := limit.Words(text, o.MaxTokens); err != nil {
				return nil, nil, limit.OfReference(i, r, err)
			}
			if o.WordOrder == 0 {
				continue
			}
			err := eachWord(&watch, p.s.fold(text), func(w string) { words = append(words, p.words.AddString(w)) })
			if err != nil {
				return nil, nil, err
			}
			ends = append(ends, len(words))
		}
	}
	return words, ends, nil
}

func (s *Scorer) fold(line string) string {
	if s.opt.Lowercase {
		return tokenize.Lower(line)
	}
	return line
}

// fold is Scorer.fold of a hypothesis, in memory of the scratch.
func (sc *scratch) fold(s *Scorer, line string) string {
	if s.opt.Lowercase {
		return sc.lower.Lower(line)
	}
	return line
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), 3*p.s.order, p.s.opt.Workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	return fill(ctx, p, 0, out, 3*p.s.order, segs, hyps, lo, hi)
}

// A rower fills in the row of a hypothesis of a segment.
type rower interface {
	row(row []float64, sc *scratch, segment int, hyp string) error
}

// scratches are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var scratches sync.Pool // *scratch

func scratchOf(ctx context.Context) *scratch {
	sc, _ := scratches.Get().(*scratch)
	if sc == nil {
		sc = new(scratch)
	}
	sc.watch = pace.Of(ctx)
	return sc
}

func (sc *scratch) release() {
	sc.watch = pace.Pace{}
	scratches.Put(sc)
}

// fill is Fill of rows.Filler, against means of so many nodes.
func fill(ctx context.Context, r rower, nodes int, out []float64, width int, segs []int, hyps []string, lo, hi int) error {
	sc := scratchOf(ctx)
	sc.row = slices.Grow(sc.row[:0], width)[:width]
	if len(sc.count) < nodes {
		sc.count = make([]int32, nodes)
	}
	for k := lo; k < hi; k++ {
		if err := r.row(out[:width], sc, rows.Segment(segs, k), hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err) // sc's counts may not be zero
		}
		out = out[width:]
	}
	sc.release()
	return nil
}

// row fills in the row against the reference with the highest score, the first of
// several.
func (p *prepared) row(row []float64, sc *scratch, segment int, hyp string) (err error) {
	refs := p.refs[segment]
	if err := limit.Words(hyp, p.s.opt.MaxTokens); err != nil {
		return err
	}
	hyp = sc.fold(p.s, hyp)
	if sc.chars, err = p.s.chars(&sc.watch, sc.chars[:0], hyp); err != nil {
		return err
	}
	if p.s.opt.WordOrder > 0 {
		sc.words = sc.words[:0]
		err := eachWord(&sc.watch, hyp, func(w string) { sc.words = append(sc.words, p.words.GetString(w)) })
		if err != nil {
			return err
		}
	}
	chars := 3 * p.s.opt.CharOrder
	best := -1.0
	for r := range refs {
		if err := sc.match(sc.row[:chars], &refs[r].chars, sc.chars); err != nil {
			return err
		}
		if err := sc.match(sc.row[chars:], &refs[r].words, sc.words); err != nil {
			return err
		}
		if len(refs) == 1 {
			copy(row, sc.row)
			return nil
		}
		if score := p.s.Score(sc.row); score > best {
			best = score
			copy(row, sc.row)
		}
	}
	return nil
}

// match fills in, for each order, the n-grams of text, those of ref, and the matches.
// An order of which ref has no n-gram counts none of text's.
func (sc *scratch) match(row []float64, ref *ngram.Sorted, text []uint32) error {
	order := len(row) / 3
	if order == 0 {
		return nil
	}
	sc.common = slices.Grow(sc.common[:0], order)[:order]
	if err := sc.Common(&sc.watch, ref, text, sc.common); err != nil {
		return err
	}
	for n := range order {
		row[3*n] = float64(max(0, len(text)-n))
		row[3*n+1] = float64(max(0, ref.Len()-n))
		row[3*n+2] = sc.common[n]
		if row[3*n+1] == 0 {
			row[3*n] = 0
		}
	}
	return nil
}

package overlap

import (
	"context"
	"fmt"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/editdist"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
)

// prepared holds the references as patterns of symbols: the numbers of words, from 1,
// or characters.
type prepared struct {
	split   *splitter
	words   vocab.Vocab
	refs    [][]editdist.Pattern // [segment][reference]
	width   int
	workers int
	fill    func(row []float64, p *editdist.Pattern, ids []uint32, sc *scratch)
	score   func(row []float64) float64
	lower   bool // the lowest score is the best
	pool    sync.Pool
}

func prepare(ctx context.Context, split *splitter, refs [][]string, width, workers int,
	fill func([]float64, *editdist.Pattern, []uint32, *scratch), score func([]float64) float64, lower bool) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{
		split: split, refs: make([][]editdist.Pattern, len(refs)),
		width: width, workers: workers, fill: fill, score: score, lower: lower,
	}
	p.pool.New = func() any { return new(scratch) }
	// Words get their numbers in order; the rest can be done in parallel.
	var ids []uint32 // of all references
	ends := []int{0} // where each begins and the last ends
	first := make([]int, len(refs))
	var sc scratch
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		first[i] = len(ends) - 1
		for _, text := range texts {
			if split.chars {
				ids = split.characters(ids, text)
			} else {
				split.tokens(&sc, text, func(token []byte) {
					ids = append(ids, p.words.Add(token))
				})
			}
			ends = append(ends, len(ids))
		}
	}
	patterns := make([]editdist.Pattern, len(ends)-1)
	err := parallel.For(ctx, len(refs), workers, 256, func(lo, hi int) error {
		var arena editdist.Arena
		for i := lo; i < hi; i++ {
			k, n := first[i], len(refs[i])
			for r := k; r < k+n; r++ {
				patterns[r] = arena.NewPattern(ids[ends[r]:ends[r+1]:ends[r+1]])
			}
			p.refs[i] = patterns[k : k+n : k+n]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), p.width, p.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	for k := lo; k < hi; k++ {
		p.symbols(sc, hyps[k])
		row := out[:p.width]
		out = out[p.width:]
		refs := p.refs[rows.Segment(segs, k)]
		p.fill(row, &refs[0], sc.ids, sc)
		for r := 1; r < len(refs); r++ {
			other := sc.row[:p.width]
			p.fill(other, &refs[r], sc.ids, sc)
			if a, b := p.score(other), p.score(row); p.lower && a < b || !p.lower && a > b {
				copy(row, other)
			}
		}
	}
	if !sc.align.Large() {
		p.pool.Put(sc)
	}
	return nil
}

// symbols sets sc.ids to a hypothesis's symbols. A word that no reference has is 0.
func (p *prepared) symbols(sc *scratch, hyp string) {
	sc.ids = sc.ids[:0]
	if p.split.chars {
		sc.ids = p.split.characters(sc.ids, hyp)
		return
	}
	p.split.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
}

// matcher matches equal words, the first in the hypothesis with the first in the
// reference and so on.
type matcher struct {
	split  *splitter
	tokens [][][]mteval.Token // [segment][reference][word]
}

// PrepareMatch splits the references into words. A word matches an equal one of the
// other side, with similarity 1, as often as it stands in both: the first one the
// first one, and so on.
func (s *FScorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := &matcher{&s.split, make([][][]mteval.Token, len(refs))}
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, text := range texts {
			m.tokens[i] = append(m.tokens[i], m.split.spans(nil, text))
		}
	}
	return m, ctx.Err()
}

// Len is the number of segments.
func (m *matcher) Len() int { return len(m.tokens) }

// RefTokens returns the words of each reference of a segment.
func (m *matcher) RefTokens(segment int) [][]mteval.Token { return m.tokens[segment] }

// Match matches hypotheses.
func (m *matcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.tokens), segs, hyps); err != nil {
		return err
	}
	if len(out) != len(hyps) {
		return fmt.Errorf("overlap: %d hypotheses with room for %d matchings", len(hyps), len(out))
	}
	next := make(map[string][]int32) // where a word of the reference stands, the unused places
	for k, hyp := range hyps {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		refs := m.tokens[rows.Segment(segs, k)]
		o := &out[k]
		o.Tokens = m.split.spans(o.Tokens[:0], hyp)
		o.Pairings = append(o.Pairings[:0], make([]mteval.Pairing, len(refs))...)
		for r, tokens := range refs {
			pair := &o.Pairings[r]
			pair.Hyp, pair.Ref = make([]mteval.Link, len(o.Tokens)), make([]mteval.Link, len(tokens))
			clear(next)
			for j, t := range tokens {
				pair.Ref[j].To = -1
				next[t.Text] = append(next[t.Text], int32(j))
			}
			for i, t := range o.Tokens {
				pair.Hyp[i].To = -1
				if at := next[t.Text]; len(at) > 0 {
					next[t.Text] = at[1:]
					pair.Hyp[i] = mteval.Link{To: at[0], Sim: 1}
					pair.Ref[at[0]] = mteval.Link{To: int32(i), Sim: 1}
				}
			}
		}
	}
	return nil
}

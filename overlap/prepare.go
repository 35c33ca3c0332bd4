package overlap

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/editdist"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
)

// A fillFunc fills in the row of a hypothesis against a reference.
type fillFunc func(row []float64, p *editdist.Pattern, ids []uint32, sc *scratch) error

// prepared holds the references as patterns of symbols: the numbers of words, from 1,
// or characters.
type prepared struct {
	split   *splitter
	words   vocab.Vocab
	refs    [][]editdist.Pattern // [segment][reference]
	width   int
	workers int
	fill    fillFunc
	score   func(row []float64) float64
	lower   bool // the lowest score is the best
}

// scratches are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func prepare(ctx context.Context, split *splitter, refs [][]string, width, workers int,
	fill fillFunc, score func([]float64) float64, lower bool) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{
		split: split, refs: make([][]editdist.Pattern, len(refs)),
		width: width, workers: workers, fill: fill, score: score, lower: lower,
	}
	// Words get their numbers in order; the rest can be done in parallel.
	ids, ends, err := p.numbers(ctx, refs)
	if err != nil {
		return nil, err
	}
	patterns := make([]editdist.Pattern, len(ends)-1)
	first := 0 // of the segment's references
	for i, texts := range refs {
		p.refs[i] = patterns[first : first+len(texts) : first+len(texts)]
		first += len(texts)
	}
	err = parallel.For(ctx, len(patterns), workers, 256, func(lo, hi int) error {
		var arena editdist.Arena
		for r := lo; r < hi; r++ {
			patterns[r] = arena.NewPattern(ids[ends[r]:ends[r+1]:ends[r+1]])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// numbers returns the symbols of all references, and where each begins and the last ends.
func (p *prepared) numbers(ctx context.Context, refs [][]string) (ids []uint32, ends []int, err error) {
	ends = append(ends, 0)
	sc := scratch{watch: pace.Of(ctx)}
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for r, text := range texts {
			if p.split.chars {
				ids, err = p.split.characters(&sc, ids, text)
			} else {
				err = p.split.tokens(&sc, text, func(token []byte) {
					ids = append(ids, p.words.Add(token))
				})
			}
			if err != nil {
				return nil, nil, limit.OfReference(i, r, err)
			}
			ends = append(ends, len(ids))
		}
	}
	return ids, ends, nil
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), p.width, p.workers, 64, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := scratches.Get().(*scratch)
	sc.watch = pace.Of(ctx)
	for k := lo; k < hi; k++ {
		if err := p.symbols(sc, hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		row := out[:p.width]
		out = out[p.width:]
		refs := p.refs[rows.Segment(segs, k)]
		if err := p.fill(row, &refs[0], sc.ids, sc); err != nil {
			return err
		}
		for r := 1; r < len(refs); r++ {
			other := sc.row[:p.width]
			if err := p.fill(other, &refs[r], sc.ids, sc); err != nil {
				return err
			}
			if a, b := p.score(other), p.score(row); p.lower && a < b || !p.lower && a > b {
				copy(row, other)
			}
		}
	}
	if !sc.align.Large() {
		sc.watch = pace.Pace{}
		scratches.Put(sc)
	}
	return nil
}

// symbols sets sc.ids to a hypothesis's symbols. A word that no reference has is 0.
func (p *prepared) symbols(sc *scratch, hyp string) (err error) {
	sc.ids = sc.ids[:0]
	if p.split.chars {
		sc.ids, err = p.split.characters(sc, sc.ids, hyp)
		return err
	}
	return p.split.tokens(sc, hyp, func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
}

package ter

import (
	"context"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the references as numbers of words.
type prepared struct {
	s     *Scorer
	words vocab.Vocab  // every word of the references
	refs  [][][]uint32 // [segment][reference][word]
}

// scratches are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

type scratch struct {
	watch pace.Pace
	text  []byte
	ids   []uint32
	search
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, refs: make([][][]uint32, len(refs))}
	sc := scratch{watch: pace.Of(ctx)}
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r, text := range texts {
			var ids []uint32
			err := s.tokens(&sc, s.reference(text), func(token []byte) {
				ids = append(ids, p.words.Add(token))
			})
			if err != nil {
				return nil, limit.OfReference(i, r, err)
			}
			p.refs[i] = append(p.refs[i], ids)
		}
	}
	return p, ctx.Err()
}

// reference is what tokens takes for a reference: sacreBLEU tokenizes references twice, which
// makes a difference to stops in a row before a digit, such as "..5".
func (s *Scorer) reference(line string) string {
	if !s.opt.Normalized {
		return line
	}
	return string(s.tok.Append(nil, tokenize.TrimRight(line)))
}

// tokens calls each for the words of a line.
func (s *Scorer) tokens(sc *scratch, line string, each func(token []byte)) (err error) {
	sc.text, err = limit.Each(&sc.watch, s.opt.MaxTokens, sc.text, s.tok, tokenize.TrimRight(line), each)
	return err
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), width, p.s.opt.Workers, 4, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := scratches.Get().(*scratch)
	sc.watch = pace.Of(ctx)
	for k := lo; k < hi; k++ {
		sc.ids = sc.ids[:0]
		// A word that no reference has is 0, which equals no word of theirs.
		err := p.s.tokens(sc, hyps[k], func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
		if err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		refs := p.refs[rows.Segment(segs, k)]
		best, limited := -1, false
		length := 0
		for _, ref := range refs {
			edits := 0
			if !slices.Equal(sc.ids, ref) {
				if edits, err = sc.edits(&sc.watch, sc.ids, ref); err != nil {
					return err
				}
				limited = limited || sc.limited
			}
			length += len(ref)
			if best < 0 || edits < best {
				best = edits
			}
		}
		out[0], out[1] = float64(best), float64(length)/float64(len(refs))
		if limited {
			out[2] = 1
		}
		out = out[width:]
	}
	if !sc.large() {
		sc.watch = pace.Pace{}
		scratches.Put(sc)
	}
	return nil
}

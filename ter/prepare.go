package ter

import (
	"context"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// prepared holds the references as numbers of words.
type prepared struct {
	s     *Scorer
	words vocab.Vocab  // every word of the references
	refs  [][][]uint32 // [segment][reference][word]
	pool  sync.Pool    // *scratch
}

type scratch struct {
	text []byte
	ids  []uint32
	search
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &prepared{s: s, refs: make([][][]uint32, len(refs))}
	p.pool.New = func() any { return new(scratch) }
	var sc scratch
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, text := range texts {
			if s.opt.Normalized {
				// sacreBLEU tokenizes references twice, which makes a difference
				// to stops in a row before a digit, such as "..5".
				text = string(s.tok.Append(nil, tokenize.TrimRight(text)))
			}
			var ids []uint32
			s.tokens(&sc, text, func(token []byte) {
				ids = append(ids, p.words.Add(token))
			})
			p.refs[i] = append(p.refs[i], ids)
		}
	}
	return p, ctx.Err()
}

// tokens calls each for the words of a line.
func (s *Scorer) tokens(sc *scratch, line string, each func(token []byte)) {
	sc.text = tokenize.Each(sc.text, s.tok, tokenize.TrimRight(line), each)
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), width, p.s.opt.Workers, 4, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.pool.Get().(*scratch)
	for k := lo; k < hi; k++ {
		sc.ids = sc.ids[:0]
		// A word that no reference has is 0, which equals no word of theirs.
		p.s.tokens(sc, hyps[k], func(token []byte) { sc.ids = append(sc.ids, p.words.Get(token)) })
		refs := p.refs[rows.Segment(segs, k)]
		best, limited := -1, false
		length := 0
		for _, ref := range refs {
			edits := sc.edits(sc.ids, ref)
			limited = limited || sc.limited
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
	p.pool.Put(sc)
	return nil
}

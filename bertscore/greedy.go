package bertscore

import (
	"context"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/simd"
)

// The similarities of two sides are computed in blocks, of which a pair of sentences is
// one: their number goes with the product of the lengths, and so would the memory.
const (
	blockCols = 1 << 10 // tokens of the reference
	blockSims = 1 << 18 // similarities: 1 MiB
	blockWork = 1 << 26 // products in them, after which ctx is looked at: some milliseconds
)

// scratch is what one goroutine needs to match two sides.
type scratch struct {
	sims []float32 // of a block, [hypothesis][reference]
	most []float32 // by token of the reference
	at   []int32

	// The similarities to the tokens that are linked to, where there are several blocks.
	hyp, ref []float32

	// Of long texts: their tokens with each vector once, the links of those, and those of the
	// hypothesis that greedyEqual searches for.
	hypOnce, refOnce distinctSide
	some             mteval.Pairing
	search           []int32
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// keptVectors is of how many numbers of vectors that are there once the memory is kept: 16 MiB.
const keptVectors = 1 << 22

// keep puts sc back, but for what only very long texts need.
func (sc *scratch) keep() {
	if cap(sc.hyp)+cap(sc.ref) > blockSims {
		sc.hyp, sc.ref = nil, nil
	}
	for _, d := range []*distinctSide{&sc.hypOnce, &sc.refOnce} {
		if clear(d.tokens); cap(d.of) > blockSims || cap(d.vectors) > keptVectors {
			*d = distinctSide{}
		}
	}
	if cap(sc.some.Hyp)+cap(sc.some.Ref) > blockSims {
		sc.some = mteval.Pairing{}
	}
	scratchPool.Put(sc)
}

// greedy sets p to the best matches between two sides. Of several as good, the
// first is taken.
func (sc *scratch) greedy(ctx context.Context, p *mteval.Pairing, hyp, ref side, dim int) error {
	if nh, nr := len(hyp.tokens), len(ref.tokens); nh > blockSims/max(1, nr) {
		p.Hyp, p.Ref = links(p.Hyp, nh), links(p.Ref, nr)
		if same, err := hyp.equal(ctx, &ref, dim); err != nil {
			return err
		} else if same {
			return sc.greedyEqual(ctx, p, hyp, dim)
		}
		if done, err := sc.greedyDistinct(ctx, p, hyp, ref, dim); done || err != nil {
			return err
		}
	}
	return sc.greedyBlocks(ctx, p, hyp, ref, dim)
}

// greedyBlocks is greedy, whatever it takes.
func (sc *scratch) greedyBlocks(ctx context.Context, p *mteval.Pairing, hyp, ref side, dim int) error {
	nh, nr := len(hyp.tokens), len(ref.tokens)
	p.Hyp, p.Ref = links(p.Hyp, nh), links(p.Ref, nr)
	if nh == 0 || nr == 0 {
		return nil
	}
	cols := min(nr, blockCols)
	rows := min(nh, blockSims/cols, max(8, blockWork/(cols*dim)))
	sc.sims = slices.Grow(sc.sims[:0], rows*cols)
	sc.most, sc.at = slices.Grow(sc.most[:0], cols), slices.Grow(sc.at[:0], cols)
	if rows < nh || cols < nr {
		sc.hyp, sc.ref = slices.Grow(sc.hyp[:0], nh)[:nh], slices.Grow(sc.ref[:0], nr)[:nr]
	} else {
		sc.hyp, sc.ref = sc.hyp[:0], sc.ref[:0]
	}
	for i := 0; i < nh; i += rows {
		for j := 0; j < nr; j += cols {
			if err := ctx.Err(); err != nil {
				return err
			}
			sc.block(p, hyp, ref, dim, i, min(nh, i+rows), j, min(nr, j+cols))
		}
	}
	clamp(p.Hyp)
	clamp(p.Ref)
	return nil
}

// block puts the matches between tokens i0 to i1 of the hypothesis and j0 to j1 of the
// reference in p, beside what those before them gave.
func (sc *scratch) block(p *mteval.Pairing, hyp, ref side, dim, i0, i1, j0, j1 int) {
	rows, cols := i1-i0, j1-j0
	sims, most, at := sc.sims[:rows*cols], sc.most[:cols], sc.at[:cols]
	simd.Dots(sims, hyp.vectors[i0*dim:i1*dim], ref.vectors[j0*dim:j1*dim], rows, cols, dim)
	hypTokens, refTokens := hyp.tokens[i0:i1], ref.tokens[j0:j1]
	for i := range rows {
		row := sims[i*cols : (i+1)*cols]
		m, a := simd.MaxRow(row)
		l, kept := link(m, a, row, 1, refTokens)
		put(p.Hyp, sc.hyp, i0+i, l, kept, j0)
	}
	simd.MaxCols(most, at, sims, rows)
	for j := range cols {
		l, kept := link(most[j], int(at[j]), sims[j:], cols, hypTokens)
		put(p.Ref, sc.ref, j0+j, l, kept, i0)
	}
}

// put sets links[i] to the better of what it is and a link l of a block whose tokens, on
// the other side, start at from. Kept is the similarity to the token that is linked to,
// and has no place where there is but one block.
func put(links []mteval.Link, keptBy []float32, i int, l mteval.Link, kept float32, from int) {
	if from == 0 {
		links[i] = l
		if len(keptBy) > 0 {
			keptBy[i] = kept
		}
		return
	}
	if l.Sim > links[i].Sim {
		links[i].Sim = l.Sim
	}
	if l.To >= 0 && (links[i].To < 0 || kept > keptBy[i]) {
		links[i].To, keptBy[i] = l.To+int32(from), kept
	}
}

// link returns the link to the tokens of the other side, the similarities of which
// stand stride apart, the largest being that to token at, and the similarity to the token
// that is linked to.
func link(most float32, at int, sims []float32, stride int, tokens []mteval.Token) (mteval.Link, float32) {
	if tokens[at].Weight == 0 {
		return best(sims, stride, tokens)
	}
	return mteval.Link{To: int32(at), Sim: most}, most
}

// best is link where the most similar token weighs nothing.
func best(sims []float32, stride int, tokens []mteval.Token) (mteval.Link, float32) {
	link := mteval.Link{To: -1, Sim: sims[0]}
	var kept float32 // the similarity to tokens[link.To]
	for j := range tokens {
		s := sims[j*stride]
		if s > link.Sim {
			link.Sim = s
		}
		if (link.To < 0 || s > kept) && tokens[j].Weight != 0 {
			link.To, kept = int32(j), s
		}
	}
	return link, kept
}

// clamp puts similarities in −1 to 1: rounding can put a cosine a little outside.
func clamp(links []mteval.Link) {
	for i := range links {
		links[i].Sim = min(1, max(-1, links[i].Sim))
	}
}

// links returns a slice of n links, in s's memory if it is large enough. Their
// values are for the caller to set, but for an empty other side.
func links(s []mteval.Link, n int) []mteval.Link {
	if cap(s) < n {
		s = make([]mteval.Link, n)
	}
	s = s[:n]
	for i := range s {
		s[i] = mteval.Link{To: -1}
	}
	return s
}

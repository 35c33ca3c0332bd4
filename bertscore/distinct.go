package bertscore

import (
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// A distinctSide is a side of which tokens with equal vectors are one: the first of them.
// Long texts that say the same again and again are matched by it in a time that goes with
// what is different in them.
type distinctSide struct {
	side
	first []int32 // its tokens' places in the whole side
	of    []int32 // by token of the whole side, which of these it is
}

// distinct returns the side with each vector once, or, where most are different, nil.
// Tokens that weigh nothing are other than those that do.
func distinct(ctx context.Context, s side, dim int) (*distinctSide, error) {
	n := len(s.tokens)
	d := &distinctSide{of: make([]int32, n)}
	vector := func(i int32) []float32 { return s.vectors[int(i)*dim : (int(i)+1)*dim] }
	look := func(i int) error { // at ctx, now and then
		if i*dim%(1<<20) < dim {
			return ctx.Err()
		}
		return nil
	}
	known := make(map[uint64]int32) // by hash
	for i := range int32(n) {
		if err := look(int(i)); err != nil {
			return nil, err
		}
		light := s.tokens[i].Weight == 0
		k := hash(vector(i), light)
		at, ok := known[k]
		if ok {
			j := d.first[at]
			// Those of which only the hashes are equal count as different, which is
			// right if not the fastest.
			ok = light == (s.tokens[j].Weight == 0) && slices.EqualFunc(vector(i), vector(j), func(x, y float32) bool {
				return math.Float32bits(x) == math.Float32bits(y)
			})
		}
		if !ok {
			if len(d.first) == n/2 {
				return nil, nil
			}
			at = int32(len(d.first))
			known[k] = at
			d.first = append(d.first, i)
		}
		d.of[i] = at
	}
	d.tokens = make([]mteval.Token, 0, len(d.first))
	d.vectors = make([]float32, 0, len(d.first)*dim)
	for k, i := range d.first {
		if err := look(k); err != nil {
			return nil, err
		}
		d.tokens = append(d.tokens, s.tokens[i])
		d.vectors = append(d.vectors, vector(i)...)
	}
	return d, nil
}

// hash is FNV-1a over the numbers, in 64 bits.
func hash(v []float32, light bool) uint64 {
	h := uint64(0xcbf29ce484222325)
	if light {
		h++
	}
	for _, x := range v {
		h = (h ^ uint64(math.Float32bits(x))) * 0x100000001b3
	}
	return h
}

// greedyDistinct is greedy for sides of which one at least has equal vectors; it says
// whether that is so. The first of equal ones comes before others in both, so that links
// go to the same tokens.
func (sc *scratch) greedyDistinct(ctx context.Context, p *mteval.Pairing, hyp, ref side, dim int) (bool, error) {
	h, err := distinct(ctx, hyp, dim)
	if err != nil {
		return false, err
	}
	r, err := distinct(ctx, ref, dim)
	if err != nil || h == nil && r == nil {
		return false, err
	}
	if h != nil {
		hyp = h.side
	}
	if r != nil {
		ref = r.side
	}
	var q mteval.Pairing
	if err := sc.greedyBlocks(ctx, &q, hyp, ref, dim); err != nil {
		return true, err
	}
	spread(p.Hyp, q.Hyp, h, r)
	spread(p.Ref, q.Ref, r, h)
	return true, nil
}

// spread sets the links of all tokens to those of the different ones. A side that is nil
// has all tokens.
func spread(all, links []mteval.Link, from, to *distinctSide) {
	for i := range all {
		at := i
		if from != nil {
			at = int(from.of[i])
		}
		l := links[at]
		if to != nil && l.To >= 0 {
			l.To = to.first[l.To]
		}
		all[i] = l
	}
}

package bertscore

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/simd"
)

// A distinctSide is a side of which tokens with equal vectors are one: the first of them.
// Long texts that say the same again and again are matched by it in a time that goes with
// what is different in them. Its memory is used again.
type distinctSide struct {
	side
	first []int32 // its tokens' places in the whole side
	of    []int32 // by token of the whole side, which of these it is

	hashes []uint64 // of these
	slots  []int32  // by hash, which of these it is, counted from 1; 0: free
}

// pick sets the side to these tokens of s.
func (d *side) pick(ctx context.Context, s *side, tokens []int32, dim int) error {
	d.tokens = slices.Grow(d.tokens[:0], len(tokens))
	d.vectors = slices.Grow(d.vectors[:0], len(tokens)*dim)
	for k, i := range tokens {
		if err := look(ctx, k, dim); err != nil {
			return err
		}
		d.tokens = append(d.tokens, s.tokens[i])
		d.vectors = append(d.vectors, s.vectors[int(i)*dim:(int(i)+1)*dim]...)
	}
	return nil
}

// look looks at ctx before every so many numbers of vectors, of which i were worked on.
func look(ctx context.Context, i, dim int) error {
	if i*dim%(1<<20) < dim {
		return ctx.Err()
	}
	return nil
}

// find finds the tokens that are different, and says whether they are no more than most.
// Tokens that weigh nothing are other than those that do.
func (d *distinctSide) find(ctx context.Context, s *side, dim, most int) (bool, error) {
	n := len(s.tokens)
	d.first, d.hashes, d.of = d.first[:0], d.hashes[:0], slices.Grow(d.of[:0], n)[:n]
	size := 1 << bits.Len(uint(2*min(n, most))) // at most half of them are taken
	d.slots = slices.Grow(d.slots[:0], size)[:size]
	clear(d.slots)
	for i := range int32(n) {
		if err := look(ctx, int(i), dim); err != nil {
			return false, err
		}
		h := s.hash(i, dim)
		slot := int(h^h>>32) & (size - 1)
		for at := d.slots[slot]; at > 0; at = d.slots[slot] {
			if d.hashes[at-1] == h && s.same(i, d.first[at-1], dim) {
				break
			}
			slot = (slot + 1) & (size - 1)
		}
		if d.slots[slot] == 0 {
			if len(d.first) == most {
				return false, nil
			}
			d.first, d.hashes = append(d.first, i), append(d.hashes, h)
			d.slots[slot] = int32(len(d.first))
		}
		d.of[i] = d.slots[slot] - 1
	}
	return true, nil
}

// same says whether two tokens have one vector, and both weigh something or nothing.
func (s *side) same(i, j int32, dim int) bool {
	if (s.tokens[i].Weight == 0) != (s.tokens[j].Weight == 0) {
		return false
	}
	return slices.EqualFunc(s.vector(i, dim), s.vector(j, dim), func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

func (s *side) vector(i int32, dim int) []float32 {
	return s.vectors[int(i)*dim : (int(i)+1)*dim]
}

// hash is FNV-1a over a token's numbers, in 64 bits.
func (s *side) hash(i int32, dim int) uint64 {
	h := uint64(0xcbf29ce484222325)
	if s.tokens[i].Weight == 0 {
		h++
	}
	for _, x := range s.vector(i, dim) {
		h = (h ^ uint64(math.Float32bits(x))) * 0x100000001b3
	}
	return h
}

// distinct sets d to the side with each vector once, or returns nil where more than half of
// its tokens are different.
func distinct(ctx context.Context, d *distinctSide, s *side, dim int) (*distinctSide, error) {
	if few, err := d.find(ctx, s, dim, len(s.tokens)/2); !few || err != nil {
		return nil, err
	}
	return d, d.pick(ctx, s, d.first, dim)
}

// greedyDistinct is greedy for sides of which one at least has equal vectors; it says
// whether that is so. The first of equal ones comes before others in both, so that links
// go to the same tokens.
func (sc *scratch) greedyDistinct(ctx context.Context, p *mteval.Pairing, hyp, ref side, dim int) (bool, error) {
	h, err := distinct(ctx, &sc.hypOnce, &hyp, dim)
	if err != nil {
		return false, err
	}
	r, err := distinct(ctx, &sc.refOnce, &ref, dim)
	if err != nil || h == nil && r == nil {
		return false, err
	}
	if h != nil {
		hyp = h.side
	}
	if r != nil {
		ref = r.side
	}
	q := &sc.some
	if err := sc.greedyBlocks(ctx, q, hyp, ref, dim); err != nil {
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

// equal says whether two sides have the same vectors and weights.
func (s *side) equal(ctx context.Context, t *side, dim int) (bool, error) {
	if len(s.tokens) != len(t.tokens) {
		return false, nil
	}
	for i := range s.tokens {
		if err := look(ctx, i, dim); err != nil {
			return false, err
		}
		if s.tokens[i].Weight != t.tokens[i].Weight || !slices.Equal(s.vectors[i*dim:(i+1)*dim], t.vectors[i*dim:(i+1)*dim]) {
			return false, nil
		}
	}
	return true, nil
}

// greedyEqual is greedy for two sides that are equal, in a time that goes with their length:
// a token matches itself best, or the first of those with the same vector. It searches only
// for tokens that weigh nothing, and so match another, or have a vector of zeros, like none.
// Of both there are few.
func (sc *scratch) greedyEqual(ctx context.Context, p *mteval.Pairing, s side, dim int) error {
	d := &sc.hypOnce
	if _, err := d.find(ctx, &s, dim, len(s.tokens)); err != nil {
		return err
	}
	self := func(i int32) float32 {
		v := s.vector(i, dim)
		return simd.Dot(v, v)
	}
	search := sc.search[:0]
	for k, i := range d.first {
		if err := look(ctx, k, dim); err != nil {
			return err
		}
		if s.tokens[i].Weight == 0 || self(i) == 0 {
			search = append(search, i)
		}
	}
	sc.search = search
	q := &sc.some
	if len(search) > 0 {
		if err := d.pick(ctx, &s, search, dim); err != nil {
			return err
		}
		if err := sc.greedyBlocks(ctx, q, d.side, s, dim); err != nil {
			return err
		}
	}
	for i := range s.tokens {
		if err := look(ctx, i, dim); err != nil {
			return err
		}
		first := d.first[d.of[i]]
		if k, ok := slices.BinarySearch(search, first); ok {
			p.Hyp[i] = q.Hyp[k]
		} else {
			p.Hyp[i] = mteval.Link{To: first, Sim: self(first)}
		}
	}
	clamp(p.Hyp)
	copy(p.Ref, p.Hyp)
	return nil
}

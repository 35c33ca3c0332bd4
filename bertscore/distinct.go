package bertscore

import (
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/simd"
)

// A distinctSide is a side of which tokens with equal vectors are one: the first of them.
// Long texts that say the same again and again are matched by it in a time that goes with
// what is different in them.
type distinctSide struct {
	side
	first []int32 // its tokens' places in the whole side
	of    []int32 // by token of the whole side, which of these it is
}

// distinct returns the side with each vector once, or, where more than most are different,
// nil. Tokens that weigh nothing are other than those that do.
func distinct(ctx context.Context, s side, dim, most int) (*distinctSide, error) {
	d, err := findDistinct(ctx, s, dim, most)
	if d == nil || err != nil {
		return nil, err
	}
	if d.side, err = s.pick(ctx, d.first, dim); err != nil {
		return nil, err
	}
	return d, nil
}

// pick returns the side of these tokens.
func (s *side) pick(ctx context.Context, tokens []int32, dim int) (side, error) {
	out := side{make([]mteval.Token, 0, len(tokens)), make([]float32, 0, len(tokens)*dim)}
	for k, i := range tokens {
		if err := look(ctx, k, dim); err != nil {
			return side{}, err
		}
		out.tokens = append(out.tokens, s.tokens[i])
		out.vectors = append(out.vectors, s.vectors[int(i)*dim:(int(i)+1)*dim]...)
	}
	return out, nil
}

// look looks at ctx before every so many numbers of vectors, of which i were worked on.
func look(ctx context.Context, i, dim int) error {
	if i*dim%(1<<20) < dim {
		return ctx.Err()
	}
	return nil
}

// findDistinct is distinct without the side itself.
func findDistinct(ctx context.Context, s side, dim, most int) (*distinctSide, error) {
	n := len(s.tokens)
	d := &distinctSide{of: make([]int32, n)}
	vector := func(i int32) []float32 { return s.vectors[int(i)*dim : (int(i)+1)*dim] }
	known := make(map[uint64]int32) // by hash
	for i := range int32(n) {
		if err := look(ctx, int(i), dim); err != nil {
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
			if len(d.first) == most {
				return nil, nil
			}
			at = int32(len(d.first))
			known[k] = at
			d.first = append(d.first, i)
		}
		d.of[i] = at
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
	h, err := distinct(ctx, hyp, dim, len(hyp.tokens)/2)
	if err != nil {
		return false, err
	}
	r, err := distinct(ctx, ref, dim, len(ref.tokens)/2)
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
	d, err := findDistinct(ctx, s, dim, len(s.tokens))
	if err != nil {
		return err
	}
	self := func(i int32) float32 {
		v := s.vectors[int(i)*dim : (int(i)+1)*dim]
		return simd.Dot(v, v)
	}
	var search []int32
	for k, i := range d.first {
		if err := look(ctx, k, dim); err != nil {
			return err
		}
		if s.tokens[i].Weight == 0 || self(i) == 0 {
			search = append(search, i)
		}
	}
	var q mteval.Pairing
	if len(search) > 0 {
		these, err := s.pick(ctx, search, dim)
		if err != nil {
			return err
		}
		if err := sc.greedyBlocks(ctx, &q, these, s, dim); err != nil {
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

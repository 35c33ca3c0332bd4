package comet

import (
	"cmp"
	"context"
	"slices"
)

// row is what the features of a score are made of; ref nil: the model reads none.
type row struct{ hyp, ref, source []float32 }

// features sets x to those of the model's class, in the program's order.
func (r *row) features(x []float32) {
	n := len(r.hyp)
	copy(x, r.hyp)
	if r.ref == nil {
		copy(x[n:], r.source)
		compare(x[2*n:], r.hyp, r.source)
		return
	}
	copy(x[n:], r.ref)
	compare(x[2*n:], r.hyp, r.ref)
	compare(x[4*n:], r.hyp, r.source)
}

// compare sets x to the products and to the differences, without sign, of two vectors.
func compare(x, a, b []float32) {
	n := len(a)
	for i, v := range a {
		x[i] = v * b[i]
		x[n+i] = max(v-b[i], b[i]-v)
	}
}

// regress sets the scores of a call's tasks: regression models, with references and without.
func (c *call) regress(ctx context.Context) error {
	c.order = c.order[:0]
	for i := range c.tasks {
		c.order = append(c.order, i)
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(c.tasks[a].text, c.tasks[b].text) })
	c.scores, _ = extend(c.scores[:0], len(c.tasks))
	order := c.order
	for lo := 0; lo < len(c.texts.list); lo += blockTexts {
		hi := min(len(c.texts.list), lo+blockTexts)
		if err := c.embed(ctx, lo, hi); err != nil {
			return err
		}
		n := 0
		for n < len(order) && c.tasks[order[n]].text < hi {
			n++
		}
		if err := c.heads(ctx, lo, order[:n]); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// block is some of a call's texts.
type block struct {
	fresh   texts // those that are no source or reference too
	at      []int // by text, its place among these, or, as -1-k, among the fresh ones
	vectors [][]float32
}

func (b *block) reset() {
	b.fresh.reset()
	clear(b.vectors)
	b.at, b.vectors = b.at[:0], b.vectors[:0]
}

// embed sets the block to texts lo to hi. A text that is a source or reference too has its
// vector.
func (c *call) embed(ctx context.Context, lo, hi int) error {
	p, b := c.p, &c.block
	b.reset()
	for i := lo; i < hi; i++ {
		text := c.texts.list[i]
		k, ok := p.texts.index[text]
		if !ok {
			b.at = append(b.at, -1-b.fresh.add(text, c.texts.first[i]))
			continue
		}
		if p.encoded.cut[k] {
			if err := c.s.cutText(text, &c.texts.first[i], c.s.longest); err != nil {
				return err
			}
		}
		b.at = append(b.at, k)
	}
	c.hyps.reset()
	if err := c.s.encode(ctx, &c.hyps, &b.fresh, 0, len(b.fresh.list)); err != nil {
		return err
	}
	for _, k := range b.at {
		v := &p.encoded
		if k < 0 {
			v, k = &c.hyps, -1-k
		}
		b.vectors = append(b.vectors, v.vector(k))
	}
	return nil
}

// heads sets the scores of some tasks, whose texts are in the block, which begins with text lo.
func (c *call) heads(ctx context.Context, lo int, which []int) error {
	p := c.p
	c.rows = c.rows[:0]
	for _, i := range which {
		t := c.tasks[i]
		g := &p.segments[t.segment]
		r := row{hyp: c.block.vectors[t.text-lo], source: p.encoded.vector(g.source)}
		if c.s.set.class == referenceless {
			c.rows = append(c.rows, r)
			continue
		}
		for _, ref := range g.refs {
			r.ref = p.encoded.vector(ref)
			c.rows = append(c.rows, r)
		}
	}
	scores, err := c.head.run(ctx, len(c.rows), c.s.o.Workers)
	if err != nil {
		return err
	}
	for _, i := range which {
		n := 1
		if c.s.set.class == regression {
			n = len(p.segments[c.tasks[i].segment].refs)
		}
		sum := 0.0
		for _, x := range scores[:n] {
			sum += x
		}
		c.scores[i] = sum / float64(n)
		scores = scores[n:]
	}
	return nil
}

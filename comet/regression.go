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

// regress returns the scores of a call's tasks: regression models, with references and
// without.
func (p *prepared) regress(ctx context.Context, c *call) ([]float64, error) {
	order := make([]int, len(c.tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.tasks[a].text, c.tasks[b].text) })
	out := make([]float64, len(c.tasks))
	for lo := 0; lo < len(c.texts.list); lo += blockTexts {
		hi := min(len(c.texts.list), lo+blockTexts)
		vectors, err := p.hypotheses(ctx, &c.texts, lo, hi)
		if err != nil {
			return nil, err
		}
		n := 0
		for n < len(order) && c.tasks[order[n]].text < hi {
			n++
		}
		if err := p.heads(ctx, out, c.tasks, order[:n], func(text int) []float32 { return vectors[text-lo] }); err != nil {
			return nil, err
		}
		order = order[n:]
	}
	return out, nil
}

// hypotheses returns the vectors of texts lo to hi. A text that is a source or reference too
// has its vector.
func (p *prepared) hypotheses(ctx context.Context, t *texts, lo, hi int) ([][]float32, error) {
	var fresh texts
	at := make([]int, hi-lo)
	for i := lo; i < hi; i++ {
		text := t.list[i]
		k, ok := p.texts.index[text]
		if !ok {
			at[i-lo] = -1 - fresh.add(text, t.first[i])
			continue
		}
		if p.encoded.cut[k] {
			if err := p.s.cutText(text, t.first[i], p.s.longest); err != nil {
				return nil, err
			}
		}
		at[i-lo] = k
	}
	var e encoded
	if err := p.s.encode(ctx, &e, &fresh, 0, len(fresh.list)); err != nil {
		return nil, err
	}
	out := make([][]float32, len(at))
	for i, k := range at {
		if k < 0 {
			out[i] = e.vector(-1 - k)
		} else {
			out[i] = p.encoded.vector(k)
		}
	}
	return out, nil
}

// heads sets the scores of some tasks.
func (p *prepared) heads(ctx context.Context, out []float64, tasks []task, which []int, hyp func(text int) []float32) error {
	var rows []row
	for _, i := range which {
		t := tasks[i]
		g := &p.segments[t.segment]
		r := row{hyp: hyp(t.text), source: p.encoded.vector(g.source)}
		if p.s.set.class == referenceless {
			rows = append(rows, r)
			continue
		}
		for _, ref := range g.refs {
			r.ref = p.encoded.vector(ref)
			rows = append(rows, r)
		}
	}
	scores, err := p.s.head.scores(ctx, len(rows), p.s.o.Workers, func(i int, x []float32) { rows[i].features(x) })
	if err != nil {
		return err
	}
	for _, i := range which {
		n := 1
		if p.s.set.class == regression {
			n = len(p.segments[tasks[i].segment].refs)
		}
		sum := 0.0
		for _, x := range scores[:n] {
			sum += x
		}
		out[i] = sum / float64(n)
		scores = scores[n:]
	}
	return nil
}

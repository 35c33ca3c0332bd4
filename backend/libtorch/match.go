//go:build libtorch

package libtorch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/sugarme/gotch/libtch"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
)

// heldTexts is the backend.Held of an engine.
type heldTexts struct {
	e *engine
	h *held
}

// held is what is kept on the device of texts.
type held struct {
	vectors tensor // [tokens][hidden], of length 1; nil: there are none
	texts   []heldText
}

type heldText struct {
	start   int    // its first row in vectors
	special []bool // of its tokens
}

func (h *held) free() {
	if h.vectors != nil {
		libtch.AtFree(h.vectors)
		h.vectors = nil
	}
}

func special(t bert.Text) []bool {
	out := make([]bool, len(t.Pieces))
	for i, p := range t.Pieces {
		out[i] = p.Special
	}
	return out
}

// Hold embeds the texts and keeps their vectors on the device.
func (e *engine) Hold(ctx context.Context, dst *backend.Batch, texts []string) (backend.Held, error) {
	release, err := e.use(ctx, dst)
	if err != nil {
		return nil, err
	}
	defer release()
	e.folder.Reset(dst)
	h := &held{texts: make([]heldText, len(texts))}
	var parts []tensor // one for each batch
	defer func() {
		for _, t := range parts {
			if t != nil {
				libtch.AtFree(t)
			}
		}
	}()
	var results []*tensor
	rows := 0
	err = e.run(ctx, dst, texts, func(b *batch, first int) func(o *ops) {
		for k, i := range b.items {
			h.texts[first+i] = heldText{rows + k*b.longest, special(b.texts[i])}
		}
		rows += len(b.items) * b.longest
		result := new(tensor)
		results = append(results, result)
		return func(o *ops) {
			x := e.m.forward(ctx, o, b)
			flat := o.view(x, int64(len(b.items)*b.longest), int64(e.m.Hidden))
			t := o.unit(flat, e.m.tiny)
			if o.release(t) {
				*result = t
			}
		}
	})
	for _, r := range results {
		if *r != nil {
			parts = append(parts, *r)
		}
	}
	if err != nil {
		return nil, err
	}
	if len(parts) > 0 {
		err := <-e.start(func(o *ops) {
			t := o.cat(parts...)
			if o.release(t) {
				h.vectors = t
			}
		})
		if err != nil {
			return nil, err
		}
	}
	out := &heldTexts{e, h}
	e.heldMu.Lock()
	e.held[h] = true
	e.heldMu.Unlock()
	runtime.AddCleanup(out, func(h *held) {
		// After Close there is none left.
		e.mu.RLock()
		defer e.mu.RUnlock()
		e.heldMu.Lock()
		defer e.heldMu.Unlock()
		if e.held[h] {
			delete(e.held, h)
			h.free()
		}
	}, h)
	return out, nil
}

// Match embeds the texts and matches them on the device.
func (x *heldTexts) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	e := x.e
	release, err := e.use(ctx, dst)
	if err != nil {
		return err
	}
	defer release()
	defer runtime.KeepAlive(x)
	if len(out) != len(pairs) {
		return fmt.Errorf("libtorch: %d pairs with room for %d", len(pairs), len(out))
	}
	of := make([][]int, len(texts)) // the pairs of a text
	for k, p := range pairs {
		if p.Text < 0 || p.Text >= len(texts) || p.Held < 0 || p.Held >= len(x.h.texts) {
			return fmt.Errorf("libtorch: pair %d is of text %d and held text %d: there are %d and %d", k, p.Text, p.Held, len(texts), len(x.h.texts))
		}
		of[p.Text] = append(of[p.Text], k)
	}
	// A text without a token, of a tokenizer that has no special ones, is in no batch.
	for k, p := range pairs {
		nothing(&out[k], 0, len(x.h.texts[p.Held].special))
	}
	e.folder.Reset(dst)
	return e.run(ctx, dst, texts, func(b *batch, first int) func(o *ops) {
		return func(o *ops) {
			var todo []task
			for k, i := range b.items {
				for _, p := range of[first+i] {
					h := x.h.texts[pairs[p].Held]
					if len(h.special) == 0 {
						nothing(&out[p], len(b.texts[i].Pieces), 0)
						continue
					}
					todo = append(todo, task{&out[p], k * b.longest, special(b.texts[i]), h})
				}
			}
			if len(todo) == 0 {
				return
			}
			vectors := e.m.forward(ctx, o, b)
			flat := o.view(vectors, int64(len(b.items)*b.longest), int64(e.m.Hidden))
			unit := o.unit(flat, e.m.tiny)
			o.free(vectors, flat)
			// References of similar length together, and not too many at a time.
			slices.SortStableFunc(todo, func(a, b task) int { return len(a.ref.special) - len(b.ref.special) })
			for len(todo) > 0 {
				o.stop(ctx)
				n := 1
				for n < len(todo) && (n+1)*b.longest*len(todo[n].ref.special) <= similarities {
					n++
				}
				e.m.match(o, unit, x.h.vectors, todo[:n], b.longest)
				todo = todo[n:]
			}
		}
	})
}

// similarities bounds how many are computed at a time.
const similarities = 4 << 20

// nothing sets the links between two sides one of which has no tokens.
func nothing(p *mteval.Pairing, hyp, ref int) {
	none := func(links []mteval.Link, n int) []mteval.Link {
		links = links[:0]
		for range n {
			links = append(links, mteval.Link{To: -1})
		}
		return links
	}
	p.Hyp, p.Ref, p.Spans = none(p.Hyp, hyp), none(p.Ref, ref), nil
}

// A task is a pair to match.
type task struct {
	out   *mteval.Pairing
	start int // the hypothesis's first row
	hyp   []bool
	ref   heldText
}

// outside is added to the similarities of what may not be matched.
const outside = -100

// match sets the links of pairs: from the rows of hyps, [rows][hidden], and refs.
func (m *model) match(o *ops, hyps, refs tensor, todo []task, longestHyp int) {
	longestRef := 0
	for _, t := range todo {
		longestRef = max(longestRef, len(t.ref.special))
	}
	n, nh, nr := len(todo), longestHyp, longestRef
	// Which rows, and what is added to similarities with them: for any token, and for
	// those that are not special. Padding takes row 0.
	index := make([]int64, n*(nh+nr))
	added := make([]float32, 2*n*(nh+nr))
	anyHyp, anyRef := added[:n*nh], added[n*nh:n*(nh+nr)]
	realHyp, realRef := added[n*(nh+nr):n*(nh+nr)+n*nh], added[n*(nh+nr)+n*nh:]
	fill := func(index []int64, anyone, plain []float32, start int, special []bool) {
		for j := range index {
			switch {
			case j >= len(special):
				anyone[j], plain[j] = outside, outside
				continue
			case special[j]:
				plain[j] = outside
			}
			index[j] = int64(start + j)
		}
	}
	hypIndex, refIndex := index[:n*nh], index[n*nh:]
	for k, t := range todo {
		fill(hypIndex[k*nh:(k+1)*nh], anyHyp[k*nh:], realHyp[k*nh:], t.start, t.hyp)
		fill(refIndex[k*nr:(k+1)*nr], anyRef[k*nr:], realRef[k*nr:], t.ref.start, t.ref.special)
	}
	hidden := int64(m.Hidden)
	side := func(vectors tensor, index []int64, tokens int) tensor {
		i := put(o, m.device, int64s, index, int64(len(index)))
		rows := o.rows(vectors, i)
		s := o.view(rows, int64(n), int64(tokens), hidden)
		o.free(i, rows)
		return s
	}
	h, r := side(hyps, hypIndex, nh), side(refs, refIndex, nr)
	rt := o.permute(r, 0, 2, 1)
	sims := o.bmm(h, rt)
	o.free(h, r, rt)

	// For each token of one side the largest similarity to any of the other, the largest to
	// those that may be linked to, and where that is.
	var results []tensor
	direction := func(anyone, plain []float32, dim int64, shape ...int64) {
		for k, a := range [][]float32{anyone, plain} {
			mask := put(o, m.device, floats, a, shape...)
			masked := o.add(sims, mask)
			results = append(results, o.view(o.amax(masked, dim), -1))
			if k == 1 {
				at := o.argmax(masked, dim)
				results = append(results, o.view(o.to(at, m.device, floats), -1))
			}
			o.free(mask, masked)
		}
	}
	direction(anyRef, realRef, 2, int64(n), 1, int64(nr))
	direction(anyHyp, realHyp, 1, int64(n), int64(nh), 1)
	got := make([]float32, 3*n*(nh+nr))
	o.get(got, o.cat(results...))
	if o.err != nil {
		return
	}
	links := func(dst []mteval.Link, tokens, width int, from []float32, k int) []mteval.Link {
		size := n * width
		dst = dst[:0]
		for j := k * width; j < k*width+tokens; j++ {
			most, plain, at := from[j], from[size+j], from[2*size+j]
			if math.IsNaN(float64(most)) {
				o.err = errors.New("libtorch: the model gave a vector that is not finite: try fp32 or bf16")
			}
			link := mteval.Link{To: -1, Sim: min(1, max(-1, most))}
			if plain > outside/2 {
				link.To = int32(at)
			}
			dst = append(dst, link)
		}
		return dst
	}
	for k, t := range todo {
		t.out.Hyp = links(t.out.Hyp, len(t.hyp), nh, got[:3*n*nh], k)
		t.out.Ref = links(t.out.Ref, len(t.ref.special), nr, got[3*n*nh:], k)
		t.out.Spans = nil
	}
}

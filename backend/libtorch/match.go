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

// store is the backend.TextStore of an engine.
type store struct {
	e *engine
	v *vectors
}

// vectors are what is kept on the device of texts.
type vectors struct {
	rows  tensor // [tokens][hidden], of length 1; nil: there are none
	texts []place
}

// place is where a text is.
type place struct {
	start   int    // its first row
	special []bool // of its tokens
}

func (v *vectors) free() {
	if v.rows != nil {
		libtch.AtFree(v.rows)
		v.rows = nil
	}
}

func special(t bert.Text) []bool {
	out := make([]bool, len(t.Pieces))
	for i, p := range t.Pieces {
		out[i] = p.Special
	}
	return out
}

// Store embeds the texts and keeps their vectors on the device.
func (e *engine) Store(ctx context.Context, dst *backend.Batch, texts []string) (backend.TextStore, error) {
	release, err := e.use(ctx, dst)
	if err != nil {
		return nil, err
	}
	defer release()
	v := &vectors{texts: make([]place, len(texts))}
	parts, err := e.storeBatches(ctx, v, dst, texts)
	defer func() {
		for _, t := range parts {
			libtch.AtFree(t)
		}
	}()
	if err == nil && len(parts) > 0 {
		err = <-e.start(func(o *ops) {
			t := o.cat(parts...)
			if o.release(t) {
				v.rows = t
			}
		})
	}
	if err != nil {
		return nil, err
	}
	return e.keep(v), nil
}

// storeBatches returns the vectors of each batch, and sets where in them, one batch after
// another, the texts are.
func (e *engine) storeBatches(ctx context.Context, v *vectors, dst *backend.Batch, texts []string) ([]tensor, error) {
	e.folder.Reset(dst)
	var results []*tensor
	rows := 0
	err := e.run(ctx, dst, texts, func(b *batch, first int) func(o *ops) {
		for k, i := range b.items {
			v.texts[first+i] = place{rows + k*b.longest, special(b.texts[i])}
		}
		rows += len(b.items) * b.longest
		result := new(tensor)
		results = append(results, result)
		return func(o *ops) {
			t := e.unit(ctx, o, b)
			if o.release(t) {
				*result = t
			}
		}
	})
	var parts []tensor
	for _, r := range results {
		if *r != nil {
			parts = append(parts, *r)
		}
	}
	return parts, err
}

// unit returns the vectors of a batch at length 1, [texts * tokens][hidden].
func (e *engine) unit(ctx context.Context, o *ops, b *batch) tensor {
	x := e.m.forward(ctx, o, b)
	flat := o.view(x, int64(len(b.items)*b.longest), int64(e.m.Hidden))
	unit := o.unit(flat, e.m.tiny)
	o.free(x, flat)
	return unit
}

// keep makes a store, whose vectors are given back with it or with the engine.
func (e *engine) keep(v *vectors) *store {
	out := &store{e, v}
	e.storesMu.Lock()
	e.stores[v] = true
	e.storesMu.Unlock()
	runtime.AddCleanup(out, func(v *vectors) {
		// After Close there is none left.
		e.mu.RLock()
		defer e.mu.RUnlock()
		e.storesMu.Lock()
		defer e.storesMu.Unlock()
		if e.stores[v] {
			delete(e.stores, v)
			v.free()
		}
	}, v)
	return out
}

// Match embeds the texts and matches them on the device.
func (x *store) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	e := x.e
	release, err := e.use(ctx, dst)
	if err != nil {
		return err
	}
	defer release()
	defer runtime.KeepAlive(x)
	of, err := x.pairsOf(len(texts), pairs, out)
	if err != nil {
		return err
	}
	// A text without a token, of a tokenizer that has no special ones, is in no batch.
	for k, p := range pairs {
		nothing(&out[k], 0, len(x.v.texts[p.Ref].special))
	}
	e.folder.Reset(dst)
	return e.run(ctx, dst, texts, func(b *batch, first int) func(o *ops) {
		return func(o *ops) {
			todo := x.tasks(b, pairs, out, func(i int) []int { return of[first+i] })
			if len(todo) == 0 {
				return
			}
			hyps := e.unit(ctx, o, b)
			// References of similar length together, and not too many at a time.
			slices.SortStableFunc(todo, func(a, b task) int { return len(a.ref.special) - len(b.ref.special) })
			for len(todo) > 0 {
				o.stop(ctx)
				n := 1
				for n < len(todo) && (n+1)*b.longest*len(todo[n].ref.special) <= similarities {
					n++
				}
				e.m.match(o, hyps, x.v.rows, todo[:n], b.longest)
				todo = todo[n:]
			}
		}
	})
}

// pairsOf checks pairs and returns those of each text.
func (x *store) pairsOf(texts int, pairs []backend.TextPair, out []mteval.Pairing) ([][]int, error) {
	if len(out) != len(pairs) {
		return nil, fmt.Errorf("libtorch: %d pairs with room for %d", len(pairs), len(out))
	}
	of := make([][]int, texts)
	for k, p := range pairs {
		if p.Hyp < 0 || p.Hyp >= texts || p.Ref < 0 || p.Ref >= len(x.v.texts) {
			return nil, fmt.Errorf("libtorch: pair %d is of text %d and text %d of the store: there are %d and %d", k, p.Hyp, p.Ref, texts, len(x.v.texts))
		}
		of[p.Hyp] = append(of[p.Hyp], k)
	}
	return of, nil
}

// tasks returns what there is to match of a batch's texts, of which `of` tells the pairs.
func (x *store) tasks(b *batch, pairs []backend.TextPair, out []mteval.Pairing, of func(i int) []int) []task {
	var todo []task
	for k, i := range b.items {
		for _, p := range of(i) {
			ref := x.v.texts[pairs[p].Ref]
			if len(ref.special) == 0 {
				nothing(&out[p], len(b.texts[i].Pieces), 0)
				continue
			}
			todo = append(todo, task{&out[p], k * b.longest, special(b.texts[i]), ref})
		}
	}
	return todo
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
	ref   place
}

// outside is added to the similarities of what may not be matched.
const outside = -100

// sides are the tokens of one side of some tasks, all padded to one number.
type sides struct {
	tasks, tokens int
	rows          []int64 // of its vectors, by task and token; row 0 of padding
	// What is added to similarities to a token: those of padding are outside, and in
	// plain those of special tokens, too.
	anyone, plain []float32
}

func newSides(tasks, tokens int) *sides {
	n := tasks * tokens
	return &sides{tasks, tokens, make([]int64, n), make([]float32, n), make([]float32, n)}
}

// set sets the tokens of a task, from a row on.
func (s *sides) set(task, start int, special []bool) {
	for j := range s.tokens {
		at := task*s.tokens + j
		switch {
		case j >= len(special):
			s.anyone[at], s.plain[at] = outside, outside
			continue
		case special[j]:
			s.plain[at] = outside
		}
		s.rows[at] = int64(start + j)
	}
}

// vectors returns the side's, [tasks][tokens][hidden].
func (m *model) vectors(o *ops, all tensor, s *sides) tensor {
	at := put(o, m.device, int64s, s.rows, int64(len(s.rows)))
	rows := o.rows(all, at)
	v := o.view(rows, int64(s.tasks), int64(s.tokens), int64(m.Hidden))
	o.free(at, rows)
	return v
}

// match sets the links of pairs: from the rows of hyps, [rows][hidden], and refs.
func (m *model) match(o *ops, hyps, refs tensor, todo []task, longestHyp int) {
	longestRef := 0
	for _, t := range todo {
		longestRef = max(longestRef, len(t.ref.special))
	}
	hyp, ref := newSides(len(todo), longestHyp), newSides(len(todo), longestRef)
	for k, t := range todo {
		hyp.set(k, t.start, t.hyp)
		ref.set(k, t.ref.start, t.ref.special)
	}
	h, r := m.vectors(o, hyps, hyp), m.vectors(o, refs, ref)
	rt := o.permute(r, 0, 2, 1)
	sims := o.bmm(h, rt)
	o.free(h, r, rt)

	n := int64(len(todo))
	results := append(m.best(o, sims, ref, 2, n, 1, int64(ref.tokens)), m.best(o, sims, hyp, 1, n, int64(hyp.tokens), 1)...)
	got := make([]float32, 3*len(todo)*(hyp.tokens+ref.tokens))
	o.get(got, o.cat(results...))
	if o.err != nil {
		return
	}
	ofRef := got[3*len(todo)*hyp.tokens:]
	for k, t := range todo {
		t.out.Hyp = appendLinks(o, t.out.Hyp[:0], hyp, got, k, len(t.hyp))
		t.out.Ref = appendLinks(o, t.out.Ref[:0], ref, ofRef, k, len(t.ref.special))
		t.out.Spans = nil
	}
}

// best returns, for each token of one side, the largest similarity to any of the other
// side, which is along dim, the largest to those that may be linked to, and where that is.
func (m *model) best(o *ops, sims tensor, other *sides, dim int64, shape ...int64) []tensor {
	var results []tensor
	for k, added := range [][]float32{other.anyone, other.plain} {
		mask := put(o, m.device, floats, added, shape...)
		masked := o.add(sims, mask)
		results = append(results, o.view(o.amax(masked, dim), -1))
		if k == 1 {
			at := o.argmax(masked, dim)
			results = append(results, o.view(o.to(at, m.device, floats), -1))
		}
		o.free(mask, masked)
	}
	return results
}

// appendLinks appends the links of so many tokens of a task from what best gave.
func appendLinks(o *ops, dst []mteval.Link, s *sides, from []float32, task, tokens int) []mteval.Link {
	size := s.tasks * s.tokens
	for j := task * s.tokens; j < task*s.tokens+tokens; j++ {
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

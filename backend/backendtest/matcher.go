package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/kit"
)

// FakeMatcher is a Fake that is a backend.Matcher, too. NewFakeMatcher makes one: a method of
// the zero value panics.
type FakeMatcher struct{ *Fake }

var _ backend.Matcher = FakeMatcher{}

// NewFakeMatcher returns a backend with these options, as NewFake does, and panics where that
// does.
func NewFakeMatcher(o FakeOptions) FakeMatcher { return FakeMatcher{NewFake(o)} }

// Store embeds the texts and keeps all of it.
func (f FakeMatcher) Store(ctx context.Context, dst *backend.Batch, texts []string) (backend.TextStore, error) {
	if f.Fake == nil || dst == nil {
		return nil, errors.New("backendtest: a FakeMatcher that NewFakeMatcher did not make, or no batch to set")
	}
	h := &fakeStore{f: f.Fake}
	h.batch.MaxTokens = dst.MaxTokens
	if err := f.Embed(ctx, &h.batch, texts); err != nil {
		return nil, err
	}
	copyTokens(dst, &h.batch)
	return h, nil
}

func copyTokens(dst, src *backend.Batch) {
	dst.Dim, dst.Data = src.Dim, dst.Data[:0]
	dst.Offsets = append(dst.Offsets[:0], src.Offsets...)
	dst.Tokens = append(dst.Tokens[:0], src.Tokens...)
	dst.Truncated = append(dst.Truncated[:0], src.Truncated...)
}

type fakeStore struct {
	f     *Fake
	batch backend.Batch
}

// Match embeds the texts and matches token by token.
func (h *fakeStore) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	if dst == nil {
		return errors.New("backendtest: no batch to set: it is nil")
	}
	if len(out) != len(pairs) {
		return fmt.Errorf("backendtest: %d pairs with room for %d", len(pairs), len(out))
	}
	b := backend.Batch{MaxTokens: dst.MaxTokens}
	if err := h.f.Embed(ctx, &b, texts); err != nil {
		return err
	}
	for k, p := range pairs {
		if p.Hyp < 0 || p.Hyp >= b.Len() || p.Ref < 0 || p.Ref >= h.batch.Len() {
			return fmt.Errorf("backendtest: pair %d is %+v of %d texts and %d in the store", k, p, b.Len(), h.batch.Len())
		}
		out[k].Hyp = appendLinks(out[k].Hyp[:0], &b, p.Hyp, &h.batch, p.Ref)
		out[k].Ref = appendLinks(out[k].Ref[:0], &h.batch, p.Ref, &b, p.Hyp)
		out[k].Spans = nil
	}
	copyTokens(dst, &b)
	return nil
}

// appendLinks appends the links of the tokens of text i of a to those of text j of b.
func appendLinks(dst []mteval.Link, a *backend.Batch, i int, b *backend.Batch, j int) []mteval.Link {
	tokens, data := a.Text(i)
	others, otherData := b.Text(j)
	for t := range tokens {
		link := mteval.Link{To: -1}
		kept := 0.0
		for u, o := range others {
			c := cosine(data[t*a.Dim:(t+1)*a.Dim], otherData[u*b.Dim:(u+1)*b.Dim])
			if u == 0 || float32(c) > link.Sim {
				link.Sim = float32(c)
			}
			if o.Weight != 0 && (link.To < 0 || c > kept) {
				link.To, kept = int32(u), c
			}
		}
		dst = append(dst, link)
	}
	return dst
}

func cosine(a, b []float32) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, dot/math.Sqrt(aa*bb)))
}

// rounding is how far similarities may lie apart by rounding alone.
const rounding = 1e-5

// checkMatch compares a Matcher's links with those of the vectors that Embed gave.
func (t *tester) checkMatch(m backend.Matcher) {
	all := backend.Batch{Dim: t.info.Dim, Offsets: []int{0}}
	for i, item := range t.want {
		all.Tokens = append(all.Tokens, item.tokens...)
		all.Data = append(all.Data, item.data...)
		all.Offsets = append(all.Offsets, len(all.Tokens))
		if item.truncated {
			all.Truncated = append(all.Truncated, i)
		}
	}
	var b backend.Batch
	store, err := m.Store(background, &b, slices.Clone(t.texts))
	if err != nil {
		t.Fail("Store", matchFails, "%w", err)
		return
	}
	if store == nil {
		t.Fail("Store", matchFails, "neither a store nor an error")
		return
	}
	t.checkTokens("Store", &b, &all)
	pairs := t.pairs()
	if !t.checkPairs(store, pairs, &all) {
		return
	}
	t.checkOddMatches(store)
	t.checkMatchLimit(m, store)
	t.checkMatchEnds(m, store, pairs)
}

// pairs are of every text with some of a store of all; texts on either side can be in
// several pairs, or in none.
func (t *tester) pairs() []backend.TextPair {
	var pairs []backend.TextPair
	for i := range t.texts {
		for j := i % 3; j < len(t.texts); j += 3 + i%5 {
			pairs = append(pairs, backend.TextPair{Hyp: i, Ref: j})
		}
	}
	slices.Reverse(pairs)
	return pairs
}

// checkPairs compares the links of pairs, and says whether there were any.
func (t *tester) checkPairs(store backend.TextStore, pairs []backend.TextPair, all *backend.Batch) bool {
	out := make([]mteval.Pairing, len(pairs))
	for k := range out {
		out[k] = mteval.Pairing{Hyp: make([]mteval.Link, 3), Ref: make([]mteval.Link, 0, 50), Spans: make([]mteval.Span, 1)}
	}
	b := garbage()
	if err := store.Match(background, &b, slices.Clone(t.texts), pairs, out); err != nil {
		t.Fail("Match", matchFails, "%w", err)
		return false
	}
	t.checkTokens("Match", &b, all)
	for k, p := range pairs {
		if out[k].Spans != nil {
			t.Fail("Match", matchLinks, "pair %+v: Spans is not nil", p)
		}
		t.checkLinks(out[k].Hyp, all, p.Hyp, p.Ref)
		t.checkLinks(out[k].Ref, all, p.Ref, p.Hyp)
	}
	// No memory may be in out twice, as it is to be used again.
	sides := make([][]mteval.Link, 0, 2*len(out))
	for k := range out {
		sides = append(sides, out[k].Hyp, out[k].Ref)
	}
	for n, side := range sides {
		for i := range side {
			side[i].To = int32(n)
		}
	}
	for n, side := range sides {
		if slices.ContainsFunc(side, func(l mteval.Link) bool { return int(l.To) != n }) {
			t.Fail("Match", matchLinks, "pair %+v: its links share memory with others", pairs[n/2])
		}
	}
	return true
}

// checkOddMatches asks for nothing, and for what can't be.
func (t *tester) checkOddMatches(store backend.TextStore) {
	var b backend.Batch
	if err := store.Match(background, &b, nil, nil, nil); err != nil || b.Len() != 0 {
		t.Fail("Match", matchFails, "no text and no pair: %d texts, error %v", b.Len(), err)
	}
	for _, wrong := range []backend.TextPair{{Hyp: -1}, {Hyp: 1}, {Ref: -1}, {Ref: len(t.texts)}} {
		if err := store.Match(background, &b, []string{"a"}, []backend.TextPair{wrong}, make([]mteval.Pairing, 1)); err == nil {
			t.Fail("Match", matchWrong, "no error for %+v of 1 text and %d in the store", wrong, len(t.texts))
		}
	}
	if err := store.Match(background, &b, []string{"a"}, make([]backend.TextPair, 2), make([]mteval.Pairing, 1)); err == nil {
		t.Fail("Match", matchWrong, "no error for 2 pairs with room for 1")
	}
}

// checkMatchEnds cancels calls, and closes the backend with a store there.
func (t *tester) checkMatchEnds(m backend.Matcher, store backend.TextStore, pairs []backend.TextPair) {
	var b backend.Batch
	out := make([]mteval.Pairing, len(pairs))
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if _, err := m.Store(cancelled, &b, slices.Clone(t.texts)); !errors.Is(err, context.Canceled) {
		t.Fail("Store", embedCancelled, "error %v, want %v", err, context.Canceled)
	}
	for _, after := range []int64{0, 1, 2, 5} {
		err := store.Match(kit.NewCountdown(after), &b, slices.Clone(t.texts), pairs, out)
		if err != nil && !errors.Is(err, context.Canceled) || err == nil && after == 0 {
			t.Fail("Match", embedCancelled, "error %v, want %v", err, context.Canceled)
		}
	}
	if err := m.Close(); err != nil {
		t.Fail("Close", closeFails, "with a store: %w", err)
	}
	if err := store.Match(background, &b, []string{"a"}, make([]backend.TextPair, 1), make([]mteval.Pairing, 1)); !errors.Is(err, backend.ErrClosed) {
		t.Fail("Match", embedClosed, "error %v, want %v", err, backend.ErrClosed)
	}
	if _, err := m.Store(background, &b, []string{"a"}); !errors.Is(err, backend.ErrClosed) {
		t.Fail("Store", embedClosed, "error %v, want %v", err, backend.ErrClosed)
	}
}

func (t *tester) checkTokens(where string, got, want *backend.Batch) {
	if got.Dim != want.Dim || len(got.Data) != 0 || !slices.Equal(got.Offsets, want.Offsets) ||
		!slices.Equal(got.Tokens, want.Tokens) || !slices.Equal(got.Truncated, want.Truncated) {
		t.Fail(where, matchTokens, "Dim %d, Offsets %v, Truncated %v, %d numbers; Embed gave %d, %v, %v",
			got.Dim, got.Offsets, got.Truncated, len(got.Data), want.Dim, want.Offsets, want.Truncated)
	}
}

// checkLinks checks the links from text i to text j. What a token is linked to need not be
// the best by Embed's vectors, but be as good to rounding.
func (t *tester) checkLinks(got []mteval.Link, all *backend.Batch, i, j int) {
	want := appendLinks(nil, all, i, all, j)
	if len(got) != len(want) {
		t.Fail("Match", matchLinks, "texts %.60q and %.60q: %d links, want %d", t.texts[i], t.texts[j], len(got), len(want))
		return
	}
	near := max(rounding, t.tolerance)
	_, data := all.Text(i)
	others, otherData := all.Text(j)
	for k, g := range got {
		w := want[k]
		ok := g.Sim <= 1 && math.Abs(float64(g.Sim-w.Sim)) <= near && g.To >= -1 && (g.To < 0) == (w.To < 0) && int(g.To) < len(others)
		if ok && g.To != w.To {
			vector := data[k*all.Dim : (k+1)*all.Dim]
			at := func(to int32) float64 { return cosine(vector, otherData[int(to)*all.Dim:][:all.Dim]) }
			ok = others[g.To].Weight != 0 && at(g.To) >= at(w.To)-2*near
		}
		if !ok {
			t.Fail("Match", matchLinks, "texts %.60q and %.60q: the link of token %d is %+v, want %+v by the vectors of Embed", t.texts[i], t.texts[j], k, g, w)
		}
	}
}

package backendtest

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

func TestFakeMatcherConforms(t *testing.T) {
	for _, o := range []FakeOptions{
		{}, {Special: true, Dim: 3}, {MaxTokens: 8, Special: true},
		{OneHot: true, Vocabulary: []string{"the", "word", CLS, "THE"}, Special: true},
	} {
		if err := Test(func() (backend.Backend, error) { return NewFakeMatcher(o), nil }, Options{}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Links by hand: the special tokens are equal, and nothing is linked to them.
func TestFakeMatcher(t *testing.T) {
	f := NewFakeMatcher(FakeOptions{OneHot: true, Special: true, Vocabulary: []string{"a", "b", CLS, SEP}})
	var b backend.Batch
	store, err := f.Store(context.Background(), &b, []string{"b a"})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]mteval.Pairing, 1)
	if err := store.Match(context.Background(), &b, []string{"a c"}, make([]backend.TextPair, 1), out); err != nil {
		t.Fatal(err)
	}
	// [CLS] a c [SEP] and [CLS] b a [SEP]
	hyp := []mteval.Link{{To: 1, Sim: 1}, {To: 2, Sim: 1}, {To: 1}, {To: 1, Sim: 1}}
	ref := []mteval.Link{{To: 1, Sim: 1}, {To: 1}, {To: 1, Sim: 1}, {To: 1, Sim: 1}}
	if !slices.Equal(out[0].Hyp, hyp) || !slices.Equal(out[0].Ref, ref) {
		t.Errorf("%+v, want %v and %v", out[0], hyp, ref)
	}
}

type matchFunc = func(h backend.TextStore, ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error

type faultyMatcher struct{ *faulty }

func (f faultyMatcher) Store(ctx context.Context, dst *backend.Batch, texts []string) (backend.TextStore, error) {
	h, err := FakeMatcher{f.Fake}.Store(ctx, dst, texts)
	if err != nil {
		return nil, err
	}
	return faultyStore{h, f.match}, nil
}

type faultyStore struct {
	backend.TextStore
	match matchFunc
}

func (h faultyStore) Match(ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
	return h.match(h.TextStore, ctx, dst, texts, pairs, out)
}

func matcherFaults() (out []fault) {
	add := func(name string, want rule, m matchFunc) {
		out = append(out, fault{name: name, want: want, make: func() *faulty { return &faulty{match: m} }})
	}
	changed := func(change func(dst *backend.Batch, out []mteval.Pairing)) matchFunc {
		return func(h backend.TextStore, ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
			if err := h.Match(ctx, dst, texts, pairs, out); err != nil {
				return err
			}
			change(dst, out)
			return nil
		}
	}
	add("matching fails for bad bytes", matchFails, func(h backend.TextStore, ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.ToValidUTF8(s, "") != s }) {
			return errOther
		}
		return h.Match(ctx, dst, texts, pairs, out)
	})
	add("vectors beside links", matchTokens, changed(func(dst *backend.Batch, _ []mteval.Pairing) { dst.Data = append(dst.Data, 1) }))
	add("truncated texts are not told", matchTokens, changed(func(dst *backend.Batch, _ []mteval.Pairing) { dst.Truncated = nil }))
	add("similarities off", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			for i := range out[k].Ref {
				out[k].Ref[i].Sim -= .01
			}
		}
	}))
	add("links to special tokens", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			for i := range out[k].Hyp {
				out[k].Hyp[i].To = 0
			}
		}
	}))
	add("a link too few", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			out[k].Hyp = out[k].Hyp[1:]
		}
	}))
	add("sides mixed up", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			out[k].Hyp, out[k].Ref = out[k].Ref, out[k].Hyp
		}
	}))
	link := func(change func(l *mteval.Link)) matchFunc {
		return changed(func(_ *backend.Batch, out []mteval.Pairing) {
			for k := range out {
				for i := range out[k].Hyp {
					change(&out[k].Hyp[i])
				}
			}
		})
	}
	add("links to -2", matchLinks, link(func(l *mteval.Link) {
		if l.To < 0 {
			l.To = -2
		}
	}))
	add("links to none", matchLinks, link(func(l *mteval.Link) { l.To = -1 }))
	add("links past the end", matchLinks, link(func(l *mteval.Link) { l.To += 1000 }))
	add("similarities NaN", matchLinks, link(func(l *mteval.Link) { l.Sim = float32(math.NaN()) }))
	add("similarities infinite", matchLinks, link(func(l *mteval.Link) { l.Sim = float32(math.Inf(-1)) }))
	add("similarities not clamped", matchLinks, link(func(l *mteval.Link) {
		if l.Sim == 1 {
			l.Sim = 1 + 1e-6
		}
	}))
	add("links share memory", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			if slices.Equal(out[k].Hyp, out[k].Ref) { // as those of a text with itself
				out[k].Hyp = out[k].Ref
			}
		}
	}))
	add("spans left", matchLinks, changed(func(_ *backend.Batch, out []mteval.Pairing) {
		for k := range out {
			out[k].Spans = make([]mteval.Span, 1)
		}
	}))
	add("wrong pairs pass", matchWrong, func(h backend.TextStore, ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
		if len(texts) == 1 && ctx.Err() == nil {
			pairs, out = nil, nil
		}
		return h.Match(ctx, dst, texts, pairs, out)
	})
	return out
}

package backendtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// limitFaults are backends that don't keep to MaxTokens of dst.
func limitFaults() (out []fault) {
	add := func(name string, want rule, embed func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error) {
		// With and without a limit of the backend's own.
		for _, own := range []int{0, 40} {
			out = append(out, fault{name: fmt.Sprintf("%s, of %d", name, own), want: want, opt: &FakeOptions{Special: true, MaxTokens: own},
				make: func() *faulty { return &faulty{embed: embed} }})
		}
	}
	unbounded := func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		dst.MaxTokens = 0
		return f.Embed(ctx, dst, texts)
	}
	add("knows of no limit", embedLimit, unbounded)
	add("refuses texts at the limit", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		dst.MaxTokens = max(0, dst.MaxTokens-1)
		return f.Embed(ctx, dst, texts)
	})
	add("does not count special tokens", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if dst.MaxTokens > 0 {
			dst.MaxTokens += 2
		}
		return f.Embed(ctx, dst, texts)
	})
	add("takes a negative limit for one", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if dst.MaxTokens < 0 {
			return &backend.TextError{Text: texts[0], Err: mteval.ErrTooLong}
		}
		return f.Embed(ctx, dst, texts)
	})
	add("does not say which text is too long", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		err := f.Embed(ctx, dst, texts)
		if errors.Is(err, mteval.ErrTooLong) {
			return mteval.ErrTooLong
		}
		return err
	})
	add("says of another text that it is too long", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		err := f.Embed(ctx, dst, texts)
		if errors.Is(err, mteval.ErrTooLong) {
			return &backend.TextError{Text: texts[0], Err: mteval.ErrTooLong}
		}
		return err
	})
	add("cuts at the limit", embedLimit, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		limit := dst.MaxTokens
		err := f.Embed(ctx, dst, texts)
		if !errors.Is(err, mteval.ErrTooLong) {
			return err
		}
		return NewFake(FakeOptions{Special: true, MaxTokens: max(3, limit)}).Embed(ctx, &backend.Batch{}, texts)
	})
	add("looks for the limit when vectors are there", embedLimitLate, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		limit := dst.MaxTokens
		err := unbounded(ctx, f, dst, texts)
		if err != nil || limit <= 0 {
			return err
		}
		return f.Embed(ctx, &backend.Batch{MaxTokens: limit}, texts)
	})
	out = append(out, fault{name: "matching knows of no limit", want: matchLimit, make: func() *faulty {
		return &faulty{match: func(h backend.TextStore, ctx context.Context, dst *backend.Batch, texts []string, pairs []backend.TextPair, out []mteval.Pairing) error {
			dst.MaxTokens = 0
			return h.Match(ctx, dst, texts, pairs, out)
		}}
	}})
	return out
}

package bertscore_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/tokenize"
)

// What a text over the limit costs goes with its bytes, whichever way it comes: neither its
// vectors nor the list of its tokens are made.
func TestTooLongBeforeVectors(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const tokens = 200_000
	lower, err := lexical.New(lexical.Options{Lowercase: true, Tokenizer: tokenize.Char})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := cache.New(newLexical(t), cache.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	const most = 10 * tokens // bytes; vectors would take 2048 a token
	text := strings.Repeat(".", tokens)
	for name, b := range map[string]backend.Backend{
		"lexical": newLexical(t), "characters in lower case": lower, "a cache": kept,
	} {
		s := newScorer(t, b, bertscore.Options{MaxTokens: 100})
		p, err := s.Prepare(t.Context(), [][]string{{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]func() error{
			"a reference":  func() error { _, err := s.Prepare(t.Context(), [][]string{{"a", text}}); return err },
			"a hypothesis": func() error { _, err := p.Append(t.Context(), nil, nil, []string{text}); return err },
			"pairs":        func() error { return s.NewPairs().Set(t.Context(), []string{"a", text}) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := do()
			runtime.ReadMemStats(&after)
			if at := (*mteval.SegmentError)(nil); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) {
				t.Errorf("%s, %s: error %v", name, what, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%s, %s: %d bytes were allocated", name, what, n)
			}
		}
	}
}

// A text is refused if it has more tokens than the limit, as its backend makes them without one,
// and is otherwise scored as without.
func TestLimitsOfAnyText(t *testing.T) {
	layer := 1
	model, err := transformer.Open(filepath.Join("..", "backend", "transformer", "testdata", "bert"), transformer.Options{Layer: &layer, MaxTokens: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	backends := map[string]backend.Backend{"model": model}
	for _, tok := range []tokenize.Tokenizer{tokenize.V13a, tokenize.Intl, tokenize.Zh, tokenize.Char, tokenize.None, tokenize.Tercom{Normalized: true, Asian: true}, twice{}} {
		for _, lower := range []bool{false, true} {
			b, err := lexical.New(lexical.Options{Dim: 8, Tokenizer: tok, Lowercase: lower})
			if err != nil {
				t.Fatal(err)
			}
			name := "lexical, " + tok.Name()
			if lower {
				name += ", lower case"
			}
			backends[name] = b
		}
	}
	fakes := backendtest.FakeOptions{Special: true, MaxTokens: 9}
	backends["fake"], backends["fake that matches"] = backendtest.NewFake(fakes), backendtest.NewFakeMatcher(fakes)
	kept, err := cache.New(newLexical(t), cache.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	backends["cache"] = kept
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "B", ".", ",", " ", " ", "1.5", "水", "İ", "\u0301", "&amp;", "<skipped>", "-\n", "\xff", "'s", "the", "\u3000"}), 0, 25).Draw(t, "parts"), "")
	})
	for name, b := range backends {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				ctx := context.Background()
				texts := []string{text.Draw(t, "reference"), text.Draw(t, "hypothesis")}
				limit := rapid.IntRange(1, 20).Draw(t, "limit")
				var batch backend.Batch
				if err := b.Embed(ctx, &batch, texts); err != nil {
					t.Fatal(err)
				}
				want := -1 // the first that is too long
				for i := len(texts) - 1; i >= 0; i-- {
					n := batch.Offsets[i+1] - batch.Offsets[i]
					if len(batch.Truncated) > 0 && (batch.Truncated[0] == i || batch.Truncated[len(batch.Truncated)-1] == i) {
						n++
					}
					if n > limit {
						want = i
					}
				}
				score := func(most int) (*mteval.Result, error) {
					s, err := bertscore.New(b, bertscore.Options{MaxTokens: most, OnTruncated: func(string) {}})
					if err != nil {
						t.Fatal(err)
					}
					return mteval.Sentence(ctx, s, texts[:1], texts[1])
				}
				free, err := score(0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := score(limit)
				var at *mteval.SegmentError
				switch {
				case want < 0 && err != nil, want < 0 && got.Score != free.Score:
					t.Errorf("limit %d: %v, error %v; without: %v", limit, got, err, free)
				case want >= 0 && (!errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Side != []mteval.Side{mteval.ReferenceSide, mteval.HypothesisSide}[want]):
					t.Errorf("limit %d: error %v, want one of text %d", limit, err, want+1)
				}
			})
		})
	}
}

// twice is a tokenizer that makes more tokens than the text has bytes.
type twice struct{}

func (twice) Name() string { return "twice" }

func (twice) Append(dst []byte, line string) []byte {
	for _, r := range line {
		if !tokenize.IsSpace(r) {
			dst = append(dst, " x y z v w"...)
		}
	}
	return dst
}

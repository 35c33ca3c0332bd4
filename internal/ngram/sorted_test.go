package ngram

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/pace"
	"pgregory.net/rapid"
)

// inCommon counts what Common does, with maps.
func inCommon(ref, text []uint32, order int) []float64 {
	count := func(text []uint32, n int) map[[MaxOrder]uint32]int {
		m := map[[MaxOrder]uint32]int{}
		for i := 0; i+n <= len(text); i++ {
			var gram [MaxOrder]uint32
			copy(gram[:], text[i:i+n])
			m[gram]++
		}
		return m
	}
	common := make([]float64, order)
	for n := range common {
		refs := count(ref, n+1)
		for gram, k := range count(text, n+1) {
			if !slices.Contains(gram[:n+1], 0) {
				common[n] += float64(min(k, refs[gram]))
			}
		}
	}
	return common
}

// What is in common is what maps have in common, for any order and alphabet, after any other
// texts.
func TestSorted(t *testing.T) {
	var s Sorter
	var w pace.Pace
	var loose, joint int
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.IntRange(1, MaxOrder).Draw(t, "order")
		// Few symbols repeat themselves, many have long codes; low and high ones are numbered
		// in different ways.
		from := rapid.SampledFrom([]uint32{1, lowSymbols - 2, 1 << 20, 1<<32 - 5000}).Draw(t, "from")
		symbols := rapid.SampledFrom([]uint32{1, 2, 3, 30, 62, 63, 300, 4999}).Draw(t, "symbols")
		rnd := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		draw := func(n int, from uint32) []uint32 {
			text := make([]uint32, n)
			for i := range text {
				text[i] = from + rnd.Uint32N(symbols)
			}
			return text
		}
		lengths := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 3000))
		ref := draw(lengths.Draw(t, "ref"), from)
		text := draw(lengths.Draw(t, "text"), from+rapid.Uint32Range(0, 1).Draw(t, "shift"))
		if len(ref) > 0 {
			for range rapid.IntRange(0, 3).Draw(t, "copied") {
				lo := rnd.IntN(len(ref))
				at := rnd.IntN(len(text) + 1)
				text = slices.Insert(text, at, ref[lo:lo+rnd.IntN(len(ref)-lo+1)]...)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "unknown") {
			text = slices.Insert(text, rnd.IntN(len(text)+1), 0)
		}
		g, err := s.Sort(&w, ref, order)
		if err != nil || g.Len() != len(ref) {
			t.Fatal(err, g.Len())
		}
		if g.layout(order).parts > 1 {
			loose++
		} else {
			joint++
		}
		common := make([]float64, order)
		if err := s.Common(&w, &g, text, common); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(inCommon(ref, text, order), common); d != "" {
			t.Fatalf("(-maps +sorted):\n%s", d)
		}
	})
	if loose == 0 || joint == 0 {
		t.Errorf("%d texts of keys in parts, %d of whole ones", loose, joint)
	}
}

// Texts longer than a stretch, at its bounds too, and of symbols that are all different.
func TestSortedLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var s Sorter
	var w pace.Pace
	for _, n := range []int{stretch/2 - 1, stretch/2 + 1, stretch - 1, stretch, stretch + 1, 3*stretch + 5} {
		for _, symbols := range []uint32{2, 40, 1 << 30} {
			ref, text := make([]uint32, n), make([]uint32, n)
			for i := range n {
				ref[i] = 1 + rnd.Uint32N(symbols)
				text[i] = ref[i]
				if i%5 == 0 {
					text[i] = 1 + rnd.Uint32N(symbols)
				}
			}
			g, err := s.Sort(&w, ref, 6)
			if err != nil {
				t.Fatal(err)
			}
			common := make([]float64, 6)
			if err := s.Common(&w, &g, text, common); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(inCommon(ref, text, 6), common); d != "" {
				t.Errorf("%d places of %d symbols (-maps +sorted):\n%s", n, symbols, d)
			}
		}
	}
}

// A context that is cancelled in the middle of a text is the error.
func TestSortedCancelled(t *testing.T) {
	for _, symbols := range []uint32{30, 1 << 30} {
		rnd := rand.New(rand.NewPCG(1, 2))
		text := make([]uint32, 200_000)
		for i := range text {
			text[i] = 1 + rnd.Uint32N(symbols)
		}
		var s Sorter
		var never pace.Pace
		g, err := s.Sort(&never, text, 6)
		if err != nil {
			t.Fatal(err)
		}
		common := make([]float64, 6)
		for _, run := range []func(ctx context.Context) error{
			func(ctx context.Context) error {
				w := pace.Of(ctx)
				_, err := new(Sorter).Sort(&w, text, 6)
				return err
			},
			func(ctx context.Context) error {
				w := pace.Of(ctx)
				return new(Sorter).Common(&w, &g, text, common)
			},
		} {
			for _, looks := range kit.Looks(func(ctx context.Context) {
				if err := run(ctx); err != nil {
					t.Error(err)
				}
			}) {
				if err := run(kit.NewCountdown(looks)); !errors.Is(err, context.Canceled) {
					t.Errorf("%d symbols, cancelled after %d looks: error %v", symbols, looks, err)
				}
			}
		}
	}
}

// Once warm nothing is allocated against a sorted text.
func TestSortedAllocatesNothing(t *testing.T) {
	var s Sorter
	var w pace.Pace
	for _, order := range []int{6, MaxOrder} {
		text := []uint32{5, 7, 1 << 20, 5, 7, 9, 3000, 1, 2, 3, 4, 6, 8, 10, 11, 12, 13}
		g, err := s.Sort(&w, text, order)
		if err != nil {
			t.Fatal(err)
		}
		common := make([]float64, order)
		if n := kit.Allocations(func() { err = s.Common(&w, &g, text, common) }); n != 0 || err != nil {
			t.Errorf("order %d: %v allocations, error %v", order, n, err)
		}
	}
}

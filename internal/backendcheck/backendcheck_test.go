package backendcheck

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// Whatever is in a batch, checking it does not panic, nor does taking apart one that
// passes, where all is as the contract has it.
func TestAnyBatch(t *testing.T) {
	floats := rapid.SampledFrom([]float32{0, 1, 1, 1, .5, -1, float32(math.NaN()), float32(math.Inf(1))})
	ints := rapid.OneOf(rapid.IntRange(-1, 6), rapid.SampledFrom([]int{math.MinInt, math.MaxInt}))
	info := backend.Info{Name: "any", Dim: 2}
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "ab cd"}), 0, 3).Draw(t, "texts")
		b := backend.Batch{Dim: 2, Offsets: []int{0}}
		for range texts { // a good one, more or less
			for range rapid.IntRange(0, 2).Draw(t, "tokens") {
				at := rapid.IntRange(-1, 6)
				b.Tokens = append(b.Tokens, mteval.Token{Start: at.Draw(t, "start"), End: at.Draw(t, "end"), Weight: floats.Draw(t, "weight")})
				b.Data = append(b.Data, floats.Draw(t, "number"), floats.Draw(t, "number"))
			}
			b.Offsets = append(b.Offsets, len(b.Tokens))
		}
		switch rapid.IntRange(0, 8).Draw(t, "lie") {
		case 0:
			b.Dim = ints.Draw(t, "Dim")
		case 1:
			b.Offsets[rapid.IntRange(0, len(b.Offsets)-1).Draw(t, "place")] = ints.Draw(t, "offset")
		case 2:
			b.Offsets = rapid.SliceOfN(ints, 0, 5).Draw(t, "Offsets")
		case 3:
			b.Truncated = rapid.SliceOfN(ints, 0, 3).Draw(t, "Truncated")
		case 4:
			b.Data = b.Data[:len(b.Data)/2]
		}
		if Batch(info, &b, texts) != nil {
			return
		}
		passed++
		n := 0
		for i, text := range texts {
			tokens, data := b.Text(i)
			n += len(tokens)
			if len(data) != 2*len(tokens) {
				t.Errorf("%d numbers for %d tokens", len(data), len(tokens))
			}
			for _, k := range tokens {
				_ = text[k.Start:k.End]
				if k.Weight != 0 && k.Weight != 1 {
					t.Errorf("token %+v", k)
				}
			}
		}
		for j := range n {
			sum := float64(b.Data[2*j]) + float64(b.Data[2*j+1])
			if err := Vector(info, &b, j); (err == nil) != (sum-sum == 0) {
				t.Errorf("vector %v: error %v", b.Data[2*j:2*j+2], err)
			}
		}
	})
	if passed == 0 {
		t.Error("no batch passed")
	}
}

// Large numbers, whose squares are not finite, are.
func TestLargeVector(t *testing.T) {
	b := backend.Batch{Dim: 2, Data: []float32{math.MaxFloat32, -math.MaxFloat32}, Tokens: make([]mteval.Token, 1)}
	if err := Vector(backend.Info{Name: "any", Dim: 2}, &b, 0); err != nil {
		t.Error(err)
	}
}

func TestInfo(t *testing.T) {
	for _, info := range []backend.Info{{Name: "any"}, {Name: "any", Dim: -1}, {Name: "any", Dim: 1, MaxTokens: -1}} {
		if err := Info(info); err == nil || !strings.Contains(err.Error(), "any") {
			t.Errorf("%+v: error %v", info, err)
		}
	}
	if err := Info(backend.Info{Dim: 1}); err != nil {
		t.Error(err)
	}
}

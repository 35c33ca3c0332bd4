package bertscore_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
)

// benchTexts are n sentences of 5 to 30 words, some of them equal.
func benchTexts(rng *rand.Rand, n int) []string {
	words := make([]string, 2000)
	for i := range words {
		w := make([]byte, 2+rng.IntN(8))
		for j := range w {
			w[j] = byte('a' + rng.IntN(26))
		}
		words[i] = string(w)
	}
	out := make([]string, n)
	for i := range out {
		if i > 0 && rng.IntN(10) == 0 {
			out[i] = out[i-1]
			continue
		}
		s := make([]string, 5+rng.IntN(26))
		for j := range s {
			s[j] = words[rng.IntN(len(words))]
		}
		out[i] = strings.Join(s, " ")
	}
	return out
}

// Benchmark scores four systems of 512 segments on one goroutine: Prepare the references,
// Append a corpus in one call, Systems all of it.
func Benchmark(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 512
	lex, err := lexical.New(lexical.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	s := newScorer(b, lex, bertscore.Options{IDF: true, Workers: 1})
	refs := make([][]string, n)
	for i, r := range benchTexts(rng, n) {
		refs[i] = []string{r}
	}
	systems := make([]mteval.System, 4)
	var segs []int
	var hyps []string
	for k := range systems {
		systems[k].Name, systems[k].Hyps = string(rune('a'+k)), benchTexts(rng, n)
		for i, h := range systems[k].Hyps {
			segs, hyps = append(segs, i), append(hyps, h)
		}
	}
	b.Run("Prepare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Prepare(b.Context(), refs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Append", func(b *testing.B) {
		b.ReportAllocs()
		p, err := s.Prepare(b.Context(), refs)
		if err != nil {
			b.Fatal(err)
		}
		rows := make([]float64, 0, len(hyps)*s.Width())
		for b.Loop() {
			if rows, err = p.Append(b.Context(), rows[:0], segs, hyps); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Systems", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := mteval.Systems(b.Context(), s, refs, systems); err != nil {
				b.Fatal(err)
			}
		}
	})
}

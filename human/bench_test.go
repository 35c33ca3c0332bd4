package human

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func judgementsFor(n int) []Judgement {
	rng := rand.New(rand.NewPCG(1, 2))
	js := make([]Judgement, n)
	for i := range js {
		js[i] = Judgement{
			Judge:  fmt.Sprintf("judge%d", rng.IntN(500)),
			System: fmt.Sprintf("system%d", rng.IntN(20)),
			Item:   fmt.Sprint(rng.IntN(2000)),
			Score:  float64(rng.IntN(101)),
			Kind:   Kind(rng.IntN(8) / 6 * 2), // some are degraded
		}
	}
	return js
}

// From judgements to system scores.
func BenchmarkAssess(b *testing.B) {
	js := judgementsFor(200_000)
	for b.Loop() {
		kept, _ := Filter(js, Quality{MaxP: 1})
		z, _ := Standardize(kept)
		s, _, err := Average(z)
		if err != nil {
			b.Fatal(err)
		}
		s.SystemMeans()
	}
}

func BenchmarkKrippendorff(b *testing.B) {
	units := ByOutput(judgementsFor(200_000))
	for level, name := range []string{"nominal", "ordinal", "interval", "ratio"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Krippendorff(units, Measurement(level)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

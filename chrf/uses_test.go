package chrf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// lines are references of so many words, by Zipf's law of a vocabulary of 20,000, and of each
// a hypothesis that has a quarter of the words otherwise.
func lines(n, words int) (refs [][]string, hyps []string) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		id := uint64(math.Exp(rnd.Float64() * math.Log(20_000)))
		r := rand.New(rand.NewPCG(3, id))
		b := make([]byte, 2+r.IntN(10))
		for i := range b {
			b[i] = "eeeetttaaooiinnsshrrdlucmfwypvbgk"[r.IntN(33)]
		}
		return string(b)
	}
	for range n {
		ref := make([]string, words)
		for i := range ref {
			ref[i] = word()
		}
		hyp := slices.Clone(ref)
		for range words / 4 {
			hyp[rnd.IntN(words)] = word()
		}
		refs, hyps = append(refs, []string{strings.Join(ref, " ") + "."}), append(hyps, strings.Join(hyp, " ")+".")
	}
	return refs, hyps
}

// BenchmarkUses prepares references and scores so many hypotheses against each.
func BenchmarkUses(b *testing.B) {
	for _, tt := range []struct{ words, refs int }{{10, 512}, {25, 512}, {2000, 8}} {
		refs, hyps := lines(tt.refs, tt.words)
		for _, order := range []int{0, 2} {
			s, err := New(Options{WordOrder: order, Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			for _, uses := range []int{1, 22, 100} {
				var rows []float64
				b.Run(fmt.Sprintf("%s/words=%d/uses=%d", s.Info().Name, tt.words, uses), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						p, err := s.Prepare(context.Background(), refs)
						if err != nil {
							b.Fatal(err)
						}
						for range uses {
							if rows, err = p.Append(context.Background(), rows[:0], nil, hyps); err != nil {
								b.Fatal(err)
							}
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(refs)*uses), "ns/hypothesis")
				})
			}
		}
	}
}

package mert

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A line through the lists of 500 segments with 100 candidates each.
func BenchmarkLine(b *testing.B) {
	refs, small := read(b)
	r := rand.New(rand.NewPCG(1, 2))
	var in [][]Candidate
	for range 500 {
		list := make([]Candidate, 100)
		for c := range list {
			list[c] = small[0][c%len(small[0])]
			list[c].Features = []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		}
		in = append(in, list)
	}
	l, err := New(b.Context(), newBLEU(b), slices.Repeat(refs[:1], 500), in)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Line(b.Context(), []float64{.2, .3, .4, .1}, []float64{1, 0, 0, 0}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	l := lists(b, newBLEU(b))
	total := totalOf(l, make([]int, l.Len()))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		total.replace(i%12, i%15)
	}
}

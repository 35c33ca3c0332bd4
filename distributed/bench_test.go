package distributed

import (
	"fmt"
	"testing"
)

// What the sums of a segment's rows, of the widths of BLEU, chrF, TER, METEOR and two of
// difficulty, cost beside their scoring.
func BenchmarkSums(b *testing.B) {
	x := SegmentScore{System: "A", References: 1}
	for _, w := range []int{10, 18, 3, 23, 4, 4} {
		row := make([]float64, w)
		for i := range row {
			row[i] = float64(i)
			if w == 4 {
				row[i] = 1 / float64(i+2)
			}
		}
		x.Rows = append(x.Rows, row)
	}
	b.Run("systems", func(b *testing.B) {
		f, a := new(sumFn), sums{}
		for b.Loop() {
			a = f.AddInput(a, x)
		}
	})
	b.Run("poisson", func(b *testing.B) {
		f, a, n := &poissonFn{Samples: 1000, Seed: 1}, resampled{}, 0
		for b.Loop() {
			n++
			x.Segment = fmt.Sprint(n)
			a = f.AddInput(a, x)
		}
	})
}

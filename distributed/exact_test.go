package distributed

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A sum is the exact one, rounded once, whatever the order and however it was taken apart.
func TestExact(t *testing.T) {
	number := rapid.OneOf(
		rapid.Float64Range(-1e9, 1e9), rapid.Float64Range(-1e-9, 1e-9),
		rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) }),
		rapid.SampledFrom([]float64{1, -1, 1 << 53, 0x1p-53, 0x1p-54, -0x1p-53, 1e100, -1e100, 5e-324, .1, 0}),
	)
	rapid.Check(t, func(r *rapid.T) {
		numbers := rapid.SliceOf(number).Draw(r, "numbers")
		want := new(big.Float).SetPrec(3000)
		for _, x := range numbers {
			want.Add(want, new(big.Float).SetFloat64(x))
		}
		rounded, _ := want.Float64()
		for range 2 {
			var parts [3]exact
			for i, x := range numbers {
				parts[i%3] = parts[i%3].add(x)
			}
			for _, other := range parts[1:] {
				for _, x := range other {
					parts[0] = parts[0].add(x)
				}
			}
			if got := parts[0].value(); got != rounded {
				r.Fatalf("sum of %v: %v, want %v", numbers, got, rounded)
			}
			numbers = rapid.Permutation(numbers).Draw(r, "order")
		}
	})
}

// Sums of rows do not depend on the order, nor on the way through bytes.
func TestSumFn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		row := rapid.Custom(func(r *rapid.T) [][]float64 {
			out := [][]float64{make([]float64, 2), make([]float64, 3)}
			for _, x := range out {
				for i := range x {
					x[i] = rapid.Float64Range(-10, 10).Draw(r, "x")
				}
			}
			return out
		})
		scores := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) SegmentScore {
			return SegmentScore{References: rapid.IntRange(0, 3).Draw(r, "references"), Rows: row.Draw(r, "rows")}
		}), 1, 20).Draw(r, "scores")
		f := new(sumFn)
		result := func(scores []SegmentScore, cut int) (int64, int, int, []float64) {
			a, b := f.CreateAccumulator(), f.CreateAccumulator()
			for i, x := range scores {
				if i < cut {
					a = f.AddInput(a, x)
				} else {
					b = f.AddInput(b, x)
				}
			}
			b, err := decodeSums(encodeSums(b))
			if err != nil {
				r.Fatal(err)
			}
			a = f.MergeAccumulators(a, b)
			var values []float64
			for _, row := range a.Rows {
				for _, e := range row {
					values = append(values, e.value())
				}
			}
			return a.Segments, a.Least, a.Most, values
		}
		n1, least1, most1, values1 := result(scores, len(scores))
		n2, least2, most2, values2 := result(rapid.Permutation(scores).Draw(r, "order"), rapid.IntRange(0, len(scores)).Draw(r, "cut"))
		if n1 != n2 || least1 != least2 || most1 != most2 {
			r.Fatalf("%d, %d, %d and %d, %d, %d", n1, least1, most1, n2, least2, most2)
		}
		for i := range values1 {
			if math.Float64bits(values1[i]) != math.Float64bits(values2[i]) {
				r.Fatalf("%v and %v", values1, values2)
			}
		}
	})
}

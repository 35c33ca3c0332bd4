package mean

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestOneSegmentIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := float64(rapid.IntRange(1, 100_000).Draw(t, "weight"))
		score := rapid.Float64Range(0, 1).Draw(t, "score")
		if score < 1e-200 {
			score = 0 // what rounding takes of less would be too small to be kept
		}
		if got := Of(Append(nil, weight, score)); got != score {
			t.Fatalf("%v came back as %v with weight %v", score, got, weight)
		}
	})
}

// (3·0.5 + 1·0.25 + 4·1) / 8, by hand.
func TestMean(t *testing.T) {
	row := make([]float64, Width)
	for _, s := range [][2]float64{{3, .5}, {1, .25}, {4, 1}} {
		for i, x := range Append(nil, s[0], s[1]) {
			row[i] += x
		}
	}
	if got := Of(row); math.Abs(got-0.71875) > 1e-16 {
		t.Errorf("%v, want 0.71875", got)
	}
	if got := Of(Append(nil, 0, .5)); got != 0 {
		t.Errorf("%v for no weight", got)
	}
}

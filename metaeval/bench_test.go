package metaeval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn are n pairs that correlate, of whole numbers below levels, 0: not whole.
func drawn(n, levels int) (x, y []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() float64 {
		if levels == 0 {
			return r.NormFloat64()
		}
		return float64(r.IntN(levels))
	}
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = draw()
		y[i] = .7*draw() + .3*x[i]
		if levels > 0 {
			y[i] = math.Floor(y[i])
		}
	}
	return x, y
}

func BenchmarkKendall(b *testing.B) {
	for _, bb := range []struct {
		name      string
		n, levels int
	}{
		{"20", 20, 0},
		{"2000", 2000, 0},
		{"1M/100 levels", 1e6, 100},
		{"1M/100000 levels", 1e6, 100000},
		{"1M/no ties", 1e6, 0},
	} {
		b.Run(bb.name, func(b *testing.B) {
			x, y := drawn(bb.n, bb.levels)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Kendall(x, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// randomTable are scores of 20 systems on 2,000 segments.
func randomTable() (human *Scores, metric Metric) {
	r := rand.New(rand.NewPCG(7, 8))
	systems, items := make([]string, 20), make([]string, 2000)
	human, metric.Scores = NewScores(systems, items), NewScores(systems, items)
	for i := range human.Values {
		v := r.NormFloat64()
		human.Values[i] = max(0, min(100, math.Round(70+15*(v+r.NormFloat64()))))
		metric.Scores.Values[i] = v + r.NormFloat64()
	}
	return human, metric
}

func BenchmarkCalibrateTies(b *testing.B) {
	human, metric := randomTable()
	for _, g := range []Grouping{ByItem, BySystem} {
		b.Run(g.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := CalibrateTies(human, metric, g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSweep(b *testing.B) {
	human, metric := randomTable()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sweep(human, []float64{1, 25, 50}, []SweepMetric{{Metric: metric}}, KendallForms(), DARROptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSegmentLevel(b *testing.B) {
	human, metric := randomTable()
	for _, g := range []Grouping{NoGrouping, ByItem, BySystem} {
		b.Run(g.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := SegmentLevel(human, metric, g, Kendall); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPermutationPValues(b *testing.B) {
	_, metric := randomTable()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := PermutationPValues(b.Context(), metric.Scores, StandardPermutations, StandardSeed); err != nil {
			b.Fatal(err)
		}
	}
}

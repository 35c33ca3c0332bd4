package significance_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// People found 41 translations of A better, 59 of B, and 12 as good.
func ExampleSignTest() {
	s, err := significance.SignTest(41, 12, 59)
	if err != nil {
		panic(err)
	}
	fmt.Printf("n = %d, p = %.5f\n", s.N, s.P)
	// Output: n = 100, p = 0.08863
}

// scores makes up people's scores of 8 systems on 100 items, and those of a metric that is
// so far off.
func scores() (human *metaeval.Scores, metric func(name string, off float64) metaeval.Metric) {
	var systems, items []string
	for k := range 8 {
		systems = append(systems, fmt.Sprint("system ", k+1))
	}
	for i := range 100 {
		items = append(items, fmt.Sprint(i+1))
	}
	wave := func(x float64) float64 { return math.Sin(x * x) }
	human = metaeval.NewScores(systems, items)
	for k := range systems {
		for i := range items {
			human.Set(k, i, float64(k)/4+wave(float64(100*k+i)))
		}
	}
	return human, func(name string, off float64) metaeval.Metric {
		s := metaeval.NewScores(systems, items)
		for at, v := range human.Values {
			s.Values[at] = v + off*wave(off+float64(at)/3)
		}
		return metaeval.Metric{Name: name, Scores: s}
	}
}

func ExamplePermutationTest() {
	human, metric := scores()
	measure := significance.Measure{Coefficient: significance.Kendall, Segments: true}
	d, err := significance.PermutationTest(context.Background(), human, metric("x", 1), metric("y", 1.2), measure, significance.SwapOutputs, significance.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f against %.3f, p = %.3f\n", d.X, d.Y, d.P)
	// Output: 0.572 against 0.530, p = 0.004
}

func ExampleBootstrapAgreement() {
	human, metric := scores()
	metrics := []metaeval.Metric{metric("x", 1), metric("y", 1.2)}
	a, err := significance.BootstrapAgreement(context.Background(), human, metrics, significance.Measure{}, significance.SampleItems, significance.Options{})
	if err != nil {
		panic(err)
	}
	for i, m := range metrics {
		interval := a.Interval(i)
		fmt.Printf("%s: %.3f, 95%% of samples from %.3f to %.3f\n", m.Name, a.Values[i], interval.Low, interval.High)
	}
	difference, interval, p := a.Difference(0, 1)
	fmt.Printf("x − y: %.3f, %.3f to %.3f, p = %.3f\n", difference, interval.Low, interval.High, p)
	// Output:
	// x: 0.995, 95% of samples from 0.976 to 0.998
	// y: 0.991, 95% of samples from 0.969 to 0.995
	// x − y: 0.004, -0.012 to 0.024, p = 0.583
}

// Metrics in the order of their agreement with people, with the clusters that the WMT
// metrics tasks make.
func ExampleRankClusters() {
	human, metric := scores()
	metrics := []metaeval.Metric{metric("a", 3), metric("b", 1), metric("c", 1.02), metric("d", 1.5)}
	measure := significance.Measure{Segments: true}
	agreement, p := make([]float64, len(metrics)), make([][]float64, len(metrics))
	for i := range metrics {
		p[i] = make([]float64, len(metrics))
		for j := range i {
			d, err := significance.PermutationTest(context.Background(), human, metrics[i], metrics[j], measure, significance.SwapOutputs, significance.Options{})
			if err != nil {
				panic(err)
			}
			agreement[i], agreement[j] = d.X, d.Y
			p[i][j], p[j][i] = d.Greater, d.Less
		}
	}
	order := []int{0, 1, 2, 3}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(agreement[j], agreement[i]) })
	clusters, err := significance.RankClusters(order, p, .05)
	if err != nil {
		panic(err)
	}
	for _, i := range order {
		fmt.Printf("%d %s %.3f\n", clusters[i], metrics[i].Name, agreement[i])
	}
	// Output:
	// 1 c 0.795
	// 1 b 0.783
	// 2 d 0.654
	// 3 a 0.402
}

// Soft pairwise accuracy: whether a metric is as sure as people are of which of two systems
// is better.
func ExamplePairwiseP() {
	human, metric := scores()
	var p [2][][]float64
	for i, m := range []metaeval.Metric{{Name: "people", Scores: human}, metric("x", 1)} {
		var err error
		if p[i], err = significance.PairwiseP(context.Background(), m, significance.Options{}); err != nil {
			panic(err)
		}
	}
	accuracy, err := metaeval.SoftPairwiseAccuracy(p[0], p[1])
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f\n", accuracy)
	// Output: 0.990
}

// The interval of a median.
func ExampleResample() {
	lengths := []float64{3, 5, 8, 13, 21, 34, 55}
	medians, err := significance.Resample(context.Background(), len(lengths), significance.Options{}, 1, func(draws []uint32, out []float64) error {
		var sample []float64
		for _, i := range draws {
			sample = append(sample, lengths[i])
		}
		slices.Sort(sample)
		out[0] = sample[len(sample)/2]
		return nil
	})
	if err != nil {
		panic(err)
	}
	i := significance.Interval95(medians[0])
	fmt.Println(i.Low, "to", i.High)
	// Output: 5 to 34
}

package significance

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestClusters(t *testing.T) {
	const y, n = .01, .3 // significant or not
	for _, tt := range []struct {
		name          string
		order         []int
		p             [][]float64
		clusters, wmt []int // RankClusters' and Clusters'
	}{
		{"none", nil, nil, []int{}, []int{}},
		{"one", []int{0}, [][]float64{{1}}, []int{1}, []int{1}},
		{"all differ", []int{0, 1, 2}, [][]float64{{1, y, y}, {1, 1, y}, {1, 1, 1}}, []int{1, 2, 3}, []int{1, 2, 3}},
		{"none differ", []int{0, 1, 2}, [][]float64{{1, n, n}, {1, 1, n}, {1, 1, 1}}, []int{1, 1, 1}, []int{1, 1, 1}},
		{"neighbours do not differ", []int{0, 1, 2}, [][]float64{{1, n, y}, {1, 1, n}, {1, 1, 1}}, []int{1, 1, 2}, []int{1, 1, 1}},
		{"two and two", []int{2, 0, 3, 1}, [][]float64{{1, y, 1, y}, {1, 1, 1, 1}, {n, y, 1, y}, {1, n, 1, 1}}, []int{1, 2, 1, 2}, []int{1, 2, 1, 2}},
		// The third differs from the first only, the fourth from the second only.
		{"crossed", []int{0, 1, 2, 3}, [][]float64{{1, n, y, n}, {1, 1, n, y}, {1, 1, 1, n}, {1, 1, 1, 1}}, []int{1, 1, 2, 2}, []int{1, 1, 1, 1}},
		{"at the level", []int{0, 1}, [][]float64{{1, .05}, {1, 1}}, []int{1, 2}, []int{1, 2}},
	} {
		got, err := Clusters(tt.order, tt.p, .05)
		if d := cmp.Diff(tt.wmt, got); d != "" || err != nil {
			t.Errorf("%s: Clusters (-want +got):\n%s%v", tt.name, d, err)
		}
		got, err = RankClusters(tt.order, tt.p, .05)
		if d := cmp.Diff(tt.clusters, got); d != "" || err != nil {
			t.Errorf("%s: RankClusters (-want +got):\n%s%v", tt.name, d, err)
		}
	}
}

func TestClustersErrors(t *testing.T) {
	ok := [][]float64{{1, .5}, {.5, 1}}
	for _, tt := range []struct {
		order []int
		p     [][]float64
	}{
		{[]int{0}, ok},
		{[]int{0, 0}, ok},
		{[]int{0, 2}, ok},
		{[]int{-1, 0}, ok},
		{[]int{0, 1}, [][]float64{{1, .5}, {.5}}},
		{[]int{0, 1}, [][]float64{{1, math.NaN()}, {.5, 1}}},
		{[]int{0, 1}, [][]float64{{1, 1.5}, {.5, 1}}},
	} {
		if got, err := Clusters(tt.order, tt.p, .05); err == nil {
			t.Errorf("%v, %v: %v", tt.order, tt.p, got)
		}
		if got, err := RankClusters(tt.order, tt.p, .05); err == nil {
			t.Errorf("%v, %v: %v", tt.order, tt.p, got)
		}
	}
}

// Clusters follow the order, and all above a line beat all below it, if and only if there
// is a line.
func TestClustersProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		order := rapid.Permutation(indices(n)).Draw(t, "order")
		p := make([][]float64, n)
		for a := range p {
			p[a] = make([]float64, n)
			for b := range p[a] {
				p[a][b] = rapid.SampledFrom([]float64{0, .01, .5}).Draw(t, "p")
			}
		}
		got, err := Clusters(order, p, .05)
		if err != nil {
			t.Fatal(err)
		}
		finer, err := RankClusters(order, p, .05)
		if err != nil {
			t.Fatal(err)
		}
		for line := 1; line < n; line++ {
			all := true
			for _, a := range order[:line] {
				for _, b := range order[line:] {
					all = all && p[a][b] <= .05
				}
			}
			step := got[order[line]] - got[order[line-1]]
			if all != (step == 1) || step != 0 && step != 1 {
				t.Fatalf("clusters %v of order %v", got, order)
			}
			if step == 1 && finer[order[line]] != finer[order[line-1]]+1 {
				t.Fatalf("RankClusters %v, Clusters %v", finer, got)
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

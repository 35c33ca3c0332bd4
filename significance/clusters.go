package significance

import "fmt"

// Clusters divides a ranking of systems as the tables of the WMT translation tasks do: a
// line is drawn where every system above it is significantly better than every system
// below it. Systems of a cluster count as tied, even where some of them differ.
//
// Order holds the systems, best first, and p[a][b] is the p-value of system a being better
// than system b, as PairwiseP has it; it is significant at alpha and below. The result is
// the number of each system's cluster, by system, from 1 for the best.
//
// An order that is not one of all systems, and a p-value that is looked at and is outside
// 0 to 1, or alpha, are errors.
func Clusters(order []int, p [][]float64, alpha float64) ([]int, error) {
	return divide(order, p, alpha, func(line int) bool {
		for _, a := range order[:line] {
			for _, b := range order[line:] {
				if p[a][b] > alpha {
					return false
				}
			}
		}
		return true
	})
}

// RankClusters divides a ranking of metrics as the WMT metrics tasks have done since 2021:
// from the best down, a metric begins a new cluster if any metric of the present one is
// significantly better than it. Clusters are smaller than those of Clusters, and a metric
// may be no worse than some of a better cluster. Arguments and results are those of
// Clusters.
func RankClusters(order []int, p [][]float64, alpha float64) ([]int, error) {
	first := 0 // of the present cluster
	return divide(order, p, alpha, func(line int) bool {
		for _, a := range order[first:line] {
			if p[a][order[line]] <= alpha {
				first = line
				return true
			}
		}
		return false
	})
}

// divide numbers the clusters between the lines, from the best down.
func divide(order []int, p [][]float64, alpha float64, lineAbove func(place int) bool) ([]int, error) {
	if err := checkRanking(order, p); err != nil {
		return nil, err
	}
	if !(alpha >= 0 && alpha <= 1) { // NaN too
		return nil, fmt.Errorf("significance: a level of significance of %v", alpha)
	}
	out := make([]int, len(order))
	cluster := 0
	for place, k := range order {
		if place == 0 || lineAbove(place) {
			cluster++
		}
		out[k] = cluster
	}
	return out, nil
}

func checkRanking(order []int, p [][]float64) error {
	if len(p) != len(order) {
		return fmt.Errorf("significance: p-values of %d systems for an order of %d", len(p), len(order))
	}
	seen := make([]bool, len(order))
	for place, k := range order {
		if k < 0 || k >= len(order) || seen[k] {
			return fmt.Errorf("significance: place %d of the order is system %d, of %d or for the second time", place+1, k, len(order))
		}
		seen[k] = true
		if len(p[k]) != len(order) {
			return fmt.Errorf("significance: %d p-values of system %d, of %d", len(p[k]), k, len(order))
		}
	}
	for place, a := range order {
		for _, b := range order[place+1:] {
			if v := p[a][b]; !(v >= 0 && v <= 1) { // NaN too
				return fmt.Errorf("significance: the p-value of systems %d and %d is %v", a, b, v)
			}
		}
	}
	return nil
}

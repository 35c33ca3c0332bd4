package metaeval

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/numpyrand"
)

// What mt-metrics-eval, and so WMT, calls [PermutationPValues] with.
const (
	StandardPermutations = 1000
	StandardSeed         = 4
)

func tamed(s *Scores) *Scores {
	return &Scores{Systems: s.Systems, Items: s.Items, Values: moments.Tame(s.Values)}
}

// PermutationPValues gives, in p[a][b] for a < b, the one-sided p-value of system a being
// better than b, for [SoftPairwiseAccuracy]: the share of permutations in which the sums
// of their scores, exchanged or not on each item by chance, differ by at least as much as
// without (Thompson et al. 2024). Permutations are shared by all pairs and drawn as
// NumPy's default_rng(seed) does, and sums are of 32-bit numbers, as in mt-metrics-eval:
// so p-values are those that it gives, and depend on the order of systems by a little.
// Scores must be such that more is better, and none may be missing.
func PermutationPValues(s *Scores, permutations int, seed uint64) ([][]float64, error) {
	if err := s.checkValues(); err != nil {
		return nil, fmt.Errorf("metaeval: %w", err)
	}
	if permutations < 1 {
		return nil, fmt.Errorf("metaeval: %d permutations", permutations)
	}
	n := len(s.Items)
	// By item, so that the systems' scores of one lie together.
	byItem := make([]float32, len(s.Values))
	for k, system := range s.Systems {
		for i := range n {
			v := s.At(k, i)
			if math.IsNaN(v) {
				return nil, fmt.Errorf("metaeval: system %s lacks a score on item %s: leave the item out for all", system, s.Items[i])
			}
			if math.Abs(v) > 1e30 {
				return nil, fmt.Errorf("metaeval: the score of system %s on item %s is %v, too large for sums of 32 bits", system, s.Items[i], v)
			}
			byItem[i*len(s.Systems)+k] = float32(v)
		}
	}
	return permuted(byItem, len(s.Systems), n, permutations, numpyrand.New(seed)), nil
}

func permuted(byItem []float32, systems, items, permutations int, random *numpyrand.Generator) [][]float64 {
	total := make([]float32, systems)
	row := make([]float32, items)
	for k := range total {
		for i := range row {
			row[i] = byItem[i*systems+k]
		}
		total[k] = numpySum(row)
	}
	p := make([][]float64, systems)
	for a := range p {
		p[a] = make([]float64, systems)
	}
	sums, part := make([]float32, systems), make([]float32, systems)
	for range permutations {
		flipped(sums, part, byItem, items, random)
		for a := range sums {
			for b := a + 1; b < systems; b++ {
				if sums[a]-sums[b] >= total[a]-total[b] {
					p[a][b]++
				}
			}
		}
	}
	for _, row := range p {
		for b := range row {
			row[b] /= float64(permutations)
		}
	}
	return p
}

// blockItems is how many products OpenBLAS adds up, on processors with AVX-512, before it
// adds them to a sum in memory.
const blockItems = 448

// flipped sums the scores of each system, their signs by chance. It adds up blocks of items
// as OpenBLAS does in several threads, which decides which sums are equal.
func flipped(sums, part, byItem []float32, items int, random *numpyrand.Generator) {
	clear(sums)
	for left := items; left > 0; {
		n := left
		switch {
		case n >= 2*blockItems:
			n = blockItems
		case n > blockItems:
			n = (n + 1) / 2
		}
		clear(part)
		for range n {
			scores := byItem[(items-left)*len(sums):][:len(sums)]
			left--
			if random.Float32() > .5 {
				for k, v := range scores {
					part[k] += v
				}
			} else {
				for k, v := range scores {
					part[k] -= v
				}
			}
		}
		for k, v := range part {
			sums[k] += v
		}
	}
}

// numpySum sums as NumPy does, by halves down to 128 numbers and there in eight sums, which
// decides which sums are equal.
func numpySum(v []float32) float32 {
	n := len(v)
	if n < 8 {
		var sum float32
		for _, x := range v {
			sum += x
		}
		return sum
	}
	if n > 128 {
		half := n / 2
		half -= half % 8
		return numpySum(v[:half]) + numpySum(v[half:])
	}
	var r [8]float32
	copy(r[:], v)
	i := 8
	for ; i < n-n%8; i += 8 {
		for k := range r {
			r[k] += v[i+k]
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < n; i++ {
		sum += v[i]
	}
	return sum
}

package metaeval

import (
	"context"
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
// NumPy's default_rng(seed) does, and sums are of 32-bit numbers, added in the order of
// OpenBLAS with one thread on a processor with AVX-512: so p-values are those that
// mt-metrics-eval gives there. Other processors and threads add in other orders, which moves
// a p-value by a permutation or two where sums differ by rounding alone.
// Scores must be such that more is better, and none may be missing. It takes time in
// permutations × systems × items, and twice the memory of the scores, and ends as soon as
// ctx is cancelled.
func PermutationPValues(ctx context.Context, s *Scores, permutations int, seed uint64) ([][]float64, error) {
	if err := s.checkValues(); err != nil {
		return nil, fmt.Errorf("metaeval: %w", err)
	}
	if permutations < 1 {
		return nil, fmt.Errorf("metaeval: %d permutations", permutations)
	}
	for i, v := range s.Values {
		system, item := i/len(s.Items), i%len(s.Items)
		if math.IsNaN(v) {
			return nil, fmt.Errorf("metaeval: system %s lacks a score on item %s: leave the item out for all", s.Systems[system], s.Items[item])
		}
		if math.Abs(v) > 1e30 {
			return nil, fmt.Errorf("metaeval: the score of system %s on item %s is %v, too large for sums of 32 bits", s.Systems[system], s.Items[item], v)
		}
	}
	return permuted(ctx, s, permutations, numpyrand.New(seed))
}

func permuted(ctx context.Context, s *Scores, permutations int, random *numpyrand.Generator) ([][]float64, error) {
	systems, items := len(s.Systems), len(s.Items)
	tiles := signedTiles(s)
	// By pair of systems: the difference of their sums, and how often it is reached.
	reached, differences := make([]int, systems*systems), make([]float32, systems*systems)
	total := make([]float32, systems)
	row := make([]float32, items)
	for k := range total {
		for i := range row {
			row[i] = float32(s.At(k, i))
		}
		total[k] = moments.NumPySum(row)
	}
	for a := range total {
		for b := range total {
			differences[a*systems+b] = total[a] - total[b]
		}
	}
	sums := make([]float32, len(tiles)*tileSystems)
	signs := make([]uint8, items)
	for range permutations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		random.Rounded(signs)
		for t, tile := range tiles {
			*(*[tileSystems]float32)(sums[t*tileSystems:]) = flipped(tile, signs)
		}
		for a, x := range sums[:systems] {
			difference, count := differences[a*systems:][:systems], reached[a*systems:][:systems]
			for b, y := range sums[:systems] {
				n := 0
				if x-y >= difference[b] {
					n = 1
				}
				count[b] += n
			}
		}
	}
	p := make([][]float64, systems)
	for a := range p {
		p[a] = make([]float64, systems)
		for b := a + 1; b < systems; b++ {
			p[a][b] = float64(reached[a*systems+b]) / float64(permutations)
		}
	}
	return p, nil
}

// tileSystems is how many systems' sums are kept in registers.
const tileSystems = 8

// signedTiles holds, by tile of systems, two rows of each item: their scores negated, and
// as they are.
func signedTiles(s *Scores) [][][tileSystems]float32 {
	n := len(s.Items)
	tiles := make([][][tileSystems]float32, (len(s.Systems)+tileSystems-1)/tileSystems)
	for t := range tiles {
		tiles[t] = make([][tileSystems]float32, 2*n)
	}
	for k := range s.Systems {
		tile := tiles[k/tileSystems]
		for i := range n {
			v := float32(s.At(k, i))
			tile[2*i][k%tileSystems], tile[2*i+1][k%tileSystems] = -v, v
		}
	}
	return tiles
}

// What OpenBLAS does on processors with AVX-512: so many products are added up before they
// are added to a sum in memory, or about half of those that are left, by whole vectors.
const (
	blockItems = 448
	unrolled   = 16
)

// flipped sums the scores of each system of a tile, negated on the items whose sign is 0. It
// adds up blocks of items as OpenBLAS does in one thread, which decides which sums are equal.
func flipped(tile [][tileSystems]float32, signs []uint8) (sums [tileSystems]float32) {
	for len(signs) > 0 {
		n := len(signs)
		switch {
		case n >= 2*blockItems:
			n = blockItems
		case n > blockItems:
			n = (n/2 + unrolled - 1) / unrolled * unrolled
		}
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		rows := tile[:2*n]
		for i, sign := range signs[:n] {
			row := &rows[2*i+int(sign&1)]
			s0 += row[0]
			s1 += row[1]
			s2 += row[2]
			s3 += row[3]
			s4 += row[4]
			s5 += row[5]
			s6 += row[6]
			s7 += row[7]
		}
		for k, v := range [...]float32{s0, s1, s2, s3, s4, s5, s6, s7} {
			sums[k] += v
		}
		tile, signs = tile[2*n:], signs[n:]
	}
	return sums
}

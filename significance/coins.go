package significance

import (
	"context"
	"strconv"

	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
)

// permutations draws, for each permutation of the scores of two metrics, a coin for
// everything that is swapped as one. Where there are no more ways for the coins to fall
// than permutations were asked for, each way is one of them.
type permutations struct {
	swap           Swap
	systems, items int
	rows, words    int // of coins, and of 64 bits a row
	n              int // permutations
	exact          bool
	seeds          *numpyrand.Generator
}

func newPermutations(swap Swap, systems, items int, o Options) *permutations {
	p := &permutations{swap: swap, systems: systems, items: items, rows: 1, n: o.Samples}
	coins, row := items, items
	switch swap {
	case SwapOutputs:
		coins, p.rows = systems*items, systems
	case SwapSystems:
		coins, row = systems, systems
	}
	p.words = (row + 63) / 64
	if coins < strconv.IntSize-2 && 1<<coins <= o.Samples {
		p.n, p.exact = 1<<coins, true
	}
	p.seeds = numpyrand.New(o.Seed)
	return p
}

// each is how many words hold the coins of a permutation.
func (p *permutations) each() int { return p.rows * p.words }

// step is how many permutations are looked at together: enough for the tables of sums to
// pay, and about 8 MB of coins at most.
func (p *permutations) step() int {
	return min(1024, max(block, 1<<20/max(1, p.each())))
}

// coin says which of a permutation's bits decides about an output.
func (p *permutations) coin(system, item int) int {
	if p.swap == SwapSystems {
		return system
	}
	return p.row(system)*64 + item
}

// row is the word at which the coins of a system's items begin.
func (p *permutations) row(system int) int { return system % p.rows * p.words }

// flips are the coins of several permutations, set where scores are swapped.
type flips struct {
	*permutations
	n    int
	bits []uint64 // [permutation][row][word]
}

// none is one permutation that swaps nothing.
func (p *permutations) none() *flips { return &flips{p, 1, make([]uint64, p.each())} }

// draw tosses the coins of permutations lo to hi−1. Calls come in order. Each permutation
// has a generator of its own, seeded by the one of all.
func (p *permutations) draw(ctx context.Context, lo, hi, workers int) (*flips, error) {
	f := &flips{p, hi - lo, make([]uint64, (hi-lo)*p.each())}
	if p.exact {
		for i := range f.n {
			f.count(f.of(i), lo+i)
		}
		return f, nil
	}
	seeds := make([]uint64, f.n)
	for i := range seeds {
		seeds[i] = p.seeds.Uint64()
	}
	return f, parallel.For(ctx, f.n, workers, 16, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			g := numpyrand.New(seeds[i])
			bits := f.of(i)
			for w := range bits {
				bits[w] = g.Uint64()
			}
		}
		return nil
	})
}

// count sets the coins of a permutation to the binary digits of a number.
func (p *permutations) count(bits []uint64, number int) {
	systems, items := 1, p.items
	switch p.swap {
	case SwapOutputs:
		systems = p.systems
	case SwapSystems:
		items = p.systems
	}
	for k := range systems { // a word each, as there are few coins
		bits[k] = uint64(number) >> (k * items) & (1<<items - 1)
	}
}

// of returns the coins of permutation i.
func (f *flips) of(i int) []uint64 { return f.bits[i*f.each() : (i+1)*f.each()] }

// flipped is 1 where a coin, of those of a permutation, says to swap, else 0.
func flipped(bits []uint64, coin int) uint64 { return bits[coin/64] >> (coin % 64) & 1 }

// sums adds up, for each permutation and system, the values (one for each output,
// system by system) of what is swapped: sums(…)[permutation*systems+system].
//
// It looks up the sums of eight outputs at a time: the 256 there can be are worked out
// once for all permutations.
func (f *flips) sums(ctx context.Context, values []float64, workers int) ([]float64, error) {
	out := make([]float64, f.n*f.systems)
	err := parallel.For(ctx, f.systems, workers, 1, func(k, _ int) error {
		of := values[k*f.items : (k+1)*f.items]
		if f.swap == SwapSystems {
			total := sum(of)
			for i := range f.n {
				out[i*f.systems+k] = total * float64(flipped(f.of(i), k))
			}
			return nil
		}
		var table [8][256]float64
		for w := 0; w*64 < len(of); w++ {
			if w%16 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			var part [64]float64 // past the last item, nothing is added
			copy(part[:], of[w*64:])
			for b := range table {
				t := &table[b]
				for j, v := range part[b*8 : b*8+8] {
					for s := range 1 << j {
						t[1<<j+s] = t[s] + v
					}
				}
			}
			at := f.row(k) + w
			for i := range f.n {
				c := f.bits[i*f.each()+at]
				out[i*f.systems+k] += ((table[0][c&255] + table[1][c>>8&255]) + (table[2][c>>16&255] + table[3][c>>24&255])) +
					((table[4][c>>32&255] + table[5][c>>40&255]) + (table[6][c>>48&255] + table[7][c>>56]))
			}
		}
		return nil
	})
	return out, err
}

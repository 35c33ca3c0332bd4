package editdist

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/race"
)

// matrix is the distance by the plain matrix.
func matrix(pattern, text []uint32) int {
	row := make([]int, len(text)+1)
	for j := range row {
		row[j] = j
	}
	for i := range pattern {
		diagonal := row[0]
		row[0]++
		for j := range text {
			cost := diagonal
			if pattern[i] != text[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(text)]
}

// check compares what there is with the plain matrix.
func check(pattern, text []uint32, sc *Scratch) error {
	want := matrix(pattern, text)
	w := pace.Of(context.Background())
	p := NewPattern(pattern)
	if got, err := p.Distance(&w, text, sc); got != want || err != nil {
		return fmt.Errorf("distance %d, %v; want %d", got, err, want)
	}
	ops, err := p.Align(&w, text, sc)
	if err != nil {
		return err
	}
	i, j, edits := 0, 0, 0
	for _, op := range ops {
		switch op {
		case Match, Substitution:
			if (pattern[i] == text[j]) != (op == Match) {
				return fmt.Errorf("step %v at %d, %d", op, i, j)
			}
			i, j = i+1, j+1
		case Deletion:
			i++
		case Insertion:
			j++
		}
		if op != Match {
			edits++
		}
	}
	if i != len(pattern) || j != len(text) || edits != want {
		return fmt.Errorf("alignment to %d, %d with %d edits; want %d, %d, %d", i, j, edits, len(pattern), len(text), want)
	}
	counts := map[uint32]int{}
	for _, s := range pattern {
		counts[s]++
	}
	common := 0
	for _, s := range text {
		if counts[s] > 0 {
			counts[s]--
			common++
		}
	}
	if got, err := p.Common(&w, text, sc); got != common || err != nil {
		return fmt.Errorf("%d in common, %v; want %d", got, err, common)
	}
	return nil
}

// The bit vectors give what the plain matrix gives, in one block and in several, and
// an alignment is a way of that length.
func TestAgainstMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int{3, 20, 64, 65, 200}).Draw(t, "length")
		symbols := rapid.SliceOfN(rapid.Uint32Range(0, 4), 0, length)
		pattern, text := symbols.Draw(t, "pattern"), symbols.Draw(t, "text")
		var sc Scratch
		for range 2 { // with a used scratch too
			if err := check(pattern, text, &sc); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// edited returns symbols with about one of so many changed, left out or put in.
func edited(rng *rand.Rand, symbols []uint32, different uint32, of int) []uint32 {
	var out []uint32
	for _, s := range symbols {
		switch rng.IntN(3 * of) {
		case 0:
			out = append(out, rng.Uint32N(different))
		case 1:
			out = append(out, s, rng.Uint32N(different))
		case 2:
		default:
			out = append(out, s)
		}
	}
	return out
}

func random(rng *rand.Rand, n int, different uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = rng.Uint32N(different)
	}
	return out
}

// The same for long pairs, which are gone through in strips and bands, and divided.
func TestLongAgainstMatrix(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() || race.Enabled {
		seeds = 4
	}
	var sc Scratch
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 15))
		different := []uint32{2, 30, 3000}[rng.IntN(3)]
		pattern := random(rng, 900+rng.IntN(4000), different)
		var text []uint32
		switch rng.IntN(5) {
		case 0:
			text = random(rng, rng.IntN(5000), different)
		case 1:
			text = edited(rng, pattern, different, 2)
		case 2:
			text = edited(rng, pattern, different, 20)
		case 3:
			text = edited(rng, pattern, different, 1000)
		case 4: // moved
			k := rng.IntN(len(pattern))
			text = slices.Concat(pattern[k:], pattern[:k])
		}
		if err := check(pattern, text, &sc); err != nil {
			t.Errorf("seed %d, %d and %d of %d different symbols: %v", seed, len(pattern), len(text), different, err)
		}
	}
}

package editdist

import (
	"testing"

	"pgregory.net/rapid"
)

// The bit vectors give what the plain matrix gives, in one block and in several, and
// an alignment is a way of that length.
func TestAgainstMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]int{3, 20, 64, 65, 200}).Draw(t, "length")
		symbols := rapid.SliceOfN(rapid.Uint32Range(0, 4), 0, length)
		pattern, text := symbols.Draw(t, "pattern"), symbols.Draw(t, "text")
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
		want := row[len(text)]

		var sc Scratch
		p := NewPattern(pattern)
		for range 2 { // with a used scratch too
			if got := p.Distance(text, &sc); got != want {
				t.Fatalf("distance %d, want %d", got, want)
			}
			i, j, edits := 0, 0, 0
			for _, op := range p.Align(text, &sc) {
				switch op {
				case Match, Substitution:
					if (pattern[i] == text[j]) != (op == Match) {
						t.Fatalf("step %v at %d, %d", op, i, j)
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
				t.Fatalf("alignment to %d, %d with %d edits; want %d, %d, %d", i, j, edits, len(pattern), len(text), want)
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
			if got := p.Common(text, &sc); got != common {
				t.Fatalf("%d in common, want %d", got, common)
			}
		}
	})
}

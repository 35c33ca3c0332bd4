package bertscore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
)

// Texts of so many tokens that similarities are computed in blocks, or of tokens that are there
// once, allocate nothing either: different ones, such as say the same again and again, equal
// ones, in any order.
func TestLongTextsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	var words []string
	for i := range 600 {
		words = append(words, fmt.Sprintf("word%d", i*i))
	}
	ref := strings.Join(words, " ")
	again := strings.Repeat("the old weir and the new one ", 90)
	hyps := []string{
		strings.Join(words[300:], " ") + " " + strings.Join(words[:300], " "),
		again, ref, "short", ref + " " + again,
		strings.Repeat(ref+" ", 2), // more than a block has columns
	}
	s := newScorer(t, newLexical(t), bertscore.Options{Workers: 1})
	refs := make([][]string, len(hyps))
	for i := range refs {
		refs[i] = []string{ref, again, ref + " " + ref + " end"}
	}
	p, err := s.Prepare(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	for k := range hyps {
		var rows []float64
		segs := []int{k}
		call := func() {
			if rows, err = p.Append(t.Context(), rows[:0], segs, hyps[k:k+1]); err != nil {
				t.Fatal(err)
			}
		}
		if n := kit.Allocations(call); n != 0 {
			t.Errorf("hypothesis %d: %v allocations", k, n)
		}
	}
}

package selection

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/internal/moments"
)

// Options of Choose: a budget, of segments or of words or of both, and what it is spent on.
type Options struct {
	// Segments is how many to choose at most, and Words how many words they may have
	// together; 0 is no limit.
	Segments, Words int
	// Lengths has the number of words of each segment, in the language that people are paid
	// by; it is needed with Words.
	Lengths []int
	// Documents names the document of each segment, and has documents chosen whole; nil:
	// segments are chosen one by one. Segments of a document need not stand together.
	Documents []string
	// Skip has the segments that can't be chosen, such as those that people judged already;
	// nil: there are none. Of a document the others are chosen.
	Skip []bool
}

// Choose returns the segments to judge, by index, in the order in which they are chosen: from
// the highest utility down, the first of equal ones first. What no longer fits the budget is
// passed over for the next that does. A budget beyond the set chooses all of it.
//
// With Documents a document counts by the mean utility of its segments, which follow each
// other in the result as they stand in the text.
//
// Choices of n segments one by one are nested: a larger one begins with a smaller one, so that
// people can go on where they stopped. Budgets in words and documents are not always: there
// Skip goes on from what was judged.
func Choose(utilities []float64, o Options) ([]int, error) {
	if err := o.check(utilities); err != nil {
		return nil, err
	}
	var chosen []int
	words := 0
	for _, unit := range units(utilities, o.Documents, o.Skip) {
		if o.Segments > 0 && len(chosen) == o.Segments {
			break
		}
		if o.Segments > 0 && len(unit) > o.Segments-len(chosen) {
			continue
		}
		if o.Words > 0 {
			// Subtracting can't overflow, adding could.
			left := o.Words - words
			for _, i := range unit {
				if left -= o.Lengths[i]; left < 0 {
					break
				}
			}
			if left < 0 {
				continue
			}
			words = o.Words - left
		}
		chosen = append(chosen, unit...)
	}
	return chosen, nil
}

// units returns what is chosen together, the highest mean utility first.
func units(utilities []float64, documents []string, skip []bool) [][]int {
	var out [][]int
	at := make(map[string]int)
	for i := range utilities {
		if skip != nil && skip[i] {
			continue
		}
		if documents == nil {
			out = append(out, []int{i})
			continue
		}
		d, ok := at[documents[i]]
		if !ok {
			d = len(out)
			at[documents[i]] = d
			out = append(out, nil)
		}
		out[d] = append(out[d], i)
	}
	worth := make(map[int]float64, len(out)) // by the first segment
	for _, unit := range out {
		of := make([]float64, len(unit))
		for j, i := range unit {
			of[j] = utilities[i]
		}
		worth[unit[0]] = moments.Mean(of)
	}
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(worth[b[0]], worth[a[0]]) })
	return out
}

func (o Options) check(utilities []float64) error {
	switch {
	case o.Segments < 0 || o.Words < 0:
		return fmt.Errorf("selection: a budget of %d segments and %d words, which can't be negative", o.Segments, o.Words)
	case o.Words > 0 && o.Lengths == nil:
		return errors.New("selection: a budget in words needs the lengths of the segments")
	case o.Lengths != nil && len(o.Lengths) != len(utilities):
		return fmt.Errorf("selection: %d lengths for %d segments", len(o.Lengths), len(utilities))
	case o.Skip != nil && len(o.Skip) != len(utilities):
		return fmt.Errorf("selection: %d segments to skip or not, of %d", len(o.Skip), len(utilities))
	case o.Documents != nil && len(o.Documents) != len(utilities):
		return fmt.Errorf("selection: documents of %d segments for %d", len(o.Documents), len(utilities))
	}
	for i, n := range o.Lengths {
		if n < 0 {
			return fmt.Errorf("selection: segment %d has %d words", i+1, n)
		}
	}
	return checkUtilities(utilities)
}

package metaeval

import (
	"fmt"
	"math"
	"strings"
)

// DARRThreshold is WMT's threshold on differences of raw direct assessments, 0 to 100.
const DARRThreshold = 25

// DARROptions of DARR and Sweep. The zero value is WMT's: all systems, whatever their
// texts, and no ties.
type DARROptions struct {
	// Exclude says which systems are left out; nil: none. WMT20 leaves out what
	// IsHuman finds.
	Exclude func(system string) bool
	// Identical says whether the texts of systems a and b for an item are the same:
	// such a pair is a tie, whatever its scores. Nil: it is not known.
	Identical func(item, a, b int) bool
	// KeepTies keeps people's ties among the pairs, as Table5 needs.
	KeepTies bool
}

// IsHuman says whether a system's name is one that WMT gives to a human translation:
// one that starts with "human", in small letters or capitals.
func IsHuman(system string) bool {
	const prefix = "human"
	return len(system) >= len(prefix) && strings.EqualFold(system[:len(prefix)], prefix)
}

// A DARRPairs is what DARR makes of direct assessments.
type DARRPairs struct {
	// Pairs by item, then by A, then by B, with A < B.
	Pairs []Pair
	// Ranked is how many pairs have a better one, Ties how many do not, kept or not.
	Ranked, Ties int64
	// Identical is how many of the ties are for equal texts.
	Identical int64
}

// DARR makes a relative ranking out of direct assessments (Bojar et al. 2017): all pairs
// of systems that have a human score for an item, of which those are ties whose scores
// differ by less than the threshold, or not at all, or whose texts are identical.
// The error is for a threshold that is negative or not finite, and for infinite scores.
func DARR(human *Scores, threshold float64, o DARROptions) (*DARRPairs, error) {
	if err := checkThreshold(threshold); err != nil {
		return nil, err
	}
	r := &DARRPairs{}
	err := comparisons(human, o, func(item, a, b int, identical bool) {
		rel := relation(human.At(a, item), human.At(b, item), threshold)
		if identical {
			rel = 1
			r.Identical++
		}
		if rel == 1 {
			r.Ties++
			if !o.KeepTies {
				return
			}
		} else {
			r.Ranked++
		}
		r.Pairs = append(r.Pairs, Pair{Item: item, A: a, B: b, Human: int8(rel - 1)})
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// comparisons calls do for each item and pair of systems, a before b, with scores.
func comparisons(human *Scores, o DARROptions, do func(item, a, b int, identical bool)) error {
	if err := human.checkValues(); err != nil {
		return fmt.Errorf("metaeval: human scores: %w", err)
	}
	var in []int
	for k, name := range human.Systems {
		if o.Exclude == nil || !o.Exclude(name) {
			in = append(in, k)
		}
	}
	has := make([]int, 0, len(in))
	for item := range human.Items {
		has = has[:0]
		for _, k := range in {
			if !math.IsNaN(human.At(k, item)) {
				has = append(has, k)
			}
		}
		for i, a := range has {
			for _, b := range has[i+1:] {
				do(item, a, b, o.Identical != nil && o.Identical(item, a, b))
			}
		}
	}
	return nil
}

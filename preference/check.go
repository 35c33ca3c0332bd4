package preference

import (
	"fmt"
	"math"
	"slices"
)

// An Agreement says how right probabilities were about systems that people scored, over pairs
// that they scored differently. The zero value is of no pair.
type Agreement struct {
	Pairs int `json:"pairs"`
	// Accuracy is the share of pairs of which people's side had more than ½, one with ½
	// counting half.
	Accuracy float64 `json:"accuracy"`
	// Expected is the accuracy by the probabilities' own account, the mean of max(p, 1 − p).
	Expected float64 `json:"expected"`
	// LogLoss and Brier are those of Figures.
	LogLoss float64 `json:"log_loss"`
	Brier   float64 `json:"brier"`
}

// A Check is how right probabilities were about systems that people scored.
type Check struct {
	All Agreement `json:"all"`
	// Clear are the pairs whose human scores differ by more than a quarter of the standard
	// deviation of all.
	Clear Agreement `json:"clear"`
}

// Check says how right the probabilities were, given human scores of r's systems, in their
// order, more is better, NaN: none. It is an error for there to be another number of scores
// than of systems, and for one to be too large or infinite.
func (r *Result) Check(human []float64) (*Check, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if len(human) != len(r.P) {
		return nil, fmt.Errorf("preference: %d human scores of %d systems", len(human), len(r.P))
	}
	for k, v := range human {
		if math.Abs(v) > maxHuman {
			return nil, fmt.Errorf("preference: the human score of %s is %v, want within ±%g", r.Systems[k], v, maxHuman)
		}
	}
	var all, clear []float64 // probabilities of people's side
	least := leastClear(human)
	for a, h := range human {
		for b, g := range human {
			if !(h > g) { // NaN too
				continue
			}
			all = append(all, r.P[a][b])
			if h-g > least {
				clear = append(clear, r.P[a][b])
			}
		}
	}
	return &Check{All: agreement(all), Clear: agreement(clear)}, nil
}

// agreement is that of probabilities of people's side. They are added up in order of size, so
// that the sums do not depend on that of the systems.
func agreement(p []float64) Agreement {
	slices.Sort(p)
	f := worth(p)
	out := Agreement{Pairs: f.Pairs, Accuracy: f.Accuracy, LogLoss: f.LogLoss, Brier: f.Brier}
	for _, v := range p {
		out.Expected += max(v, 1-v)
	}
	out.Expected /= max(1, float64(len(p)))
	return out
}

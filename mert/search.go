package mert

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
)

// Options of Search. The zero value is what Moses does.
type Options struct {
	// Restarts is how many searches from random weights there are beside the one from the
	// weights given; 0 is 20, −1 none, and 10,000 the most.
	Restarts int
	// Directions is how many random directions are tried in each step beside those of the
	// single features (Cer et al., WMT 2008); 10,000 is the most.
	Directions int
	// Fixed are features, counted from 0, whose weights stay as they are given. Random weights
	// of the others are from −1 to 1 beside them, and no weights are scaled.
	Fixed []int
	// Seed of what is random; 0 is a seed as any other.
	Seed uint64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

const maxTries = 10_000

// fill sets what stands for 0, for so many features.
func (o *Options) fill(features int) error {
	free := features
	for k, j := range o.Fixed {
		if j < 0 || j >= features {
			return fmt.Errorf("mert: feature %d is fixed of %d, counted from 0", j, features)
		}
		if !slices.Contains(o.Fixed[:k], j) {
			free--
		}
	}
	switch {
	case free == 0:
		return fmt.Errorf("mert: all %d features are fixed: leave one to search for", features)
	case o.Restarts < -1 || o.Restarts > maxTries:
		return fmt.Errorf("mert: %d restarts: want up to %d, or -1 for none", o.Restarts, maxTries)
	case o.Directions < 0 || o.Directions > maxTries:
		return fmt.Errorf("mert: %d directions: want 0 to %d", o.Directions, maxTries)
	case o.Restarts == 0:
		o.Restarts = 20
	case o.Restarts == -1:
		o.Restarts = 0
	}
	return nil
}

// A Result is weights and what they are worth.
type Result struct {
	// Weights, of which the magnitudes add up to 1, or all are 0, unless some are fixed: how
	// large they are together does not change which candidate is first.
	Weights []float64
	// Score is the metric's, of the candidates that the weights put first.
	Score float64
	// Start is the score of the weights that the search started from.
	Start float64
}

// Search looks for weights with the best score, from those given and from random ones. Each
// step looks along every feature's axis, and random directions if wanted, and takes the best
// interval of all lines ([Lists.Line]); a search ends where none gains more than a millionth of
// the metric's scale. Random weights are from −1 to 1 each. The result is never worse than
// the weights given, and the first found of equal ones.
//
// It reports searches to mteval.WithProgress, and holds memory for each goroutine in
// proportion to the number of candidates.
func (l *Lists) Search(ctx context.Context, weights []float64, o Options) (*Result, error) {
	if err := l.check("weight", weights); err != nil {
		return nil, err
	}
	if err := o.fill(l.features); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]Result, 1+o.Restarts)
	finished := make(chan struct{}, len(found))
	var err error
	go func() {
		err = parallel.For(ctx, len(found), o.Workers, 1, func(k, _ int) error {
			a := &ascent{lists: l, sweep: newSweep(l), random: rand.New(rand.NewPCG(o.Seed, uint64(k))), directions: o.Directions, fixed: o.Fixed}
			start := weights
			if k > 0 {
				start = a.draw()
				for _, j := range o.Fixed {
					start[j] = weights[j]
				}
			}
			err := a.climb(ctx, start)
			found[k] = a.at
			finished <- struct{}{}
			return err
		})
		close(finished)
	}()
	done := 0
	for range finished {
		done++
		mteval.ReportProgress(ctx, done, len(found))
	}
	if err != nil {
		return nil, err
	}
	best := found[0]
	for _, x := range found[1:] {
		if l.sign*x.Score > l.sign*best.Score {
			best.Weights, best.Score = x.Weights, x.Score
		}
	}
	return &best, nil
}

// An ascent is a search from one point.
type ascent struct {
	lists      *Lists
	sweep      *sweep
	random     *rand.Rand
	directions int
	fixed      []int
	at         Result
}

// draw draws a point, each number from −1 to 1.
func (a *ascent) draw() []float64 {
	x := make([]float64, a.lists.features)
	for j := range x {
		x[j] = 2*a.random.Float64() - 1
	}
	return x
}

// climb takes steps from a point for as long as they gain.
func (a *ascent) climb(ctx context.Context, start []float64) error {
	a.at.Weights = a.normal(start)
	a.at.Score = a.score(a.at.Weights)
	a.at.Start = a.at.Score
	for {
		gained, err := a.step(ctx)
		if err != nil || !gained {
			return err
		}
	}
}

// step goes to the best point on all lines from here, and says whether it gains.
func (a *ascent) step(ctx context.Context) (bool, error) {
	l := a.lists
	a.sweep.from(a.at.Weights)
	best := l.sign*a.at.Score + l.scale*1e-6
	var to []float64
	for d := range l.features + a.directions {
		direction, ok := a.direction(d)
		if !ok {
			continue
		}
		x, err := a.sweep.best(ctx, direction)
		if err != nil {
			return false, err
		}
		if l.sign*x.Score <= best {
			continue
		}
		next := make([]float64, l.features)
		for j, w := range a.at.Weights {
			next[j] = w + x.At*direction[j]
		}
		next = a.normal(next)
		if slices.ContainsFunc(next, func(w float64) bool { return !(math.Abs(w) <= most) }) {
			continue
		}
		// What the weights are worth as they are: they were rounded.
		if s := l.sign * a.score(next); s > best {
			best, to = s, next
		}
	}
	if to == nil {
		return false, nil
	}
	a.at.Weights, a.at.Score = to, l.sign*best
	return true, nil
}

// direction is that of a step, from 0: an axis, or a random one. It is false for a fixed axis.
func (a *ascent) direction(d int) ([]float64, bool) {
	if d >= a.lists.features {
		x := a.draw()
		for _, j := range a.fixed {
			x[j] = 0
		}
		return x, true
	}
	x := make([]float64, a.lists.features)
	x[d] = 1
	return x, !slices.Contains(a.fixed, d)
}

// score is that of the candidates that weights put first.
func (a *ascent) score(weights []float64) float64 {
	a.lists.choose(a.sweep.first, weights)
	a.sweep.total.set(a.sweep.first)
	return a.sweep.total.score()
}

// normal returns weights of which the magnitudes add up to 1, or zeros; if some are fixed, the
// weights as they are.
func (a *ascent) normal(weights []float64) []float64 {
	if len(a.fixed) > 0 {
		return slices.Clone(weights)
	}
	sum := 0.0
	for _, w := range weights {
		sum += math.Abs(w)
	}
	out := make([]float64, len(weights))
	for j, w := range weights {
		if sum > 0 {
			out[j] = w / sum
		}
	}
	return out
}

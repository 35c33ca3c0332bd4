package tune

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// Zero values, nil, negative and huge ones are errors, and ask for no memory.
func TestMisuse(t *testing.T) {
	start := toy{alpha: .85, beta: .2, gamma: .2}
	one := []Set{judged("one", 1, toy{alpha: .3, beta: 1.5, gamma: .7}, 20)}
	large := one[0]
	large.Scores = append([]float64{1e308}, large.Scores[1:]...)
	for name, tt := range map[string]struct {
		s     tunable.Scorer
		train []Set
		o     Options
	}{
		"no metric":            {nil, one, Options{}},
		"zero set":             {start, []Set{{}}, Options{}},
		"zero set, Pearson":    {start, []Set{{}}, Options{Objective: Pearson}},
		"zero set, systems":    {start, []Set{{}}, Options{Objective: Accuracy}},
		"objective":            {start, one, Options{Objective: -1}},
		"folds":                {start, one, Options{Folds: math.MinInt}},
		"too many folds":       {start, one, Options{Folds: math.MaxInt32}},
		"MaxInt folds":         {start, one, Options{Folds: math.MaxInt}},
		"restarts":             {start, one, Options{Restarts: -1}},
		"too many restarts":    {start, one, Options{Restarts: math.MaxInt32}},
		"MaxInt restarts":      {start, one, Options{Restarts: math.MaxInt}},
		"evaluations":          {start, one, Options{Evaluations: -1}},
		"MaxInt evaluations":   {start, one, Options{Evaluations: math.MaxInt}},
		"share NaN":            {start, one, Options{HeldOut: math.NaN()}},
		"share below 0":        {start, one, Options{HeldOut: -1}},
		"nothing to fit":       {start, one, Options{Fixed: []string{"alpha", "beta", "gamma"}}},
		"a score of 1e308":     {start, []Set{large}, Options{Objective: Pearson}},
		"a parameter of NaN":   {toy{alpha: math.NaN()}, one, Options{}},
		"parameters of no use": {toy{alpha: 2}, one, Options{}},
	} {
		if r, err := Fit(context.Background(), tt.s, tt.train, nil, tt.o); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if r, err := (&tuned.Result{}).Apply(start); err == nil {
		t.Error(r)
	}
}

// A metric whose scores are all equal agrees with nobody, whatever the score: of three
// times .1 the mean is not .1, and what is left of the variance is of rounding.
func TestEqualScores(t *testing.T) {
	for _, v := range []float64{0, .1, 33.3, 5e-324, 1e308} {
		for n := 2; n < 20; n++ {
			e := newEvaluator(Pearson)
			human := make([]float64, n)
			for i := range human {
				e.metric = append(e.metric, v)
				human[i] = float64(i)
			}
			if got := e.pearson(toy{}, human); got != -1 {
				t.Errorf("%d times %v: %v", n, v, got)
			}
		}
	}
}

// A search that would take hours ends between two evaluations.
func TestCancelled(t *testing.T) {
	train := []Set{judged("a", 1, toy{alpha: .3, beta: 1.5, gamma: .7}, 200)}
	for o := Kendall; int(o) < len(objectives); o++ {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		_, err := Fit(ctx, toy{alpha: .85, beta: .2, gamma: .2}, train, nil, Options{Objective: o, Evaluations: maxEvaluations})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", o, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s ended after %v", o, d)
		}
		cancel()
	}
}

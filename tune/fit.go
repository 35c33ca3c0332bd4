package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// Options of Fit. The zero value maximises Kendall, fits all parameters, holds out a fifth of the
// sources where there is no test data, and has five folds.
type Options struct {
	// Objective is what is made as large as possible.
	Objective Objective
	// Only names the parameters to fit; nil: all. Fixed names parameters to leave as
	// they are.
	Only, Fixed []string
	// Folds of cross-validation, by source; 0 is 5, and 1 none. No more than there are
	// sources in any set.
	Folds int
	// HeldOut is the share of the sources of each set that is held out where there is
	// no test data; 0 is .2.
	HeldOut float64
	// Restarts is how many searches there are for a fit, the first from the scorer's
	// values, the others from random ones; 0 is 3, and 10,000 the most.
	Restarts int
	// Evaluations is the most in one search; 0 is 200 for each parameter that is fitted,
	// and a thousand million the most.
	Evaluations int
	// Seed of the folds and the searches; 0 is a seed as any other.
	Seed uint64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

const (
	maxRestarts    = 10_000
	maxEvaluations = 1_000_000_000
)

func (o *Options) fill(parameters int) error {
	if o.Objective < 0 || int(o.Objective) >= len(objectives) {
		return fmt.Errorf("tune: no objective %d", int(o.Objective))
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.HeldOut == 0 {
		o.HeldOut = .2
	}
	if o.Restarts == 0 {
		o.Restarts = 3
	}
	if o.Evaluations == 0 {
		o.Evaluations = 200 * parameters
	}
	switch {
	case o.Folds < 1 || o.Restarts < 1 || o.Evaluations < 1:
		return fmt.Errorf("tune: %d folds, %d restarts, %d evaluations: each is from 1 up", o.Folds, o.Restarts, o.Evaluations)
	case o.Restarts > maxRestarts || o.Evaluations > maxEvaluations:
		return fmt.Errorf("tune: %d restarts, %d evaluations: the most are %d and %d", o.Restarts, o.Evaluations, maxRestarts, maxEvaluations)
	case !(o.HeldOut > 0 && o.HeldOut < 1):
		return fmt.Errorf("tune: a share of %v is held out: want one above 0 and below 1", o.HeldOut)
	}
	return nil
}

// A job is one fit: on which data, and what it is then tested on.
type job struct {
	name        string
	train, test []*part
	best        best
}

// Fit finds parameters of s on the training sets, and says how well they do on the test
// sets, or, if there is none, on sources that were held out of the training sets. It reports
// texts kept, and then evaluations, to mteval.WithProgress.
//
// Where scores are all equal a correlation counts as −1, as it does under Kendall.
//
// The error is for options and sets that are wrong, or too small to be split; and ctx's,
// as soon as it is cancelled.
func Fit(ctx context.Context, s tunable.Scorer, train, test []Set, o Options) (*tuned.Result, error) {
	if err := rows.CheckScorer(s); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if len(train) == 0 {
		return nil, errors.New("tune: no training data")
	}
	space, err := newSpace(s.Parameters(), o.Only, o.Fixed)
	if err != nil {
		return nil, err
	}
	if err := o.fill(len(space.axes)); err != nil {
		return nil, err
	}
	out := &tuned.Result{
		Version: tuned.Version, Metric: s.Info().Name, Objective: o.Objective.String(),
		Seed: o.Seed, Restarts: o.Restarts, Evaluations: o.Evaluations,
	}
	var fitted, held []*part
	if fitted, out.Data, err = keepAll(ctx, s, train, o.Objective); err != nil {
		return nil, err
	}
	if held, out.Test, err = keepAll(ctx, s, test, o.Objective); err != nil {
		return nil, err
	}
	if err := distinct(out.Data, out.Test); err != nil {
		return nil, err
	}
	if len(test) == 0 {
		out.HeldOutShare = o.HeldOut
		fitted, held = holdOut(fitted, o)
	}
	jobs, err := newJobs(fitted, held, o)
	if err != nil {
		return nil, err
	}
	if err := searchAll(ctx, s, space, jobs, &o); err != nil {
		return nil, err
	}
	best, err := s.WithParameters(jobs[0].best.values)
	if err != nil {
		return nil, err
	}
	out.Signature = best.Info().Signature.String()
	out.Parameters = space.parameters(s.Parameters(), jobs[0].best.values)
	if out.Figures, err = figures(ctx, s, jobs, o); err != nil {
		return nil, err
	}
	return out, nil
}

// keepAll keeps the statistics of sets, and describes these.
func keepAll(ctx context.Context, s tunable.Scorer, sets []Set, o Objective) (parts []*part, data []tuned.Data, err error) {
	for i := range sets {
		p, err := sets[i].keep(ctx, s, o)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, p)
		data = append(data, sets[i].describe(p, o))
	}
	return parts, data, nil
}

// holdOut divides each part in what is fitted and a share of the sources that is held out.
func holdOut(parts []*part, o Options) (fitted, held []*part) {
	for _, p := range parts {
		place := places(p, o.Seed, 1)
		n := int(math.Ceil(o.HeldOut * float64(len(place))))
		held = append(held, p.of(p.name, func(source int) bool { return place[source] < n }))
		fitted = append(fitted, p.of(p.name, func(source int) bool { return place[source] >= n }))
	}
	return fitted, held
}

// newJobs are the fit on all the data, the folds, and that without each of several sets.
func newJobs(fitted, held []*part, o Options) ([]*job, error) {
	for _, p := range fitted {
		// Before so many folds are made.
		if n := len(p.sources()); o.Folds > 1 && n < o.Folds {
			return nil, fmt.Errorf("tune: %s: %d sources: too little data for %d folds and what is held out", p.name, n, o.Folds)
		}
	}
	jobs := []*job{{name: "the training data", train: fitted, test: held}}
	if o.Folds > 1 {
		jobs = append(jobs, folds(fitted, o)...)
	}
	if len(fitted) > 1 {
		for i, p := range fitted {
			j := &job{name: p.name, test: []*part{p}}
			j.train = append(append(j.train, fitted[:i]...), fitted[i+1:]...)
			jobs = append(jobs, j)
		}
	}
	for _, j := range jobs {
		for _, p := range append(append([]*part(nil), j.train...), j.test...) {
			if err := p.check(o.Objective); err != nil {
				return nil, fmt.Errorf("%w: too little data for %d folds and what is held out", err, o.Folds)
			}
		}
	}
	return jobs, nil
}

// distinct returns an error for a set that stands twice, or is both for training and for
// testing.
func distinct(train, test []tuned.Data) error {
	at := make(map[string]string)
	for _, d := range append(append([]tuned.Data(nil), train...), test...) {
		if before, ok := at[d.SHA256]; ok {
			return fmt.Errorf("tune: %s and %s are the same data", before, d.Name)
		}
		at[d.SHA256] = d.Name
	}
	return nil
}

// places shuffles the sources of p, and returns the place of each.
func places(p *part, seed, stream uint64) map[int]int {
	sources := p.sources()
	rand.New(rand.NewPCG(seed, stream)).Shuffle(len(sources), func(i, j int) { sources[i], sources[j] = sources[j], sources[i] })
	out := make(map[int]int, len(sources))
	for place, source := range sources {
		out[source] = place
	}
	return out
}

// folds are the jobs of cross-validation.
func folds(parts []*part, o Options) []*job {
	jobs := make([]*job, o.Folds)
	for f := range jobs {
		jobs[f] = &job{name: fmt.Sprintf("fold %d", f+1)}
	}
	for _, p := range parts {
		place := places(p, o.Seed, 2)
		for f, j := range jobs {
			name := p.name + ", " + j.name
			j.train = append(j.train, p.of(name, func(source int) bool { return place[source]%o.Folds != f }))
			j.test = append(j.test, p.of(name, func(source int) bool { return place[source]%o.Folds == f }))
		}
	}
	return jobs
}

// searchAll does all searches of all jobs, and sets what is best for each.
func searchAll(ctx context.Context, s tunable.Scorer, space *space, jobs []*job, o *Options) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n := len(jobs) * o.Restarts
	found := make([]best, n)
	var evaluations atomic.Int64
	ended := make(chan error, 1)
	go func() {
		ended <- parallel.For(ctx, n, o.Workers, 1, func(lo, _ int) error {
			r := &search{
				scorer: s, space: space, parts: jobs[lo/o.Restarts].train, objective: o.Objective,
				seed: o.Seed, number: uint64(lo) + 16, random: lo%o.Restarts > 0, // the splits have the streams before
				limit: o.Evaluations, done: &evaluations,
			}
			var err error
			found[lo], err = r.run(ctx)
			return err
		})
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	total := n * o.Evaluations
	for {
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			mteval.ReportProgress(ctx, total, total)
			for i, b := range found {
				// Of equals the first, which starts from the scorer's values.
				if j := jobs[i/o.Restarts]; j.best.values == nil || b.value > j.best.value {
					j.best = b
				}
			}
			return nil
		case <-tick.C:
			mteval.ReportProgress(ctx, min(total, int(evaluations.Load())), total)
		}
	}
}

// figure evaluates the job's result on some parts.
func (j *job) figure(ctx context.Context, s tunable.Scorer, e *evaluator, name string, parts []*part) (tuned.Figure, error) {
	if err := ctx.Err(); err != nil {
		return tuned.Figure{}, err
	}
	t, err := s.WithParameters(j.best.values)
	if err != nil {
		return tuned.Figure{}, err
	}
	return tuned.Figure{Name: name, Untuned: e.value(s, parts), Tuned: e.value(t, parts)}, nil
}

// figures evaluates the jobs' results, the first of which is the fit on all the data.
func figures(ctx context.Context, s tunable.Scorer, jobs []*job, o Options) (tuned.Figures, error) {
	e := newEvaluator(o.Objective)
	figure := func(j *job, name string, parts []*part) (tuned.Figure, error) {
		return j.figure(ctx, s, e, name, parts)
	}
	var out tuned.Figures
	var err error
	all := jobs[0]
	if out.Train, err = figure(all, "", all.train); err != nil {
		return out, err
	}
	if out.HeldOut, err = figure(all, "", all.test); err != nil {
		return out, err
	}
	if len(all.test) > 1 {
		for _, p := range all.test {
			f, err := figure(all, p.name, []*part{p})
			if err != nil {
				return out, err
			}
			out.HeldOutSets = append(out.HeldOutSets, f)
		}
	}
	jobs = jobs[1:]
	if o.Folds > 1 {
		var untuned, after []float64
		for _, j := range jobs[:o.Folds] {
			f, err := figure(j, "", j.test)
			if err != nil {
				return out, err
			}
			out.Folds = append(out.Folds, f)
			untuned, after = append(untuned, f.Untuned), append(after, f.Tuned)
		}
		out.CrossValidated.Untuned, out.SD.Untuned = stat.MeanStdDev(untuned, nil)
		out.CrossValidated.Tuned, out.SD.Tuned = stat.MeanStdDev(after, nil)
		jobs = jobs[o.Folds:]
	}
	for _, j := range jobs {
		f, err := figure(j, j.name, j.test)
		if err != nil {
			return out, err
		}
		out.LeftOut = append(out.LeftOut, f)
	}
	return out, nil
}

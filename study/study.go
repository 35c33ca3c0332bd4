// Package study says what difficulty-aware scoring is worth, and how sure that is: it
// correlates metrics and their difficulty-aware forms (package difficulty) with people's
// scores of systems, for the K best systems by these scores and every K from
// ranking.FewestK up, the difficulty being estimated among the K, and tests whether a form
// differs from the metric that it is made of. Any mteval.Scorer can be studied, and one that
// is a mteval.MatchScorer has forms.
//
// # Intervals
//
// Intervals are the middle 95% of bootstrap samples. Over segments: the same systems and
// scores of people on other texts. Over systems: other systems on these texts, the scores of
// each staying what they are, with the difficulty among the K. Samples on which a correlation
// is undefined, as that of one system drawn K times, are left out and counted.
//
// # Tests
//
// P of a difference is that of the paired bootstrap over segments, two-sided, and Holm is P
// adjusted for all K of a form and a coefficient. Perm is PERM-INPUTS (Deutsch, Dror and
// Roth, TACL 2021), which swaps segments' scores between the form and its metric. It is of
// means of segments' scores. These are the score of a form with difficulty.MeanF, as Combined
// is; another has the F of mean precision and mean recall, and Perm is of its segments' means
// all the same. It is not adjusted.
//
// Few systems can say little: see Chance. Results do not depend on the number of workers.
package study

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// A Subject is a metric to study, with its difficulty-aware forms, if any: the Scorer must be
// a mteval.MatchScorer then.
type Subject struct {
	Scorer mteval.Scorer
	Forms  []Form
}

// A Form is a difficulty-aware form of a metric.
type Form struct {
	Name    string // for people
	Options difficulty.Options
}

// Options of a study. The zero value is that of the command `mteval study`.
type Options struct {
	// Samples is the number of bootstrap samples and of permutations; 0 is 1,000.
	Samples int
	// Seed of the samples; 0 is 12345.
	Seed uint64
	// Alpha is the level of significance of verdicts and of what is beyond chance, above
	// 0 and below 1; 0 is .05.
	Alpha float64
	// Workers bounds the goroutines that work on samples; 0 is GOMAXPROCS.
	Workers int
	// Stage, if not nil, is called before each stage of the work with its name, and
	// returns the context that the stage reports to (mteval.WithProgress) and what is
	// called after it. Without it all stages report to the context of Run, each from 0
	// to a total of its own, and a context or a function that it returns nil is as without
	// it.
	Stage func(ctx context.Context, name string) (context.Context, func())
}

func (o *Options) set() error {
	if o.Samples < 0 {
		return fmt.Errorf("study: %d samples", o.Samples)
	}
	if o.Samples == 0 {
		o.Samples = 1000
	}
	if o.Alpha == 0 {
		o.Alpha = .05
	}
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("study: Alpha %v: a level is above 0 and below 1", o.Alpha)
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	return nil
}

// stage begins a stage, and returns its context and what ends it, neither nil.
func (o *Options) stage(ctx context.Context, name string) (context.Context, func()) {
	end := func() {}
	if o.Stage == nil {
		return ctx, end
	}
	of, done := o.Stage(ctx, name)
	if of != nil {
		ctx = of
	}
	if done != nil {
		end = done
	}
	return ctx, end
}

func (o *Options) significance() significance.Options {
	return significance.Options{Samples: o.Samples, Seed: o.Seed, Workers: o.Workers}
}

// signature is that of a result.
func (o *Options) signature() mteval.Signature {
	return mteval.Signature{
		{Key: "interval", Value: "boot-segments,boot-systems"},
		{Key: "test", Value: "paired-bootstrap-segments,perm-inputs"},
		{Key: "samples", Value: strconv.Itoa(o.Samples)},
		{Key: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		{Key: "correction", Value: "holm-over-k"},
		{Key: "alpha", Value: decimal.Format(o.Alpha)},
		{Key: "version", Value: "mteval-" + mteval.Version},
	}
}

// A run is a study that is being made.
type run struct {
	Options
	refs    [][]string
	order   *ranking.Order  // of the systems given
	systems []mteval.System // in this order
	best    *ranking.Order  // of these
	result  *Result
}

// Run studies metrics. Of the matchings of tokens, which take about 100 bytes for each token
// of an output, it keeps those of one metric at a time.
//
// The systems must have as many outputs as there are references. Errors are those of
// ranking.NewOrder, ErrFewSystems, ErrEqualScores, those of Options, and *MetricError. When
// ctx is cancelled, it stops and returns ctx's error, wrapped.
func Run(ctx context.Context, refs [][]string, systems []mteval.System, human []ranking.Human, metrics []Subject, o Options) (*Result, error) {
	if err := o.set(); err != nil {
		return nil, err
	}
	if err := check(metrics); err != nil {
		return nil, err
	}
	r, err := newRun(refs, systems, human, o)
	if err != nil {
		return nil, err
	}
	for _, m := range metrics {
		if err := r.metric(ctx, m); err != nil {
			return nil, &MetricError{m.Scorer.Info().Name, r.atGiven(err)}
		}
	}
	if err := r.adjust(); err != nil {
		return nil, err
	}
	return r.result, nil
}

// check finds what can't be studied, before hours of work.
func check(metrics []Subject) error {
	if len(metrics) == 0 {
		return errors.New("study: no metric")
	}
	for i, m := range metrics {
		if contract.Nil(m.Scorer) {
			return fmt.Errorf("study: metric %d is nil", i+1)
		}
		if err := rows.CheckScorer(m.Scorer); err != nil {
			return fmt.Errorf("study: %w", err)
		}
		name := m.Scorer.Info().Name
		if _, ok := m.Scorer.(mteval.MatchScorer); !ok && len(m.Forms) > 0 {
			return fmt.Errorf("study: %s does not match tokens, and has no difficulty-aware form", name)
		}
		for _, f := range m.Forms {
			if err := f.Options.Check(); err != nil {
				return fmt.Errorf("study: form %s of %s: %w", f.Name, name, err)
			}
		}
	}
	return nil
}

func newRun(refs [][]string, systems []mteval.System, human []ranking.Human, o Options) (*run, error) {
	if len(systems) == 0 {
		return nil, fmt.Errorf("%w: none is given", ErrFewSystems)
	}
	names := make([]string, len(systems))
	for k, s := range systems {
		names[k] = s.Name
	}
	order, err := ranking.NewOrder(names, human)
	if err != nil {
		return nil, err
	}
	n := len(order.Systems)
	if n < ranking.FewestK {
		return nil, fmt.Errorf("%w: %d have a human score, %d at least are needed", ErrFewSystems, n, ranking.FewestK)
	}
	if order.Human[0] == order.Human[n-1] {
		return nil, ErrEqualScores
	}
	r := &run{Options: o, refs: refs, order: order, best: &ranking.Order{Human: order.Human}}
	r.result = &Result{Segments: len(refs), Missing: order.Missing, Signature: r.signature()}
	for place, k := range order.Systems {
		r.systems = append(r.systems, systems[k])
		r.best.Systems = append(r.best.Systems, place)
		r.result.Systems = append(r.result.Systems, ranking.Human{System: names[k], Score: order.Human[place]})
	}
	for _, k := range order.Unscored {
		r.result.Unscored = append(r.result.Unscored, names[k])
	}
	for k := ranking.FewestK; k <= n; k++ {
		c, err := ChanceOf(k, o.Alpha)
		if err != nil {
			return nil, err
		}
		r.result.Chance = append(r.result.Chance, c)
	}
	return r, nil
}

// atGiven returns an error at an output as one at the place of its system among those given.
func (r *run) atGiven(err error) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Side != mteval.HypothesisSide || at.Index < 0 || at.Index >= len(r.order.Systems) {
		return err
	}
	moved := *at
	moved.Index = r.order.Systems[at.Index]
	return &moved
}

package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/rows"
)

// A Description is all that a worker needs to make a metric.
type Description struct {
	// Name of the scores; "" is the metric's, with "da-" before or "+da" behind it where it is
	// aware of difficulty, as Info().Name has it.
	Name string `json:"name,omitempty"`
	// Metric is the name under which it is registered.
	Metric string `json:"metric"`
	// Options in the form that the metric takes; nil is its default.
	Options json.RawMessage `json:"options,omitempty"`
	// Difficulty, if not nil, makes a mteval.MatchScorer aware of difficulty, estimated for each
	// segment by the systems that have an output for it. All records of the segment must have
	// the same references then.
	Difficulty *difficulty.Options `json:"difficulty,omitempty"`
}

// ScoreName is what its scores are called.
func (d *Description) ScoreName() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Difficulty == nil:
		return d.Metric
	case d.Difficulty.AddPlain:
		return d.Metric + "+da"
	}
	return "da-" + d.Metric
}

// An Opener makes a metric of its options. It is called once in a worker's process for all
// that describe the same, and close, if not nil, when none of them uses it any more.
//
// A row of the metric must not depend on other segments that are prepared with its own, as an IDF
// does: what is in a call is what happens to be in a bundle.
type Opener func(ctx context.Context, options json.RawMessage) (s mteval.Scorer, close func() error, err error)

var (
	openersMu sync.RWMutex
	openers   = map[string]Opener{}
)

// Register makes a metric known under a name. It is meant to be called when packages are
// initialised, so that every worker knows what the program does; it panics if the name is "" or
// taken, or open is nil.
func Register(name string, open Opener) {
	openersMu.Lock()
	defer openersMu.Unlock()
	if name == "" || open == nil || openers[name] != nil {
		panic(fmt.Sprintf("distributed: metric %q is registered already, or has no name or no Opener", name))
	}
	openers[name] = open
}

// Registered returns the names of the metrics that are registered, sorted.
func Registered() []string {
	openersMu.RLock()
	defer openersMu.RUnlock()
	return slices.Sorted(maps.Keys(openers))
}

// Check says what is wrong with descriptions, as far as that is known without opening them:
// none at all, a metric that is not registered, options that are no JSON, those of difficulty, two
// of the same name.
func Check(metrics []Description) error {
	if len(metrics) == 0 {
		return errors.New("distributed: no metrics")
	}
	names := map[string]bool{}
	for i := range metrics {
		d := &metrics[i]
		openersMu.RLock()
		known := openers[d.Metric] != nil
		openersMu.RUnlock()
		if !known {
			return fmt.Errorf("distributed: no metric %q is registered: there are %s", d.Metric, strings.Join(Registered(), ", "))
		}
		if len(d.Options) > 0 && !json.Valid(d.Options) {
			return fmt.Errorf("distributed: metric %s: its options are no JSON", d.ScoreName())
		}
		if d.Difficulty != nil {
			if err := d.Difficulty.Check(); err != nil {
				return err
			}
		}
		if names[d.ScoreName()] {
			return fmt.Errorf("distributed: two metrics are called %q: give one a Name", d.ScoreName())
		}
		names[d.ScoreName()] = true
	}
	return nil
}

// mustCheck is Check for transforms, which have no error to return.
func mustCheck(metrics []Description) {
	if err := Check(metrics); err != nil {
		panic(err)
	}
}

// shared is a scorer that all of a process's DoFns have.
type shared struct {
	mu     sync.Mutex // held while it is opened
	users  int
	scorer mteval.Scorer
	close  func() error
}

var (
	sharedMu sync.Mutex
	open     = map[string]*shared{} // by name and options
)

// acquire returns the scorer of a description, opened if it was not, and what releases it.
func acquire(ctx context.Context, d *Description) (mteval.Scorer, func() error, error) {
	openersMu.RLock()
	opener := openers[d.Metric]
	openersMu.RUnlock()
	if opener == nil {
		return nil, nil, fmt.Errorf("distributed: no metric %q is registered on the worker", d.Metric)
	}
	key := fmt.Sprintf("%d %s %s", len(d.Metric), d.Metric, d.Options)
	sharedMu.Lock()
	s := open[key]
	if s == nil {
		s = new(shared)
		open[key] = s
	}
	s.users++
	sharedMu.Unlock()
	release := func() error {
		sharedMu.Lock()
		s.users--
		last := s.users == 0
		if last {
			delete(open, key)
		}
		sharedMu.Unlock()
		if !last || s.close == nil {
			return nil
		}
		return s.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scorer == nil {
		scorer, closer, err := opener(ctx, d.Options)
		if err == nil {
			if err = rows.CheckScorer(scorer); err != nil {
				err = fmt.Errorf("its Opener gave a scorer that can't be used: %w", err)
			}
		}
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("distributed: metric %s: %w", d.ScoreName(), err), release())
		}
		s.scorer, s.close = scorer, closer
	}
	return s.scorer, release, nil
}

// A metric is a description that is opened.
type metric struct {
	*Description
	scorer  mteval.Scorer       // that makes scores of rows
	sources mteval.SourceScorer // nil: it does not look at them
	match   mteval.MatchScorer  // of Difficulty
	inputs  mteval.Inputs
	info    mteval.Info
	release func() error
}

// openMetrics opens all of them, or none.
func openMetrics(ctx context.Context, descriptions []Description) (_ []metric, err error) {
	out := make([]metric, 0, len(descriptions))
	defer func() {
		if err != nil {
			err = errors.Join(err, closeMetrics(out))
		}
	}()
	for i := range descriptions {
		m := metric{Description: &descriptions[i]}
		if m.scorer, m.release, err = acquire(ctx, m.Description); err != nil {
			return out, err
		}
		out = append(out, m)
		if err := out[i].set(ctx); err != nil {
			return out, fmt.Errorf("distributed: metric %s: %w", m.ScoreName(), err)
		}
	}
	return out, nil
}

func closeMetrics(metrics []metric) error {
	var errs []error
	for i := range metrics {
		errs = append(errs, metrics[i].release())
	}
	return errors.Join(errs...)
}

func (m *metric) set(ctx context.Context) error {
	m.inputs, m.info = mteval.InputsOf(m.scorer), m.scorer.Info()
	if s, ok := m.scorer.(mteval.SourceScorer); ok && m.inputs.Sources != mteval.Unused {
		m.sources = s
	}
	if m.Difficulty == nil {
		return nil
	}
	var ok bool
	if m.match, ok = m.scorer.(mteval.MatchScorer); !ok {
		return errors.New("it pairs no tokens, which difficulty weighs: it is no mteval.MatchScorer")
	}
	field, err := difficulty.NewField(m.match, nil, *m.Difficulty, difficulty.Function{})
	if err != nil {
		return err
	}
	m.info = field.Info()
	// Two systems without a segment, as what makes scores of rows is the same for all weights.
	matcher, err := m.match.PrepareMatch(ctx, nil)
	if err != nil {
		return err
	}
	ms, err := mteval.MatchSystems(ctx, matcher, []mteval.System{{Name: "a"}, {Name: "b"}})
	if err != nil {
		return err
	}
	weights, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		return err
	}
	scorer, err := difficulty.New(m.match, weights, *m.Difficulty)
	if err != nil {
		return err
	}
	m.scorer = scorer
	return nil
}

// opened are the metrics of a DoFn, from its Setup to its Teardown.
type opened struct {
	Metrics []Description

	metrics []metric
}

// Setup opens the metrics, unless another DoFn of the process has them.
func (o *opened) Setup(ctx context.Context) (err error) {
	o.metrics, err = openMetrics(ctx, o.Metrics)
	return err
}

// Teardown closes those that no other DoFn has.
func (o *opened) Teardown() error {
	metrics := o.metrics
	o.metrics = nil
	return closeMetrics(metrics)
}

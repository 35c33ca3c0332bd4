package main

import (
	"context"
	"slices"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// work is what metrics make of systems, kept so that nothing is done twice.
type work struct {
	app     *app
	start   time.Time
	label   string // stands before the names of steps
	corpus  *corpus
	systems []mteval.System // of the corpus
	scored  []scoredOutputs
	matched []matchedOutputs
}

// scoredOutputs are a metric's rows, with a complete signature.
type scoredOutputs struct {
	by    mteval.Scorer
	table *mteval.Table
}

// matchedOutputs are what a metric's matcher made.
type matchedOutputs struct {
	by mteval.Info
	ms *mteval.Matchings
}

// sameMetric says whether two metrics give the same scores.
func sameMetric(a, b mteval.Info) bool {
	return a.Name == b.Name && slices.Equal(a.Signature, b.Signature)
}

// step shows the progress of a metric.
func (w *work) step(ctx context.Context, name string) (_ context.Context, done func()) {
	return w.app.withProgress(ctx, w.start, w.label+name)
}

// match returns what a metric that matches tokens makes of the outputs.
func (w *work) match(ctx context.Context, s mteval.MatchScorer) (*mteval.Matchings, error) {
	info := s.Info()
	if ms := w.matchings(info); ms != nil {
		return ms, nil
	}
	progress, done := w.step(ctx, info.Name)
	defer done()
	m, err := s.PrepareMatch(progress, w.corpus.Refs)
	if err != nil {
		return nil, w.corpus.locate(info.Name, err, w.systems)
	}
	ms, err := mteval.MatchSystems(progress, m, w.systems)
	if err != nil {
		return nil, w.corpus.locate(info.Name, err, w.systems)
	}
	w.matched = append(w.matched, matchedOutputs{info, ms})
	return ms, nil
}

// matchings are those that a metric's matcher made already, or nil.
func (w *work) matchings(by mteval.Info) *mteval.Matchings {
	for _, m := range w.matched {
		if sameMetric(m.by, by) {
			return m.ms
		}
	}
	return nil
}

// table returns a metric's rows.
func (w *work) table(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	whole := s.Info()
	whole.Signature = whole.Signature.Complete(w.corpus.read(s))
	for _, done := range w.scored {
		if sameMetric(done.table.Info, whole) {
			return done.table, nil
		}
	}
	t, err := w.score(ctx, s)
	if err != nil {
		return nil, err
	}
	t.Info.Signature = whole.Signature
	w.scored = append(w.scored, scoredOutputs{s, t})
	return t, nil
}

// score makes rows, of matchings where there are some.
func (w *work) score(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	info := s.Info()
	if base, ok := s.(mteval.MatchScorer); ok {
		if ms := w.matchings(info); ms != nil {
			return ms.Table(base), nil
		}
	}
	sourced, err := w.corpus.with(s)
	if err != nil {
		return nil, err
	}
	progress, done := w.step(ctx, info.Name)
	defer done()
	t, err := mteval.Systems(progress, sourced, w.corpus.references(), w.systems)
	if err != nil {
		return nil, w.corpus.locate(info.Name, err, w.systems)
	}
	return t, nil
}

// form returns the rows of a difficulty-aware form. All systems have a vote in what is
// difficult.
func (w *work) form(ctx context.Context, base mteval.MatchScorer, o difficulty.Options) (*mteval.Table, error) {
	ms, err := w.match(ctx, base)
	if err != nil {
		return nil, err
	}
	field, err := difficulty.NewField(base, ms, o, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	all := make([]int, len(w.systems))
	for k := range all {
		all[k] = k
	}
	poll, err := field.Poll(ctx, all, nil)
	if err != nil {
		return nil, err
	}
	t, err := poll.Table(ctx)
	if err != nil {
		return nil, err
	}
	t.Info.Signature = t.Info.Signature.Complete(w.corpus.Refs)
	return t, nil
}

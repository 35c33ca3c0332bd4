// Package scoring runs metrics over the outputs of systems: texts and metrics in, tables out.
//
// A [Run] has the texts, of files or of slices, and scores them by one metric after another.
// What several metrics need is done once: a metric that matches tokens matches them once for its
// plain scores, for its difficulty-aware forms and for what people would say. Metrics get the
// sources that they read, and an error names the file and the line of the text that it is about.
//
// Over the tables there are [Test], which adds intervals and p-values to the scores of systems,
// [Run.Judge], which says what people would prefer, by a calibration, and [Run.Rank], which ranks
// systems by metrics, by a difficulty-aware one and by what people would say. [JudgedSet] is a
// folder of systems that people judged, of which calibrations are made.
package scoring

import (
	"context"
	"errors"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/contract"
)

// A Run is what metrics make of the outputs of systems, kept so that nothing is done twice. It is
// for one goroutine at a time.
type Run struct {
	// Texts are what metrics read: those that files.OpenCorpus reads, or
	// &files.Corpus{Refs: refs, Sources: sources, Systems: systems}. Without Refs there must be
	// Sources, for metrics that read no references.
	Texts *files.Corpus
	// Systems are those that are scored, nil for all of Texts.
	Systems []mteval.System
	// Stage, if not nil, is called with the name of a metric before its work, and returns the
	// context that the work reports to (mteval.WithProgress) and what is called after it. Without
	// it all work reports to the context that it was given.
	Stage func(ctx context.Context, name string) (_ context.Context, done func())

	scored  []scored
	matched []matched
}

// scored are a metric's rows, with a complete signature.
type scored struct {
	by    mteval.Scorer
	table *mteval.Table
}

// matched is what a metric's matcher made.
type matched struct {
	by mteval.Info
	ms *mteval.Matchings
}

// errNoTexts is that of a Run without texts.
var errNoTexts = errors.New("scoring: no texts")

// systems are those that are scored.
func (r *Run) systems() []mteval.System {
	if r.Systems != nil {
		return r.Systems
	}
	return r.Texts.Systems
}

// check refuses to score without texts or without a metric.
func (r *Run) check(s mteval.Scorer) error {
	switch {
	case r == nil || r.Texts == nil:
		return errNoTexts
	case contract.Nil(s):
		return contract.ErrNoMetric
	}
	return nil
}

// stage begins the work of a metric, and returns its context and what ends it, neither nil.
func (r *Run) stage(ctx context.Context, name string) (_ context.Context, done func()) {
	done = func() {}
	if r.Stage == nil {
		return ctx, done
	}
	of, end := r.Stage(ctx, name)
	if of != nil {
		ctx = of
	}
	if end != nil {
		done = end
	}
	return ctx, done
}

// sameMetric says whether two metrics give the same scores.
func sameMetric(a, b mteval.Info) bool {
	return a.Name == b.Name && slices.Equal(a.Signature, b.Signature)
}

// Match returns what a metric that matches tokens makes of the outputs. Errors are those of Table.
func (r *Run) Match(ctx context.Context, s mteval.MatchScorer) (*mteval.Matchings, error) {
	if err := r.check(s); err != nil {
		return nil, err
	}
	info := s.Info()
	if ms := r.matchings(info); ms != nil {
		return ms, nil
	}
	work, done := r.stage(ctx, info.Name)
	defer done()
	m, err := s.PrepareMatch(work, r.Texts.Refs)
	if err != nil {
		return nil, r.locate(info.Name, err)
	}
	ms, err := mteval.MatchSystems(work, m, r.systems())
	if err != nil {
		return nil, r.locate(info.Name, err)
	}
	r.matched = append(r.matched, matched{info, ms})
	return ms, nil
}

// matchings are those that a metric's matcher made already, or nil.
func (r *Run) matchings(by mteval.Info) *mteval.Matchings {
	for _, m := range r.matched {
		if sameMetric(m.by, by) {
			return m.ms
		}
	}
	return nil
}

// Table returns a metric's rows, with a complete signature: those that it made before, or of
// what Match made, or new ones. A metric that lacks what it reads is a *MissingError, and a text
// that it can't score a *TextError.
func (r *Run) Table(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	if err := r.check(s); err != nil {
		return nil, err
	}
	whole := s.Info()
	whole.Signature = whole.Signature.Complete(r.readBy(s))
	for _, done := range r.scored {
		if sameMetric(done.table.Info, whole) {
			return done.table, nil
		}
	}
	t, err := r.score(ctx, s)
	if err != nil {
		return nil, err
	}
	t.Info.Signature = whole.Signature
	r.scored = append(r.scored, scored{s, t})
	return t, nil
}

// readBy are the references that a metric reads, for its signature.
func (r *Run) readBy(s mteval.Scorer) [][]string {
	if mteval.InputsOf(s).References == mteval.Unused {
		return nil
	}
	return r.Texts.Refs
}

// score makes rows, of matchings where there are some.
func (r *Run) score(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	info := s.Info()
	if base, ok := s.(mteval.MatchScorer); ok {
		if ms := r.matchings(info); ms != nil {
			return ms.Table(base), nil
		}
	}
	sourced, err := WithSources(s, r.Texts)
	if err != nil {
		return nil, err
	}
	work, done := r.stage(ctx, info.Name)
	defer done()
	refs := r.Texts.Refs
	if refs == nil {
		refs = make([][]string, len(r.Texts.Sources))
	}
	t, err := mteval.Systems(work, sourced, refs, r.systems())
	if err != nil {
		return nil, r.locate(info.Name, err)
	}
	return t, nil
}

// Form returns the rows of the difficulty-aware form of a metric. All systems have a vote in what
// is difficult. Errors are those of Table and of difficulty.NewField.
func (r *Run) Form(ctx context.Context, base mteval.MatchScorer, o difficulty.Options) (*mteval.Table, error) {
	field, err := r.field(ctx, base, o)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(r.systems()))
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
	t.Info.Signature = t.Info.Signature.Complete(r.Texts.Refs)
	return t, nil
}

// field has the difficulty of the references, of all fields of systems.
func (r *Run) field(ctx context.Context, base mteval.MatchScorer, o difficulty.Options) (*difficulty.Field, error) {
	ms, err := r.Match(ctx, base)
	if err != nil {
		return nil, err
	}
	return difficulty.NewField(base, ms, o, difficulty.Function{})
}

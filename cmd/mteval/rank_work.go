package main

import (
	"context"
	"slices"
	"time"

	"github.com/mteval/mteval"
)

// rankWork is what metrics make of the systems that are ranked, kept so that nothing is done
// twice.
type rankWork struct {
	app     *app
	start   time.Time
	corpus  *corpus
	systems []mteval.System // that are ranked
	tables  []*mteval.Table // with complete signatures
	matched []matchedOutputs
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

// match returns what a metric that matches tokens makes of the outputs.
func (w *rankWork) match(ctx context.Context, s mteval.MatchScorer) (*mteval.Matchings, error) {
	info := s.Info()
	for _, m := range w.matched {
		if sameMetric(m.by, info) {
			return m.ms, nil
		}
	}
	ms, err := w.app.match(ctx, w.start, s, w.corpus.Refs, w.systems)
	if err != nil {
		return nil, w.corpus.locate(info.Name, err, w.systems)
	}
	w.matched = append(w.matched, matchedOutputs{info, ms})
	return ms, nil
}

// table returns a metric's rows.
func (w *rankWork) table(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	info := s.Info()
	whole := info
	whole.Signature = info.Signature.Complete(w.corpus.Refs)
	for _, t := range w.tables {
		if sameMetric(t.Info, whole) {
			return t, nil
		}
	}
	t, err := w.score(ctx, s)
	if err != nil {
		return nil, err
	}
	t.Info.Signature = whole.Signature
	w.tables = append(w.tables, t)
	return t, nil
}

// score makes rows, of matchings where there are some.
func (w *rankWork) score(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	info := s.Info()
	if ms, ok := s.(mteval.MatchScorer); ok {
		for _, m := range w.matched {
			if sameMetric(m.by, info) {
				return m.ms.Table(ms), nil
			}
		}
	}
	progress, done := w.app.withProgress(ctx, w.start, info.Name)
	t, err := mteval.Systems(progress, s, w.corpus.Refs, w.systems)
	done()
	if err != nil {
		return nil, w.corpus.locate(info.Name, err, w.systems)
	}
	w.app.noteLimits(s, t)
	return t, nil
}

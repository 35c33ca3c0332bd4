package main

import (
	"context"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/scoring"
)

// run is a run of metrics that shows its progress, under a label before the names of metrics.
func (a *app) run(start time.Time, label string, c *files.Corpus, systems []mteval.System) *scoring.Run {
	return &scoring.Run{Texts: c, Systems: systems, Stage: a.stages(start, label)}
}

// stages shows the progress of each stage.
func (a *app) stages(start time.Time, label string) func(context.Context, string) (context.Context, func()) {
	return func(ctx context.Context, name string) (context.Context, func()) {
		return a.withProgress(ctx, start, label+name)
	}
}

// work is a run of metrics over what select reads.
type work struct {
	app     *app
	start   time.Time
	corpus  *files.Corpus
	systems []mteval.System // of the corpus; nil: there are scores only
	runs    *scoring.Run
}

// run is made once the texts are read.
func (w *work) run() *scoring.Run {
	if w.runs == nil {
		w.runs = w.app.run(w.start, "", w.corpus, w.systems)
	}
	return w.runs
}

func (w *work) step(ctx context.Context, name string) (_ context.Context, done func()) {
	return w.app.withProgress(ctx, w.start, name)
}

func (w *work) match(ctx context.Context, s mteval.MatchScorer) (*mteval.Matchings, error) {
	return w.run().Match(ctx, s)
}

func (w *work) table(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	return w.run().Table(ctx, s)
}

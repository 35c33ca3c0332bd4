package app

import (
	"context"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/scoring"
)

// Run is a run of metrics that shows its progress, under a label before the names of metrics.
func (a *App) Run(start time.Time, label string, c *files.Corpus, systems []mteval.System) *scoring.Run {
	return &scoring.Run{Texts: c, Systems: systems, Stage: a.Stages(start, label)}
}

// Stages shows the progress of each stage.
func (a *App) Stages(start time.Time, label string) func(context.Context, string) (context.Context, func()) {
	return func(ctx context.Context, name string) (context.Context, func()) {
		return a.WithProgress(ctx, start, label+name)
	}
}

// Work is a run of metrics over what select reads.
type Work struct {
	App     *App
	Start   time.Time
	Corpus  *files.Corpus
	Systems []mteval.System // of the corpus; nil: there are scores only
	runs    *scoring.Run
}

// run is made once the texts are read.
func (w *Work) run() *scoring.Run {
	if w.runs == nil {
		w.runs = w.App.Run(w.Start, "", w.Corpus, w.Systems)
	}
	return w.runs
}

func (w *Work) Step(ctx context.Context, name string) (_ context.Context, done func()) {
	return w.App.WithProgress(ctx, w.Start, name)
}

func (w *Work) Match(ctx context.Context, s mteval.MatchScorer) (*mteval.Matchings, error) {
	return w.run().Match(ctx, s)
}

func (w *Work) Table(ctx context.Context, s mteval.Scorer) (*mteval.Table, error) {
	return w.run().Table(ctx, s)
}

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

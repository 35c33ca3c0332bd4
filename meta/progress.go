package meta

import (
	"context"

	"github.com/mteval/mteval"
)

// progress reports the work of several stages as that of one: each is so many runs over
// the samples.
type progress struct {
	ctx         context.Context
	done, total int // runs
}

// next returns the context of a stage.
func (p *progress) next(runs int) context.Context {
	const parts = 1000 // of a run
	before := p.done
	p.done += runs
	return mteval.WithProgress(p.ctx, func(done, total int) {
		part := float64(done) / float64(max(1, total))
		mteval.ReportProgress(p.ctx, before*parts+int(part*float64(runs*parts)), p.total*parts)
	})
}

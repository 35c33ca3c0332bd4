package rank

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
)

// unreferenced says whether there are sources alone, for metrics that read no references. A base
// and the probabilities read some: without, metrics are all that ranks.
func (o *rankOptions) unreferenced() bool { return len(o.refs) == 0 && o.source != "" }

// checkUnreferenced refuses the options of what reads references.
func (o *rankOptions) checkUnreferenced(ctx context.Context) error {
	var err error
	o.flags.Set.Visit(func(f *pflag.Flag) {
		reads := slices.Contains([]string{"base", "calibration", "group-confidence", "segments", "segments-format", "html-segments"}, f.Name)
		if err == nil && (reads || strings.HasPrefix(f.Name, "difficulty")) {
			err = fmt.Errorf("--%s is of what reads references: name a file with -r, or leave it out", f.Name)
		}
	})
	if err != nil {
		return err
	}
	o.base = "" // which has no options now
	if err := flags.Check(o.flags.Set); err != nil {
		return err
	}
	return o.flags.Check(ctx, o.metrics)
}

// withoutReferences says what is not there, and what the order is.
func (p *rankPage) withoutReferences() string {
	by := p.ranking.Metrics[0].Name
	if len(p.ranking.Correlations) > 0 {
		by = "people"
	}
	return "no references, so no difficulty-aware column and no probabilities: the order is that of " + by
}

package registry

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
)

// Standard makes the metric of this name as it is with no option given but the language of
// --target-language, and the limit of --max-tokens: as the embedded calibration was fitted on.
func (f *Flags) Standard(ctx context.Context, name string, open *Backend) (mteval.Scorer, error) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	var s Flags
	s.Add(fs, f.note)
	if f.Set.Changed("target-language") {
		if err := fs.Set("target-language", f.target); err != nil {
			return nil, err
		}
	}
	s.maxTokens = f.maxTokens
	if err := s.Check(ctx, nil); err != nil {
		return nil, err
	}
	return s.Scorer(ctx, name, open)
}

package registry

import (
	"context"

	"github.com/mteval/mteval"
)

// Standard makes the metric of this name as it is with no option given but the language of
// --target-language, and the limit of --max-tokens: as the embedded calibration was fitted on.
func (f *Flags) Standard(ctx context.Context, name string, open *Backend) (mteval.Scorer, error) {
	s := Flags{target: f.target, maxTokens: f.maxTokens, Set: f.Set, note: f.note, said: make(map[string]bool), made: make(map[string]mteval.Scorer)}
	return s.Scorer(ctx, name, open)
}

package meta

import (
	"errors"
	"slices"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/lookalike"
	"github.com/mteval/mteval/meta"
)

// checkNames checks the names that were given by those that there are.
func checkNames(o *app.MetaOptions, p *people, ms []meta.Candidate) error {
	systems := p.SystemNames()
	for _, m := range ms {
		systems = append(systems, m.Scores.Systems...)
		if err := lookalike.Check("metric "+m.Name, m.Scores.Systems, "people's scores", p.SystemNames()); err != nil {
			return err
		}
	}
	if err := o.SplitExcluded(app.Unique(systems)); err != nil {
		return err
	}
	if !slices.ContainsFunc(p.SystemNames(), func(s string) bool { return !excluded(o, s) }) {
		return errors.New("--exclude leaves no system")
	}
	return nil
}

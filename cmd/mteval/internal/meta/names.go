package meta

import (
	"slices"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// excluded says whether a system is one to leave out.
func excluded(o *app.MetaOptions, system string) bool {
	return slices.ContainsFunc(o.Exclude, func(p string) bool { return app.Matches(p, system) })
}

package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lazy is text; what is known is asked for where a shell completes it.
type lazy struct {
	pflag.Value
	known func() []string
}

// PartsOf is Parts whose known values take some work to get.
func PartsOf(p *string, kind string, known func() []string) pflag.Value {
	return lazy{Parts(p, kind), known}
}

func (l lazy) complete(typed string) ([]string, cobra.ShellCompDirective) {
	return beginning(l.known(), typed), cobra.ShellCompDirectiveNoFileComp
}

package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lazy is any text; what is known is asked for where a shell completes it.
type lazy struct {
	pflag.Value
	known func() []string
}

// TextOf is Text whose known values take some work to get.
func TextOf(p *string, kind string, known func() []string) pflag.Value {
	return lazy{Text(p, "", kind), known}
}

func (l lazy) complete(typed string) ([]string, cobra.ShellCompDirective) {
	return beginning(l.known(), typed), cobra.ShellCompDirectiveNoFileComp
}

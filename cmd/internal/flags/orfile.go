package flags

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// orFile is one of some names, or a file whose name ends so.
type orFile struct {
	enum[string]
	ending string
}

// EnumOrFile is Enum, or a file that is read, which its name's ending tells.
func EnumOrFile(p *string, value, noun, ending string, all ...string) pflag.Value {
	*p = value
	return &orFile{enum[string]{p, noun, all, value}, ending}
}

func (o *orFile) isFile(s string) bool { return strings.HasSuffix(s, o.ending) }

func (o *orFile) Set(s string) error {
	if o.isFile(s) {
		*o.p = s
		return nil
	}
	return o.enum.Set(s)
}

func (o *orFile) files() ([]string, bool) {
	if !o.isFile(*o.p) {
		return nil, false
	}
	return []string{*o.p}, false
}

// complete leaves files to the shell where no name begins so.
func (o *orFile) complete(typed string) ([]string, cobra.ShellCompDirective) {
	return beginning(o.names(), typed), cobra.ShellCompDirectiveDefault
}

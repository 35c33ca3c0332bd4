package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lineWidth is where the help breaks the lines of flags.
const lineWidth = 100

// usage writes how a command is used, as package cobra does, but with its flags in groups.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExample:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() || below.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", below.NamePadding(), below.Name(), below.Short)
			}
		}
	}
	for _, g := range groups(c.LocalFlags()) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(lineWidth))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s [command] --help\" for more information about a command.\n", c.CommandPath())
	}
	_, err := fmt.Fprint(c.OutOrStderr(), b.String())
	return err
}

type group struct {
	title string
	flags *pflag.FlagSet
}

// groups are in the order of their first flags; what has none is last.
func groups(fs *pflag.FlagSet) []group {
	var out []group
	rest := group{"Flags", set()}
	inOrder(fs, func(f *pflag.Flag) {
		titles := f.Annotations[groupKey]
		if f.Hidden {
			return
		}
		if len(titles) == 0 {
			rest.flags.AddFlag(f)
			return
		}
		for _, g := range out {
			if g.title == titles[0] {
				g.flags.AddFlag(f)
				return
			}
		}
		g := group{titles[0], set()}
		g.flags.AddFlag(f)
		out = append(out, g)
	})
	if len(out) > 0 {
		rest.title = "Other"
	}
	if rest.flags.HasFlags() {
		out = append(out, rest)
	}
	return out
}

func set() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	return fs
}

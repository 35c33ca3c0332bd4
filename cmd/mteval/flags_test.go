package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachFlag calls f with the flags of all commands.
func eachFlag(f func(c *cobra.Command, g *pflag.Flag)) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(g *pflag.Flag) { f(c, g) })
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&app{stdout: io.Discard, stderr: io.Discard}).rootCommand())
}

// The names and defaults of all flags: whoever changes one sees it here.
func TestFlagsGolden(t *testing.T) {
	var b strings.Builder
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		short := ""
		if g.Shorthand != "" {
			short = "-" + g.Shorthand + " "
		}
		// Lists stand in brackets where package pflag has them.
		fmt.Fprintf(&b, "%s %s--%s", strings.TrimPrefix(c.CommandPath(), "mteval "), short, g.Name)
		if v := strings.Trim(g.DefValue, "[]"); v != "" {
			fmt.Fprintf(&b, " = %s", v)
		}
		b.WriteByte('\n')
	})
	const golden = "testdata/flags.txt"
	if *update {
		write(t, golden, b.String())
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

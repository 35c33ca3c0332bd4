package main

import (
	"fmt"
	"io"
	"os"
	"slices"
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
	var lines []string
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		short := ""
		if g.Shorthand != "" {
			short = "-" + g.Shorthand + " "
		}
		// Lists stand in brackets where package pflag has them.
		line := fmt.Sprintf("%s %s--%s", strings.TrimPrefix(c.CommandPath(), "mteval "), short, g.Name)
		if v := strings.Trim(g.DefValue, "[]"); v != "" {
			line += " = " + v
		}
		lines = append(lines, line)
	})
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	const golden = "testdata/flags.txt"
	if *update {
		write(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

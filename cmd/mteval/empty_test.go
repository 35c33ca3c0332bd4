package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An empty value, as a shell leaves it where a variable is not set, is an error that names the
// flag: of every flag of every command.
func TestEmptyValues(t *testing.T) {
	blank := []string{"", " ", "\t ", "\u00a0", "\r\n"}
	parts := []string{",", " , ", "a,,b", ",a", "a,", "a, ,b"}
	pairs := []string{"=", "=x", "x=", " =x", "x= "}
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		values := slices.Clone(blank)
		switch kind := g.Value.Type(); {
		case slices.Contains([]string{"names", "strings", "stringSlice", "methods", "floats", "numbers", "stages", "quirks"}, kind), g.Name == "test-set", g.Name == "download":
			values = append(values, parts...)
		case strings.Contains(kind, "="), slices.Contains([]string{"compare", "compare-texts"}, c.Name()) && slices.Contains([]string{"scores", "outputs", "labels"}, g.Name):
			values = append(values, pairs...)
		case kind == "bool":
			values = []string{""}
		}
		for _, value := range values {
			lines := [][]string{{"--" + g.Name + "=" + value}, {"--" + g.Name, value}, {"-" + g.Shorthand, value}, {"-" + g.Shorthand + "=" + value}}
			if g.Value.Type() == "bool" {
				lines = lines[:1]
			} else if g.Shorthand == "" {
				lines = lines[:2]
			}
			for _, line := range lines {
				if err := c.ParseFlags(line); err == nil {
					t.Errorf("%s %q (%s): no error", c.CommandPath(), line, g.Value.Type())
				} else if got := c.FlagErrorFunc()(c, err).Error(); !strings.HasPrefix(got, "--"+g.Name) || strings.HasPrefix(got, "--"+g.Name+"=") {
					t.Errorf("%s %q: %s", c.CommandPath(), line, got)
				}
			}
		}
	})
}

package root_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
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

// So is an argument that is empty, and one of these in a command line that is otherwise whole.
func TestEmptyCommands(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/in.tsv", "hypothesis\treference\na b\ta b\nc d\tc e\n")
	for _, tt := range []struct {
		line []string
		want string
	}{
		{[]string{"stream", "-r", "", "$T/in.tsv"}, "--reference: the value is empty"},
		{[]string{"stream", "-r", "reference", "-r", "", "$T/in.tsv"}, "--reference: the value is empty"},
		{[]string{"stream", "--hypothesis=", "$T/in.tsv"}, "--hypothesis: the value is empty"},
		{[]string{"stream", "--filter", "", "$T/in.tsv"}, "--filter: the value is empty"},
		{[]string{"stream", "--shard", "", "$T/in.tsv"}, "--shard: the value is empty"},
		{[]string{"stream", "$T/in.tsv", "-o="}, "--output: name a file"},
		{[]string{"stream", ""}, "argument 1 is empty"},
		{[]string{"score", "-r", "$T/in.tsv", ""}, "argument 1 is empty"},
		{[]string{"score", "-r", "$T/in.tsv", "$T/in.tsv", " "}, "argument 2 is empty"},
		{[]string{"score", "-tok", "", "-r", "$T/in.tsv", "$T/in.tsv"}, "--tokenize: the value is empty"},
		{[]string{"tune", "--fit", "", "--data", "$T", "-o", "$T/out"}, "--fit: the value is empty"},
		{[]string{"model", "get", ""}, "argument 1 is empty"},
	} {
		for i, word := range tt.line {
			tt.line[i] = strings.ReplaceAll(word, "$T", dir)
		}
		if stdout, stderr, status := clitest.Exec(t, tt.line...); status != 2 || stdout != "" || !strings.HasPrefix(stderr, "mteval: "+tt.want) {
			t.Errorf("%q: status %d, %s%s", tt.line, status, stdout, stderr)
		}
	}
	if _, err := os.Stat("="); err == nil {
		t.Error("there is a file =")
	}
}

// What is said is a line that can be read, whatever it quotes.
func TestLongErrors(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x\u0301\x1b", 80_000)
	clitest.Write(t, dir+"/wide.tsv", strings.ReplaceAll(long, "x", "\tx")+"\n")
	clitest.Write(t, dir+"/field.tsv", "system\tsegment\tscore\na\t1\t"+long+"\n")
	var names strings.Builder
	for i := range 20_000 {
		names.WriteString("s" + strings.Repeat("y", i%30) + string(rune('a'+i%26)) + strings.Repeat("z", i/30) + "\t1\t1\n")
	}
	clitest.Write(t, dir+"/many.tsv", "system\tsegment\tscore\n"+names.String())
	for _, line := range []string{"stream $T/wide.tsv", "compare --scores $T/field.tsv", "compare --scores $T/many.tsv --systems none", "score -r $T/none " + strings.Repeat("n", 100_000)} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if status != 2 || stdout != "" || len(stderr) > 1500 || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "\x1b") {
			t.Errorf("%.50s: status %d, %d bytes: %.2000s", line, status, len(stderr), stderr)
		}
	}
}

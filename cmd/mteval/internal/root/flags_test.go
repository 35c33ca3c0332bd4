package root_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
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
	visit(root.RootCommand((&app.App{Stdout: io.Discard, Stderr: io.Discard})))
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
	clitest.CheckGolden(t, "flags.txt", strings.Join(lines, "\n")+"\n")
}

// Shells complete what flags may be.
func TestCompletion(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"score --format ", "text tsv latex json sacrebleu-json :4"},
		{"score -m ter,ch", "ter,chrf ter,chrf++ :6"},
		{"score -m multi", "multilevel-meteor multilevel-dreem :6"},
		{"score --paired ", "bs ar :4"},
		{"score --tokenize ", "none 13a intl zh char ja-mecab ko-mecab spm flores101 flores200 spBLEU-1K :0"},
		{"score --smooth-method ", "exp none floor add-k :4"},
		{"score -m bertscore(backend=t", "bertscore(backend=transformer :6"},
		{"score -m comet(dtype=", "comet(dtype=fp32 comet(dtype=fp16 comet(dtype=bf16 :6"},
		{"rank -m ter,comet(device=c", "ter,comet(device=cpu ter,comet(device=cuda:0 :6"},
		{"score --target-language d", "da de :4"},
		{"score -m meteor(language=e", "meteor(language=en meteor(language=es :6"},
		{"rank -m dreem(language=e", "dreem(language=en dreem(language=es :6"},
		{"score -m meteor(task=u", "meteor(task=util meteor(task=universal :6"},
		{"score -m meteor(correct=d", "meteor(correct=distance :6"},
		{"calibrate --base bertscore(model=", ":18"},
		{"score -r ", ":0"},
		{"score -r x ", ":0"},
		{"rank --difficulty ", "combined paper normalized released :4"},
		{"rank --difficulty-novel ", "one matched hardest :4"},
		{"rank --difficulty-smoothing ", "none power softmax max :4"},
		{"rank --base w", "wordf :4"},
		{"rank --segments-format ", "jsonl tsv :4"},
		{"rank --html ", ":0"},
		{"study --difficulty paper,", "paper,combined paper,normalized paper,released :6"},
		{"study --seed ", ":4"},
		{"meta --level ", "system segment document :4"},
		{"meta --kendall 4a,4", "4a,4b 4a,4c :6"},
		{"meta --group ", "none item system :4"},
		{"meta --human-format wmt", "wmt-segments wmt-systems :4"},
		{"tune --objective ", "kendall pearson system-pearson accuracy :4"},
		{"tune -m ", "meteor dreem multilevel-meteor multilevel-dreem :4"},
		{"calibrate ", ":16"},
		{"calibrate --base w", "wordf :4"},
		{"calibrate --combine chrf,te", "chrf,ter :6"},
		{"calibrate -m multi", "multilevel-meteor multilevel-dreem :6"},
		{"calibrate -f ", "text json :4"},
		{"calibrate -o ", ":0"},
		{"model get ", ":4"},
		{"model get x --revision ", ":4"},
		{"tune --fit ", ":4"},
		{"score -m bertscore-", "bertscore-lexical :6"},
		{"tune -m meteor(language=o", "meteor(language=other :6"},
		{"completion p", "powershell :4"},
		{"mo", "model :4"},
	} {
		stdout, stderr, status := clitest.Exec(t, strings.Split("__completeNoDesc "+tt.line, " ")...)
		if got := strings.Join(strings.Fields(stdout), " "); status != 0 || got != tt.want {
			t.Errorf("%s: status %d, %q, want %q: %s", tt.line, status, got, tt.want, stderr)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, status := clitest.Exec(t, "completion", shell); status != 0 || !strings.Contains(stdout, "__complete") {
			t.Errorf("%s: status %d, %.200s%s", shell, status, stdout, stderr)
		}
	}
}

// Every command has an example, whose commands and options there are.
func TestExamples(t *testing.T) {
	root := root.RootCommand((&app.App{Stdout: io.Discard, Stderr: io.Discard}))
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		n := 0
		for line := range strings.Lines(c.Example) {
			_, line, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ")"), "mteval ")
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			if end := slices.IndexFunc(words, func(w string) bool { return w == "|" || w == ">" }); end >= 0 {
				words = words[:end]
			}
			of, rest, err := root.Find(words)
			if !ok || err != nil || of == root || of.ParseFlags(rest) != nil {
				t.Errorf("%s: example %q: %v", c.CommandPath(), line, err)
			}
			n++
		}
		if stdout, _, status := clitest.Exec(t, append(strings.Fields(c.CommandPath())[1:], "--help")...); n == 0 || status != 0 || !strings.Contains(stdout, "\nExample:\n"+c.Example+"\n") {
			t.Errorf("%s: status %d, %d examples, %s", c.CommandPath(), status, n, stdout)
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
	if stdout, _, _ := clitest.Exec(t, "--help"); !strings.Contains(stdout, "mteval completion SHELL") {
		t.Error("the help does not tell of completion")
	}
}

// What flags may be is completed: files only for those that are files.
func TestCompletionIsWhole(t *testing.T) {
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		_, ok := c.GetFlagCompletionFunc(g.Name)
		if kind := g.Value.Type(); !ok && kind != "bool" && kind != "file" && kind != "path" && !strings.Contains(kind, "=") {
			t.Errorf("%s --%s (%s) completes files", c.CommandPath(), g.Name, kind)
		}
	})
	stdout, _, _ := clitest.Exec(t, "__completeNoDesc", "score", "-m", "")
	for _, name := range registry.Names() {
		if !slices.Contains(strings.Fields(stdout), name) {
			t.Errorf("metric %s is not completed: %s", name, stdout)
		}
	}
}

// The help has all flags in groups, and every flag's text says what it may be.
func TestHelp(t *testing.T) {
	for _, c := range root.RootCommand((&app.App{Stdout: io.Discard, Stderr: io.Discard})).Commands() {
		switch c.Name() {
		case "help", "completion", "metrics", "model":
			continue
		}
		stdout, stderr, status := clitest.Exec(t, c.Name(), "--help")
		if status != 0 || stderr != "" {
			t.Fatalf("%s: status %d, %s", c.Name(), status, stderr)
		}
		if !strings.Contains(stdout, "\nOutput:\n") || !strings.HasSuffix(stdout, "\nOther:\n  -h, --help   help for "+c.Name()+"\n") {
			t.Errorf("%s: %s", c.Name(), stdout)
		}
	}
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		complete, ok := c.GetFlagCompletionFunc(g.Name)
		if !ok {
			return
		}
		if names, _ := complete(c, nil, ""); g.Value.Type() == "name" {
			for _, n := range names {
				if !strings.Contains(g.Usage, n) {
					t.Errorf("%s --%s: the usage does not tell of %s", c.CommandPath(), g.Name, n)
				}
			}
		}
	})
}

// Metrics that flags are options of are metrics.
func TestFlagsOfMetrics(t *testing.T) {
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		for key, values := range g.Annotations {
			for _, v := range values {
				if names, ok := strings.CutPrefix(v, "metric "); ok && key == "mteval-choice" {
					for _, n := range strings.Fields(names) {
						if !slices.Contains(registry.Names(), n) {
							t.Errorf("%s --%s is an option of %s, which is no metric", c.CommandPath(), g.Name, n)
						}
					}
				}
			}
		}
	})
}

// A switch that is turned off asks for nothing, a value that is empty was given.
func TestFlagsWithoutEffect(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"score -r $Dref.de -m meteor(language=de,no-punct=false) $Dsys/elder.txt", ""},
		{"score -r $Dref.de -w -1 $Dsys/elder.txt", ""},
		{"score -r $Dref.de -m meteor(jar=) $Dsys/elder.txt", "--metrics: meteor(jar): name a file"},
		{"score -r $Dref.de --target-language= -m chrf $Dsys/elder.txt", "--target-language: the value is empty: give one, or leave the flag out"},
		{"score -r $Dref.de --seed= $Dsys/elder.txt", `--seed "": a seed is`},
		{"score -r $Dref.de --parameters= $Dsys/elder.txt", "--parameters: name a file"},
		{"rank -r $Dref.de --human $Dhuman.tsv --top 9 $Dsys/*.txt", "examples/data/human.tsv: ranking: no top 9 of 5 systems"},
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args("", tt.args)...)
		if ok := status == 0; ok != (tt.want == "") || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %s, want %q", tt.args, status, stderr, tt.want)
		}
	}
}

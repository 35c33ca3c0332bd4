package root_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// mostFlags is how many flags a command may have: its help fits a screen.
const mostFlags = 40

// The flags of every command fit a screen. What sacreBLEU's users type may be more, hidden.
func TestFlagsFit(t *testing.T) {
	n := make(map[string]int)
	eachFlag(func(c *cobra.Command, g *pflag.Flag) {
		if !g.Hidden || c.Name() != "score" {
			n[c.CommandPath()]++
		}
	})
	for command, n := range n {
		if n > mostFlags {
			t.Errorf("%s has %d flags, more than %d", command, n, mostFlags)
		}
	}
}

// mteval metrics tells of every metric, and of an option what it is at first.
func TestMetrics(t *testing.T) {
	list, _, _ := clitest.Exec(t, "metrics")
	for _, name := range registry.Names() {
		if !strings.Contains("\n"+list, "\n"+name+" ") {
			t.Errorf("%s is not in the list: %s", name, list)
		}
		stdout, stderr, status := clitest.Exec(t, "metrics", name)
		for _, want := range []string{name + ": ", "\nscore ", "\nequals ", "\ncite ", "\nOptions", "\n  "} {
			if status != 0 || stderr != "" || !strings.Contains("\n"+stdout, want) {
				t.Errorf("%s: status %d, %s%s, want %s", name, status, stdout, stderr, want)
			}
		}
	}
	for line, want := range map[string]string{
		"metrics bleu": "signature  nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:",
		"metrics BLEU": "  max-ngram-order int   longest n-gram (default 4)\n",
		"score -r $Dref.de -m bleu chrff(beta=1) $Dsys/elder.txt": "no metric (did you mean chrf?): there are bleu",
		"metrics bleau": `no metric "bleau" (did you mean bleu?): have bleu, chrf`,
	} {
		stdout, stderr, _ := clitest.Exec(t, clitest.Args("", line)...)
		if !strings.Contains(stdout+stderr, want) {
			t.Errorf("%s: %s%s, want %s", line, stdout, stderr, want)
		}
	}
}

// Metrics of one kind stand side by side in what commands print.
func TestMetricsOfOneKind(t *testing.T) {
	const two = "-m bleu(tokenize=13a),bleu(tokenize=char) "
	for line, want := range map[string]string{
		"score -r $Dref.de " + two + "$Dsys/elder.txt":                                                            "system  bleu(tokenize=13a)  bleu(tokenize=char)\n",
		"score -r $Dref.de " + two + "-f json $Dsys/elder.txt":                                                    `"metric":"bleu(tokenize=char)"`,
		"score $Dref.de -m bleu(tokenize=13a) bleu(tokenize=char) chrf -i $Dsys/elder.txt":                        "bleu(tokenize=char)   chrf\n",
		"rank -r $Dref.de --base bertscore(idf) -m bertscore,wordf(lowercase),wordf $Dsys/*.txt":                  "bertscore-lexical(idf)",
		"study -r $Dref.de --human $Dhuman.tsv --samples 5 -m wordf,wordf(lowercase) $Dsys/*.txt":                 "wordf(lowercase)",
		"select -n 2 -r $Dref.de --method variance:bleu(tokenize=char) " + two + "$Dsys/*.txt":                    "1",
		"select -n 2 -r $Dref.de --method variance:bleu(tokenize=char) -m bleu(tokenize=char) $Dsys/*.txt":        "1",
		"select -n 2 --method diversity:chrf(beta=1,lowercase) $Dsys/*.txt":                                       "1",
		"score -r $Dref.de -m bleu,bleu(tokenize=char) --paired bs --paired-n 10 $Dsys/elder.txt $Dsys/cedar.txt": "bleu(tokenize=char)",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, %s%s, want %s", line, status, stdout, stderr, want)
		}
	}
}

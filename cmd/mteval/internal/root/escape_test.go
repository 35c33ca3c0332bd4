package root_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// No format lets a system's name forge a row or reach the terminal.
func TestForgedNames(t *testing.T) {
	dir := t.TempDir()
	const forged = "a\nbest\t99\x1b[2J\u009b\u202e"
	clitest.Write(t, dir+"/ref", "one two three four five\nsix seven eight nine ten\n")
	clitest.Write(t, dir+"/hostile", "one t\u009bw\u202eo three four five\nsix seven eight nine ten\n")
	var systems []string
	for _, name := range []string{forged, `x_&\%$#{}~^`, "ü", "\xff"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("one two three four\nsix seven eight nine\n"), 0o644); err != nil {
			t.Skip("the file system does not take the name: ", err)
		}
		systems = append(systems, path)
	}
	const want = `a\nbest\t99\u001b[2J\u009b\u202e`
	clitest.Write(t, dir+"/scores.tsv", "system\tm\tn\na\x1b\t1\t1\nb\t2\t2\nc\t3\t4\n")
	clitest.Write(t, dir+"/human.tsv", "a\x1b\t1\nb\t2\nc\t3\n")
	for line, want := range map[string]string{
		"score -r $T/ref":                                want,
		"score -r $T/ref -f tsv":                         want,
		"score -r $T/ref -f latex":                       strings.NewReplacer(`\`, `\textbackslash{}`).Replace(want),
		"score -r $T/ref -f json":                        `"a\nbest\t99\u001b[2J\u009b\u202e"`,
		"score -r $T/ref -f sacrebleu-json":              `/a\nbest\t99\u001b[2J\u009b\u202e"`,
		"score -r $T/ref --sentence-level":               want,
		"rank -r $T/ref -m bleu":                         want,
		"rank -r $T/ref -m bleu -f tsv":                  want,
		"rank -r $T/ref -m bleu -f latex":                strings.NewReplacer(`\`, `\textbackslash{}`).Replace(want),
		"rank -r $T/ref -m bleu -f json":                 `"a\nbest\t99\u001b[2J\u009b\u202e"`,
		"rank -r $T/ref --segments $T/out.tsv -m ter":    want,
		"rank -r $T/hostile --segments $T/hostile.tsv":   want,
		"rank -r $T/hostile --segments $T/hostile.jsonl": want,
		"meta --human $T/human.tsv --scores $T/scores.tsv --samples 0 --html $T/out.html": "",
	} {
		a := clitest.Args(dir, line)
		if a[0] != "meta" {
			a = append(a, systems...)
		}
		stdout, stderr, status := clitest.Exec(t, a...)
		if status != 0 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
		if strings.ContainsAny(stdout+stderr, "\x1b\u009b\u202e") || !utf8.ValidString(stdout+stderr) || !strings.Contains(stdout, want) {
			t.Errorf("%s: %q, stderr %q", line, stdout, stderr)
		}
		if strings.Contains(stdout, "\nbest") {
			t.Errorf("%s: a forged row", line)
		}
	}
	for name, want := range map[string]string{
		"out.tsv": "\t" + want + "\t", "hostile.tsv": "\tt\\u009bw\\u202eo\t",
		"hostile.jsonl": `"system":"a\nbest\t99\u001b[2J\u009b\u202e"`,
	} {
		rows, err := os.ReadFile(dir + "/" + name)
		if err != nil || !strings.Contains(string(rows), want) || strings.ContainsAny(string(rows), "\x1b\u009b\u202e") {
			t.Errorf("--segments: %s: %v, %.200q", name, err, rows)
		}
	}
	// Errors, too.
	_, stderr, status := clitest.Exec(t, "score", "-r", dir+"/ref", dir+"/no\n\x1b[2J")
	if status != 2 || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "\x1b") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

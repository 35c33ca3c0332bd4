package meta_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/cmd/mteval/internal/choose"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
)

// What mteval writes of its metrics is read as what they are, in each of its forms, by each of
// the commands that read it, without a word about directions.
func TestDirectionsOfOurFiles(t *testing.T) {
	dir := t.TempDir()
	for name, line := range map[string]string{
		"segments":   "score -r $Dref.de -m chrf,ter,bertscore --sentence-level $Dsys/*.txt",
		"systems":    "score -r $Dref.de -m chrf,ter,bertscore $Dsys/*.txt",
		"confidence": "score -r $Dref.de -m chrf,ter,bertscore --confidence --confidence-n 9 $Dsys/*.txt",
		"rank":       "rank -r $Dref.de -m chrf,ter $Dsys/*.txt",
		"rankhuman":  "rank -r $Dref.de -m chrf,ter --human $Dhuman.tsv $Dsys/*.txt",
	} {
		for _, form := range []string{"text", "tsv", "json"} {
			stdout, stderr, status := clitest.Exec(t, clitest.Args("", line+" --format "+form)...)
			if status != 0 {
				t.Fatalf("%s: %s", line, stderr)
			}
			clitest.Write(t, dir+"/"+name+"."+form, stdout)
		}
	}
	// The metrics' names say nothing.
	for _, name := range []string{"segments.tsv", "segments.json", "systems.tsv", "systems.json", "rank.tsv", "rank.json"} {
		text, err := os.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, dir+"/called-"+name, strings.NewReplacer("\tter\t", "\tm\t", "ter_", "m_", `"ter"`, `"m"`).Replace(string(text)))
	}
	ter := func(name string) string {
		if strings.HasPrefix(name, "called-") {
			return "m"
		}
		return "ter"
	}
	want, _ := clitest.RunMeta(t, "--human", clitest.Sample+"human.tsv", "--scores", dir+"/segments.text", "--lower-is-better", "ter", "--samples", "0")
	for _, name := range []string{"segments.text", "segments.tsv", "segments.json", "called-segments.tsv", "called-segments.json"} {
		got, stderr := clitest.RunMeta(t, "--human", clitest.Sample+"human.tsv", "--scores", dir+"/"+name, "--samples", "0")
		a, b := metric(&got, t, ter(name)), metric(&want, t, "ter")
		if !a.LowerIsBetter || metric(&got, t, "chrf").LowerIsBetter || app.Fixed(a.Measures["pearson"].Value) != app.Fixed(b.Measures["pearson"].Value) || stderr != "" {
			t.Errorf("meta of %s: %+v, %s", name, a, stderr)
		}
		for _, m := range clitest.ComparedOf(t, "--scores", dir+"/"+name, "--samples", "50").Metrics {
			if m.LowerIsBetter != (m.Metric == ter(name)) || m.Systems[0].System != "birch" || m.Systems[4].System != "elder" {
				t.Errorf("compare of %s: %+v", name, m)
			}
		}
		var chosen choose.JSON
		stdout, stderr, status := clitest.Exec(t, "select", "-n", "3", "--method", "average:"+ter(name), "--scores", dir+"/"+name, "--format", "json")
		if err := json.Unmarshal([]byte(stdout), &chosen); err != nil || status != 0 || chosen.Chosen[0].Segment != "22" || !chosen.LowerIsBetter[ter(name)] || chosen.LowerIsBetter["chrf"] ||
			!strings.Contains(stderr, "scores of "+ter(name)+": less is better\n") {
			t.Errorf("select of %s: %v, %+v, %s", name, err, chosen, stderr)
		}
	}
	for _, name := range []string{"systems.tsv", "systems.json", "confidence.tsv", "rank.tsv", "rank.json", "rankhuman.tsv", "rankhuman.json", "called-systems.tsv", "called-systems.json", "called-rank.tsv", "called-rank.json"} {
		got, _ := clitest.RunMeta(t, "--human", clitest.Sample+"human.tsv", "--scores", dir+"/"+name, "--samples", "0")
		if m := metric(&got, t, ter(name)); !m.LowerIsBetter || app.Fixed(m.Measures["pearson"].Value) != "0.8535" || metric(&got, t, "chrf").LowerIsBetter || metric(&got, t, "bertscore-lexical").LowerIsBetter {
			t.Errorf("meta of %s: %+v", name, m)
		}
	}
	// A command that finds something of scores says it, too.
	table, _, _ := clitest.Exec(t, "compare", "--scores", dir+"/segments.tsv", "--samples", "50", "--decide", "birch,elder", "--format", "tsv")
	for _, line := range strings.Split(table, "\n") {
		if cells := strings.Split(line, "\t"); cells[0] == "ter" && cells[1] != "true" || cells[0] == "chrf" && cells[1] != "false" || cells[0] == "metric" && cells[1] != "lower_is_better" {
			t.Errorf("%q", line)
		}
	}
}

// Flags come first, and names that do not tell are an error that names them.
func TestDirectionFlags(t *testing.T) {
	dir := t.TempDir()
	table := "system\tsegment\tter\t1-TER\tx\n"
	for i, v := range []string{"1\t.9\t3", "2\t.8\t5", "3\t.5\t4", "1\t.8\t4"} {
		table += []string{"a", "a", "b", "b"}[i] + "\t" + []string{"1", "2"}[i%2] + "\t" + v + "\n"
	}
	clitest.Write(t, dir+"/m.tsv", table)
	clitest.Write(t, dir+"/ter.tsv", "a\t1\t1\na\t2\t2\nb\t1\t3\nb\t2\t4\n")
	clitest.Write(t, dir+"/human.tsv", "a\t1\t1\na\t2\t2\nb\t1\t3\nb\t2\t4\n")
	clitest.Write(t, dir+"/comma.tsv", "system\tsegment\tmetric\tscore\na\t1\ta, b\t1\nb\t1\ta, b\t2\n")
	commands := []string{"compare --scores $T/m.tsv", "meta --human $T/human.tsv --samples 0 --scores $T/m.tsv", "meta --level segment --human $T/human.tsv --samples 0 --scores $T/m.tsv", "select -n 1 --method average:x --scores $T/m.tsv"}
	for _, command := range commands {
		for line, want := range map[string]string{
			"": "1-TER: by its name it may be an error metric, or the opposite of one: say whether less is better or more (--lower-is-better 1-TER or --higher-is-better 1-TER)",
			"--higher-is-better 1-TER --lower-is-better x --lower-is-better 1-TER": "--higher-is-better 1-TER: it stands behind --lower-is-better, too",
			"--higher-is-better y": "--higher-is-better y: no such metric: have ter, 1-TER, x",
			"--lower-is-better y":  "--lower-is-better y: no such metric: have ter, 1-TER, x",
		} {
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, command+" "+line)...)
			if status != 2 || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%s %s: status %d, %q, want %q", command, line, status, stderr, want)
			}
		}
		for _, line := range []string{"--higher-is-better 1-TER", "--lower-is-better 1-TER,x --higher-is-better ter"} {
			if _, stderr, status := clitest.Exec(t, clitest.Args(dir, command+" "+line)...); status != 0 {
				t.Errorf("%s %s: status %d, %q", command, line, status, stderr)
			}
		}
	}
	got := make(map[string]bool)
	for _, m := range clitest.ComparedOf(t, clitest.Args(dir, "--scores $T/m.tsv --lower-is-better 1-TER,x --higher-is-better ter")...).Metrics {
		got[m.Metric] = m.LowerIsBetter
	}
	if d := cmp.Diff(map[string]bool{"ter": false, "1-TER": true, "x": true}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if m := clitest.ComparedOf(t, "--scores", dir+"/comma.tsv", "--lower-is-better", "a, b").Metrics; !m[0].LowerIsBetter {
		t.Errorf("%+v", m)
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "select -n 1 --higher-is-better x $Dsys/aspen.txt")...); status != 2 || !strings.Contains(stderr, "--higher-is-better is an option of --scores") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Beside a tree, whose own metrics have no other direction.
func TestDirectionsBesideTree(t *testing.T) {
	dir := copyTree(t)
	line := "meta --mtme " + dir + " --lp en-de --samples 0 -f json "
	scores := func(name string, sign int) {
		t.Helper()
		text, err := os.ReadFile(dir + "/wmt23/metric-scores/en-de/chrF-refA.seg.score")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		count := make(map[string]int)
		for l := range strings.Lines(string(text)) {
			system, score, _ := strings.Cut(strings.TrimSpace(l), "\t")
			count[system]++
			if sign < 0 {
				score = strings.TrimPrefix("-"+score, "--")
			}
			b.WriteString(system + "\t" + strconv.Itoa(count[system]) + "\t" + score + "\n")
		}
		clitest.Write(t, dir+"/"+name, b.String())
	}
	scores("MetricX-99.tsv", -1)
	scores("ours.tsv", 1)
	scores("neg_ter.tsv", 1)
	for _, more := range []string{"", "--level segment", "--level document", "--by domain", "--ratings mqm.merged", "--write refA"} {
		stdout, stderr, status := clitest.Exec(t, strings.Fields(line+more+" --scores "+dir+"/MetricX-99.tsv "+dir+"/ours.tsv")...)
		var got meta.JSON
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
			t.Fatalf("%s: %s", more, stderr)
		}
		a, b := metric(&got, t, "MetricX-99"), metric(&got, t, "ours")
		if !a.LowerIsBetter || b.LowerIsBetter || app.Fixed(a.Measures["pearson"].Value) != app.Fixed(b.Measures["pearson"].Value) {
			t.Errorf("%s: %+v, %+v", more, a, b)
		}
	}
	// Written, it is turned round, and more is better.
	stdout, _, _ := clitest.Exec(t, strings.Fields(line)...)
	var got meta.JSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if a, b := metric(&got, t, "MetricX-99"), metric(&got, t, "ours"); a.LowerIsBetter || app.Fixed(a.Measures["pearson"].Value) != app.Fixed(b.Measures["pearson"].Value) {
		t.Errorf("%+v, %+v", a, b)
	}
	for more, want := range map[string]string{
		"--lower-is-better chrF":                        "--lower-is-better chrF: it is of the tree, where more is better",
		"--higher-is-better MetricX-23":                 "--higher-is-better MetricX-23: it is of the tree, where more is better",
		"--higher-is-better nothing":                    "--higher-is-better nothing: no such metric: have ",
		"--by domain --scores $T/neg_ter.tsv":           "--lower-is-better neg_ter or --higher-is-better neg_ter",
		"--tasks wmt23 --higher-is-better chrF":         "--tasks judges metrics of the tree: leave --higher-is-better out",
		"--scores $T/neg_ter.tsv --lower-is-better ter": "--lower-is-better ter: no such metric: have neg_ter, ",
	} {
		_, stderr, status := clitest.Exec(t, strings.Fields(strings.ReplaceAll(line+more, "$T", dir))...)
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", more, status, stderr, want)
		}
	}
}

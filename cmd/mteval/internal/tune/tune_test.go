package tune_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/tune/tuned"
)

func TestTune(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	clitest.JudgedFolder(t, dir+"/two", 20, 2)
	clitest.JudgedFolder(t, dir+"/test", 10, 3)
	for _, tt := range []struct {
		line   string
		lines  []string // that the table begins with, by their first column
		better bool     // on held-out data
	}{
		{"--data $T/one --data $T/two --test $T/test -m meteor(params=\".1,1,.9,.5\")", []string{
			"kendall", "training data", "cross-validated (5 folds)", "one, fitted on the others", "two, fitted on the others", "held out (test data)",
		}, true},
		{"--data $T/one --folds 1 --fix beta,delta -m meteor(params=\".1,1,.9,.5\")", []string{"kendall", "training data", "held out (20% of the sources)"}, true},
		{"--data $T/one --test $T/test --folds 2 --held-out .3", nil, false}, // an error, below
		{"-r $T/one/ref.en --human $T/one/human-segment.tsv $T/one/sys/s0.txt $T/one/sys/s1.txt $T/one/sys/s2.txt --threshold 10 -m meteor(params=\".1,1,.9,.5\") --folds 2 --held-out .5", []string{
			"kendall", "training data", "cross-validated (2 folds)", "held out (50% of the sources)",
		}, true},
		{"--data $T/one --objective pearson --folds 2 -m meteor(params=\".1,1,.9,.5\")", []string{"pearson", "training data", "cross-validated (2 folds)"}, true},
		{"--data $T/one --objective system-pearson --folds 2", []string{"system-pearson", "training data", "cross-validated (2 folds)"}, false},
		{"--data $T/one --objective accuracy --folds 2 -m meteor(params=\".1,1,.9,.5\")", []string{"accuracy", "training data", "cross-validated (2 folds)"}, true},
	} {
		line := "tune -m meteor --evaluations 100 -o $T/tuned.json " + tt.line
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if tt.lines == nil {
			if status != 2 || !strings.Contains(stderr, "leave --held-out out") {
				t.Errorf("%s: status %d, %s", line, status, stderr)
			}
			continue
		}
		if status != 0 || stderr != "" {
			t.Errorf("%s: status %d, %s", line, status, stderr)
			continue
		}
		got := strings.Split(stdout, "\n")
		for i, want := range tt.lines {
			if !strings.HasPrefix(got[i], want+"  ") {
				t.Errorf("%s: line %d is %q, want %s", line, i+1, got[i], want)
			}
		}
		r, err := tuned.Open(dir + "/tuned.json")
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Figures; f.Train.Tuned < f.Train.Untuned || tt.better && !(f.HeldOut.Tuned > f.HeldOut.Untuned) {
			t.Errorf("%s:\n%s", line, stdout)
		}
		// What is written to standard output is the file.
		file, err := os.ReadFile(dir + "/tuned.json")
		if err != nil {
			t.Fatal(err)
		}
		if stdout, _, _ := clitest.Exec(t, clitest.Args(dir, strings.Replace(line, "-o $T/tuned.json", "-o -", 1))...); stdout != string(file) {
			t.Errorf("%s: with -o - it is another", line)
		}
	}
}

// score takes the parameters: the same as with METEOR's own options.
func TestTuneParameters(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	line := "tune --data $T/one --evaluations 100 --folds 1 -m meteor(params=\".1,1,.9,.5\") -o $T/tuned.json"
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...); status != 0 {
		t.Fatal(stderr)
	}
	r, err := tuned.Open(dir + "/tuned.json")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, p := range r.Parameters {
		values = append(values, fmt.Sprint(p.Value))
	}
	score := "score -r $T/one/ref.en --sentence-level $T/one/sys/s0.txt $T/one/sys/s1.txt -m bleu,meteor"
	got, stderr, status := clitest.Exec(t, clitest.Args(dir, score+" --parameters $T/tuned.json")...)
	want, _, _ := clitest.Exec(t, clitest.Args(dir, score+"(params=\""+strings.Join(values[:4], ",")+"\",weights=\""+strings.Join(values[4:], ",")+"\")")...)
	if status != 0 || stderr != "" || got != want || got == "" {
		t.Errorf("status %d, %s\n%s\nwant\n%s", status, stderr, got, want)
	}
	if plain, _, _ := clitest.Exec(t, clitest.Args(dir, score)...); plain == got {
		t.Error("the parameters change nothing")
	}
	// They are where the next search starts from.
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "tune --data $T/one --evaluations 1 --restarts 1 --folds 1 --parameters $T/tuned.json -o -")...)
	if status != 0 || !strings.Contains(stdout, `"start": `+values[0]) {
		t.Errorf("status %d, %s%s", status, stderr, stdout)
	}
}

// Rows of texts with scores.
func TestTuneRows(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("source\treference\thypothesis\tscore\n")
	for i := range 30 {
		n := strings.Repeat("much ", i%6)
		fmt.Fprintf(&b, "s%d\tit rained %smore than before\tit rained %s\t%d\n", i%10, n, n, i%6)
	}
	clitest.Write(t, dir+"/rows.tsv", b.String())
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "tune --data $T/rows.tsv --objective pearson --folds 2 --evaluations 50 -o -")...)
	const note = "mteval: meteor: the rules of English are used: --target-language names another language\n"
	if status != 0 || stderr != note || !strings.Contains(stdout, `"sources": 10,`) || !strings.Contains(stdout, `"judgements": 30`) {
		t.Errorf("status %d, %s%s", status, stderr, stdout)
	}
}

func TestTuneErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	clitest.JudgedFolder(t, dir+"/few", 3, 1)
	clitest.JudgedFolder(t, dir+"/bad", 5, 1)
	clitest.Write(t, dir+"/bad/human-segment-darr.tsv", "sid\tbetter\tworse\n1\ts0\ts1\n6\ts0\ts1\n")
	clitest.JudgedFolder(t, dir+"/system", 5, 1)
	clitest.Write(t, dir+"/system/human-segment-darr.tsv", "sid\tbetter\tworse\n1\ts0\ts1\n2\ts0\ts9\n")
	clitest.JudgedFolder(t, dir+"/short", 5, 1)
	clitest.Write(t, dir+"/short/sys/s1.txt", "one\n")
	clitest.JudgedFolder(t, dir+"/none", 5, 1)
	for _, name := range []string{"human-segment-darr.tsv", "human-segment.tsv", "ref.en"} {
		if err := os.Remove(filepath.Join(dir, "none", name)); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Write(t, dir+"/rows.tsv", "reference\thypothesis\tscore\na\tb\tc\n")
	clitest.Write(t, dir+"/broken.json", "{\n\"version\": 1,\n\"metric\": meteor}")
	clitest.Write(t, dir+"/other.json", `{"version": 1, "metric": "fake", "parameters": [{"name": "a", "value": 1, "start": 1, "fitted": true}], "figures": {}}`)
	clitest.Write(t, dir+"/names.json", `{"version": 1, "metric": "meteor", "parameters": [{"name": "a", "value": 1, "start": 1, "fitted": true}], "figures": {}}`)
	for _, tt := range []struct{ line, want string }{
		{"tune", "no data: name a folder with --data"},
		{"tune --data $T/one -r $T/one/ref.en", "--data has references, outputs and what people said: leave --reference out"},
		{"tune -r $T/one/ref.en $T/one/sys/s0.txt", "go together"},
		{"tune --data $T/nowhere", "nowhere: no such folder or file"},
		{"tune --data $T/one -m ter", `--metric: no metric with parameters "ter": have meteor, dreem`},
		{"tune --data $T/one -m bleau", `no metric with parameters "bleau"`},
		{"tune --data $T/one --objective tau", `no objective "tau": have kendall, pearson, system-pearson, accuracy`},
		{"tune --data $T/one --objective accuracy --threshold 2", "--threshold is an option of --objective kendall"},
		{"tune --data $T/one --threshold 2", "human-segment-darr.tsv has pairs: leave the threshold out"},
		{"tune --data $T/one --threshold NaN", "--threshold NaN"},
		{"tune --data $T/one --folds 0", "--folds 0"},
		{"tune --data $T/one --held-out 1", "--held-out 1"},
		{"tune --data $T/one --restarts 0", "--restarts 0"},
		{"tune --data $T/one --evaluations 0", "--evaluations 0"},
		{"tune --data $T/one --seed 0", "--seed 0"},
		{"tune --data $T/one --fit gamma,zeta", "--fit zeta: no such parameter of meteor: have alpha, beta"},
		{"tune --data $T/one --fix zeta", "--fix zeta: no such parameter"},
		{"tune --data $T/one --output=", "--output: name a file"},
		{"tune --data $T/few", "few: 2 sources: too little data for 5 folds"},
		{"tune --data $T/one --test $T/one", "one and one are the same data"},
		{"tune --data $T/bad", "human-segment-darr.tsv:3: segment 6 is not the number of a line of $T/bad/ref.en, from 1 to 5"},
		{"tune --data $T/system", "human-segment-darr.tsv:3: system s9 has no output here"},
		{"tune --data $T/short", "s1.txt:2: missing line"},
		{"tune --data $T/none", "none: no reference in it: want files ref.*"},
		{"tune --data $T/one/sys", "sys: no such folder"},
		{"tune --data $T/rows.tsv", "for the objective pearson, not kendall"},
		{"tune --data $T/rows.tsv --objective pearson", `rows.tsv:2: the score is "c"`},
		{"score -r $T/one/ref.en -m meteor --parameters $T/broken.json $T/one/sys/s0.txt", "broken.json:3: not JSON"},
		{"score -r $T/one/ref.en -m meteor --parameters $T/nowhere.json $T/one/sys/s0.txt", "nowhere.json: no such file"},
		{"score -r $T/one/ref.en -m meteor --parameters $T/other.json $T/one/sys/s0.txt", "other.json has parameters of fake: add -m fake"},
		{"score -r $T/one/ref.en -m meteor --parameters $T/names.json $T/one/sys/s0.txt", "names.json: tuned: meteor has a parameter alpha"},
		{"score -r $T/one/ref.en -m meteor --parameters $T/names.json --parameters $T/names.json $T/one/sys/s0.txt", "are both parameters of meteor"},
		{"score -r $T/one/ref.en -m meteor(params=\"1,1,1,1\") --parameters $T/names.json $T/one/sys/s0.txt", "leave one of them out"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		want := strings.ReplaceAll(tt.want, "$T", dir)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q%q, want %q", tt.line, status, stdout, stderr, want)
		}
	}
}

func TestTuneInterrupted(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr strings.Builder
	if status := root.Run(ctx, clitest.Args(dir, "tune --data $T/one"), &strings.Builder{}, &stderr); status != 130 || stderr.String() != "mteval: interrupted\n" {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}

// The pairs of WMT19, and METEOR's untuned tau on all of them: what meta makes of the
// scores of score.
func TestTuneWMT19(t *testing.T) {
	if testing.Short() {
		t.Skip("aligns 11 systems, and -short is given")
	}
	data := shareddata.Path(t, "data", "wmt19-kk-en")
	stdout, stderr, status := clitest.Exec(t, "tune", "--data", data, "-m", "meteor(normalize)", "--folds", "1", "--restarts", "1", "--evaluations", "50", "--test", shareddata.Path(t, "data", "wmt19-gu-en"), "-o", "-")
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	r, err := tuned.Read(strings.NewReader(stdout), "stdout")
	if err != nil {
		t.Fatal(err)
	}
	if r.Data[0].Judgements != 9728 || r.Test[0].Judgements != 20110 {
		t.Errorf("%+v, %+v", r.Data, r.Test)
	}
	systems, err := filepath.Glob(data + "/sys/*")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	scores, _, _ := clitest.Exec(t, slices.Concat([]string{"score", "-r", data + "/ref.en", "-m", "meteor(normalize)", "--sentence-level", "-w", "15"}, systems)...)
	clitest.Write(t, dir+"/meteor.tsv", scores)
	got, _ := clitest.RunMeta(t, "--level", "segment", "--kendall", "4c", "--samples", "0", "--human", data+"/human-segment-darr.tsv", "--scores", dir+"/meteor.tsv")
	if want := got.Metrics[0].Measures["kendall_4c"].Value; r.Figures.Train.Untuned != want {
		t.Errorf("untuned tau %v, meta has %v", r.Figures.Train.Untuned, want)
	}
}

// A metric's scores of systems are of the segments that people judged.
func TestTuneJudged(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/all", 20, 1)
	clitest.JudgedFolder(t, dir+"/some", 20, 1)
	cut := func(path string, keep func(line string) bool) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.SplitAfter(string(data), "\n"), func(l string) bool { return !keep(l) })
		clitest.Write(t, path, strings.Join(lines, ""))
	}
	human := "human-segment.tsv"
	low := func(l string) bool { f := strings.Fields(l); return len(f) == 3 && (len(f[1]) == 1 || f[1] == "sid") }
	cut(dir+"/some/"+human, low)
	clitest.JudgedFolder(t, dir+"/nine", 9, 1)
	run := func(folder string) (string, string) {
		t.Helper()
		at := filepath.Join(dir, folder)
		stdout, stderr, status := clitest.Exec(t, "tune", "--objective", "system-pearson", "--restarts", "1", "--folds", "1", "--evaluations", "10",
			"-r", at+"/ref.en", "--human", at+"/"+human, at+"/sys/s0.txt", at+"/sys/s1.txt", at+"/sys/s2.txt")
		if status != 0 {
			t.Fatalf("%s: status %d, %s", folder, status, stderr)
		}
		return stdout, stderr
	}
	want, note := run("nine")
	if note != "" {
		t.Error(note)
	}
	got, note := run("some")
	if got != want || !strings.Contains(note, "people judged outputs for 9 of 20 segments") || strings.Contains(note, "warning") {
		t.Errorf("%s%s, want %s", note, got, want)
	}
	cut(dir+"/some/"+human, func(l string) bool { return !strings.HasPrefix(l, "s1\t3\t") })
	if _, note = run("some"); !strings.Contains(note, "not all systems were judged on the same segments") {
		t.Error(note)
	}
}

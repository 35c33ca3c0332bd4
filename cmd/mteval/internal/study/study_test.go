package study_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/cmd/mteval/internal/study"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

func TestStudyGolden(t *testing.T) {
	for name, line := range map[string]string{
		"text":      "study -r $Dref.de --human $Dhuman.tsv $Dsys/*.txt",
		"options":   "study -r $Dref.de -r $Dsys/aspen.txt --human $Dhuman.tsv -m ter,wordf,meteor(language=de) --difficulty released,paper --difficulty-leave-one-out --samples 50 --seed 3 --alpha .1 $Dsys/*.txt",
		"no-forms":  "study -r $Dref.de --human $Dhuman.tsv -m chrf --samples 100 $Dsys/*.txt",
		"tsv":       "study -r $Dref.de --human $Dhuman.tsv -m bleu,wordf --format tsv --samples 200 $Dsys/*.txt",
		"json":      "study -r $Dref.de --human $Dhuman.tsv -m wordf --difficulty paper --format json --samples 200 $Dsys/*.txt",
		"wmt-human": "study -r $Dref.de --human testdata/meta/wmt-systems.tsv -m bleu --samples 100 $Dsys/*.txt",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
			if status != 0 || stderr != "" && (name != "options" || !strings.Contains(stderr, "the text looks raw")) {
				t.Fatalf("status %d, %s", status, stderr)
			}
			var options []cmp.Option
			if name == "json" {
				options = []cmp.Option{cmpopts.EquateApprox(1e-9, 1e-12)}
			}
			clitest.CheckGolden(t, filepath.Join("study", name+".txt"), stdout, options...)
		})
	}
}

func runStudy(t *testing.T, line string) (study.StudyJSON, string) {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, append([]string{"study", "--format", "json"}, clitest.Args("", line)...)...)
	if status != 0 {
		t.Fatalf("%s: status %d, %s", line, status, stderr)
	}
	var got study.StudyJSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	return got, stderr
}

// What NumPy, SciPy and statsmodels have for the F of words on the sample: see
// scripts/record_study.py.
func TestStudyRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/study/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Samples, Seed int
		Metrics       []study.CurveJSON
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	got, _ := runStudy(t, "-r $Dref.de --human $Dhuman.tsv -m wordf --difficulty-leave-one-out --samples "+
		strconv.Itoa(want.Samples)+" --seed "+strconv.Itoa(want.Seed)+" $Dsys/*.txt")
	if len(got.Metrics) != 9 || len(want.Metrics) != 9 {
		t.Fatalf("%d metrics, recorded %d, want 9", len(got.Metrics), len(want.Metrics))
	}
	for i, m := range want.Metrics {
		g := got.Metrics[i]
		if g.Difficulty != m.Difficulty || g.LeaveOneOut != m.LeaveOneOut {
			t.Fatalf("metric %d is %s, leave-one-out %v", i, g.Difficulty, g.LeaveOneOut)
		}
		for k := range g.Curve {
			g.Curve[k].Scores = nil
		}
		if d := cmp.Diff(m.Curve, g.Curve, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s, leave-one-out %v (-NumPy +got):\n%s", m.Difficulty, m.LeaveOneOut, d)
		}
	}
}

// The figures are those of rank.
func TestStudyIsRank(t *testing.T) {
	got, _ := runStudy(t, "-r $Dref.de --human $Dhuman.tsv --difficulty normalized --samples 10 $Dsys/*.txt")
	stdout, stderr, status := clitest.Exec(t, clitest.Args("", "rank -r $Dref.de --human $Dhuman.tsv --difficulty normalized --format json $Dsys/*.txt")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	var rank rank.JSON
	if err := json.Unmarshal([]byte(stdout), &rank); err != nil {
		t.Fatal(err)
	}
	if len(rank.TopK) != 3 {
		t.Fatalf("%d K", len(rank.TopK))
	}
	for i, of := range rank.TopK {
		for _, m := range got.Metrics {
			want, p := of.Correlation[m.Metric], m.Curve[i]
			for key, v := range map[string]*float64{"pearson": want.Pearson, "kendall": want.Kendall, "spearman": want.Spearman} {
				if p.K != of.K || v == nil || math.Abs(*v-*p.Correlation[key].Value) > 1e-12 {
					t.Errorf("%s at K %d: %s %v, rank has %v", m.Metric, of.K, key, *p.Correlation[key].Value, v)
				}
			}
		}
	}
	for _, m := range got.Metrics {
		if want := rank.Signature[m.Metric]; m.Signature != want {
			t.Errorf("signature %s, rank's %s", m.Signature, want)
		}
	}
}

func TestStudyNotes(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t.4\nbirch\t.3\ncedar\t.2\noak\t.1\n")
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "study -r $Dref.de --human $T/human.tsv --format json --samples 10 $Dsys/*.txt")...)
	for _, want := range []string{"warning: dogwood, elder: without a human score", "not given: oak"} {
		if status != 0 || !strings.Contains(stderr, want) {
			t.Errorf("status %d, stderr %q lacks %q", status, stderr, want)
		}
	}
	var got study.StudyJSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || len(got.Systems) != 3 || len(got.Metrics[0].Curve) != 1 {
		t.Errorf("%v: %s", err, stdout)
	}
	_, stderr, _ = clitest.Exec(t, clitest.Args(dir, "study -r $Dref.de --human $Dhuman.tsv --samples 20 $Dsys/*.txt")...)
	if !strings.Contains(stderr, "20 samples are too few: after Holm's correction for 3 K") || !strings.Contains(stderr, "--samples 60 would do") {
		t.Errorf("stderr %q", stderr)
	}
}

// Of systems whose outputs are the same nothing is defined, and all of it is said.
func TestStudyUndefined(t *testing.T) {
	dir := t.TempDir()
	text := "ein Wort\nzwei Worte\n"
	for _, name := range []string{"a", "b", "c"} {
		clitest.Write(t, dir+"/"+name, text)
	}
	clitest.Write(t, dir+"/ref", text)
	clitest.Write(t, dir+"/human.tsv", "a\t1\nb\t2\nc\t3\n")
	for _, format := range []string{"text", "tsv", "json"} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "study -r $T/ref --human $T/human.tsv -m wordf --samples 100 --format "+format+" $T/a $T/b $T/c")...)
		if status != 0 || strings.Contains(stdout, "NaN") || !strings.Contains(stdout, map[string]string{"text": "undefined   – (100)", "tsv": "pearson\t\t\t\t100", "json": `"value":null,"segments":{"low":null,"high":null,"undefined":100}`}[format]) {
			t.Errorf("%s: status %d, %s%s", format, status, stderr, stdout)
		}
	}
}

func TestStudyErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/two.tsv", "aspen\t1\nbirch\t2\nelm\t3\n")
	clitest.Write(t, dir+"/equal.tsv", "aspen\t1\nbirch\t1\ncedar\t1\n")
	clitest.Write(t, dir+"/nan.tsv", "aspen\tNaN\n")
	clitest.Write(t, dir+"/dup.tsv", "aspen\t1\nbirch\t2\naspen\t3\n")
	clitest.Write(t, dir+"/wmt.tsv", "RAW.SCR Z.SCR N SYS N.ALL\n80 high 47 aspen 100\n")
	clitest.Write(t, dir+"/short.txt", "one\n")
	for _, tt := range []struct{ line, want string }{
		{"-r $Dref.de $Dsys/*.txt", "no human scores: name a file with --human"},
		{"--human $Dhuman.tsv $Dsys/*.txt", "no reference: name a file with -r"},
		{"-r $Dref.de --human $Dhuman.tsv", "requires at least 1 arg"},
		{"-r $Dref.de --human $Dhuman.tsv $Dsys/aspen.txt $Dsys/birch.txt", "examples/data/human.tsv: study: too few systems: 2 have a human score, 3 at least are needed"},
		{"-r $Dref.de --human $T/two.tsv $Dsys/*.txt", "$T/two.tsv: study: too few systems: 2 have a human score, 3 at least are needed: its systems are aspen, birch, elm, the outputs' aspen"},
		{"-r $Dref.de --human $T/equal.tsv $Dsys/*.txt", "equal.tsv: study: all systems have the same human score"},
		{"-r $Dref.de --human $T/nan.tsv $Dsys/*.txt", "nan.tsv: no scores in it"},
		{"-r $Dref.de --human $T/dup.tsv $Dsys/*.txt", "dup.tsv:3: a second score of aspen"},
		{"-r $Dref.de --human $T/wmt.tsv $Dsys/*.txt", "wmt.tsv:2"},
		{"-r $Dref.de --human no/such.tsv $Dsys/*.txt", "no/such.tsv: no such file"},
		{"-r $Dref.de --human $Dhuman.tsv $T/short.txt", "short.txt:2: missing line"},
		{"-r - --human - $Dsys/*.txt", "standard input (-) can be only one"},
		{"-r $Dref.de --human $Dhuman.tsv --difficulty hard $Dsys/*.txt", `no difficulty "hard": have combined, paper, normalized, released`},
		{"-r $Dref.de --human $Dhuman.tsv -m bleau $Dsys/*.txt", `no metric "bleau"`},
		{"-r $Dref.de --human $Dhuman.tsv -m= $Dsys/*.txt", "--metrics: the value is empty"},
		{"-r $Dref.de --human $Dhuman.tsv -m bleu,chrf --difficulty paper $Dsys/*.txt", "none of the metrics has a difficulty-aware form"},
		{"-r $Dref.de --human $Dhuman.tsv -m ter --difficulty-leave-one-out $Dsys/*.txt", "none of the metrics has a difficulty-aware form"},
		{"-r $Dref.de --human $Dhuman.tsv -m bleu(backend=lexical) $Dsys/*.txt", `no option of bleu "backend"`},
		{"-r $Dref.de --human $Dhuman.tsv -m bertscore(baseline=testdata/baseline.csv) $Dsys/*.txt", "have no layers"},
		{"-r $Dref.de --human $Dhuman.tsv --format latex $Dsys/*.txt", `no format "latex": have text, tsv, json`},
		{"-r $Dref.de --human $Dhuman.tsv --samples 0 $Dsys/*.txt", "--samples 0"},
		{"-r $Dref.de --human $Dhuman.tsv --samples 1000001 $Dsys/*.txt", "--samples 1000001: want 1 to 1000000"},
		{"-r $Dref.de --human $Dhuman.tsv --seed 0 $Dsys/*.txt", "--seed 0"},
		{"-r $Dref.de --human $Dhuman.tsv --alpha 1 $Dsys/*.txt", "--alpha 1"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "study "+tt.line)...)
		want := strings.ReplaceAll(tt.want, "$T", dir)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.line, status, stdout, stderr, want)
		}
	}
}

// Interrupted before and in the middle of it all, it prints nothing.
func TestStudyInterrupt(t *testing.T) {
	for _, calls := range []int64{0, 5, 400, 10_000, 40_000} {
		ctx := kit.NewCountdown(calls)
		var stdout, stderr bytes.Buffer
		status := root.Run(ctx, clitest.Args("", "study -r $Dref.de --human $Dhuman.tsv --samples 20000 $Dsys/*.txt"), &stdout, &stderr)
		if status != 130 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "mteval: interrupted") {
			t.Errorf("after %d calls: status %d, %q, %q", calls, status, stdout.String(), stderr.String())
		}
	}
}

// The released program's forms take the F of the baseline, the others none.
func TestStudyBaseline(t *testing.T) {
	got, _ := runStudy(t, "-r $Dref.de --human $Dhuman.tsv -m bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1,baseline=testdata/baseline.csv) --samples 5 --alpha .9 $Dsys/*.txt")
	for _, m := range got.Metrics[1:] {
		if has := strings.Contains(m.Signature, ",baseline="); has != (m.Difficulty == "released") {
			t.Errorf("%s: %s", m.Difficulty, m.Signature)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, ks := range map[string][]int{"–": nil, "K 3": {3}, "K 3–5, 7, 9–10": {3, 4, 5, 7, 9, 10}} {
		if got := study.Ranges(ks); got != want {
			t.Errorf("%v: %s, want %s", ks, got, want)
		}
	}
}

// On the best systems of WMT19 English-German (lexical vectors): the paper's effect at K 6
// is there, and the figures beside it say what six systems can say. The combined form's were
// found by NumPy from the similarities, as in package difficulty's TestCombinedWMT19.
func TestStudyWMT19(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes with the race detector on, and is run without it")
	}
	data := shareddata.Path(t, "data", "wmt19-en-de")
	human, err := os.ReadFile(filepath.Join(data, "human-system.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	line := "-m bertscore --difficulty combined,paper --samples 100 -r " + data + "/ref.de --human " + data + "/human-system.tsv"
	for _, l := range strings.Split(string(human), "\n")[1:8] {
		name, _, _ := strings.Cut(l, "\t")
		line += " " + data + "/sys/" + name + ".txt"
	}
	got, _ := runStudy(t, line)
	base, combined, paper := got.Metrics[0].Curve, got.Metrics[1].Curve, got.Metrics[2].Curve
	for k, want := range map[int][3]float64{6: {-1. / 15, -3. / 15, 9. / 15}, 7: {5. / 21, 3. / 21, 5. / 21}} {
		b, c, p := base[k-3].Correlation["kendall"], combined[k-3].Correlation["kendall"], paper[k-3].Correlation["kendall"]
		if d := cmp.Diff(want, [3]float64{*b.Value, *c.Value, *p.Value}, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("K %d (-want +got):\n%s", k, d)
		}
	}
	for k, want := range map[int]float64{6: -.0830903, 7: .3695588} {
		if p := combined[k-3].Correlation["pearson"]; math.Abs(*p.Value-want) > 1e-6 {
			t.Errorf("K %d: Pearson %v of the combined form, want %v", k, *p.Value, want)
		}
	}
	six := paper[3].Correlation["kendall"]
	if d := six.Difference; *six.Segments.Low > *six.Value || *six.Segments.High < *six.Value || math.Abs(d.Value-10./15) > 1e-12 || *d.P > *d.Holm || *d.Systems.Low > 0 {
		t.Errorf("%+v, difference %+v", six, d)
	}
	if i := slices.IndexFunc(got.Chance, func(c study.ChanceJSON) bool { return c.K == 6 }); *got.Chance[i].Least <= *six.Value {
		t.Errorf("%+v: a Kendall of .6 is beyond chance", got.Chance[i])
	}
}
